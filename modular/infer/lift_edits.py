"""Proposes edits of a modular file that could generate an edited part of a file."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from modular.infer.derive import ClassWriter, DerivedClass, write_removal
from modular.infer.draft import MARKER_IMPORT
from modular.infer.edited_parts import EditedPart, PartId, PartKind
from modular.infer.flat import FlatFile, FlatModel
from modular.infer.lift_proof import LiftState
from modular.infer.member_order import has_other_order
from modular.infer.modular_edits import (
    ModularText,
    rewrite_class,
    take_member,
    with_old_members,
)
from modular.infer.parents import ImportedParent, ParentClass, ParentFiles
from modular.infer.proof import find_undefined_names
from modular.provenance.origins import BlamedLine
from modular.rules.classes import kept_parents
from modular.rules.classes.decorators import NO_INHERIT_DECORATOR
from modular.rules.classes.methods import find_methods
from modular.rules.files.drafts import ALL, GETATTR, Provenance
from modular.rules.files.exports import exported_names
from modular.rules.files.imports import bound_names
from modular.rules.reading.modular_file import ModularFile
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import DefinitionView, view_definition
from modular.source.diffs import Hunk, compare
from modular.source.indentation import STEP, normalize_indentation
from modular.source.source_slice import find_word, words


_MAX_LINES_WITHOUT_PARENT = 200
"""Lines of a class that may be written out if no child class can have an edit.

A longer class loses more by not inheriting than the edit is worth.
"""


_KINDS_IN_CLASSES = (
    PartKind.METHOD,
    PartKind.ATTRIBUTE,
    PartKind.DOCSTRING,
    PartKind.HEADER,
)

WHOLE_CLASS = "whole class"
"""The form of an edit that writes all members of a class anew."""

WITHOUT_PARENT = f"{WHOLE_CLASS}, without its parent"
"""The form of an edit that writes a class anew which inherits nothing then."""


@dataclass(frozen=True)
class Proposal:
    """An edit that could generate an edited part.

    Attributes:
        text: The new text of the modular file.
        parent_texts: New texts of parent files, by path.
        form: What the edit does, such as `override`.
    """

    text: str
    parent_texts: Mapping[str, str]
    form: str = field(compare=False)


class SourceEdit(NamedTuple):
    """An edit of one source file: its path, and its new text."""

    path: str
    text: str


class _EditedText(NamedTuple):
    """A text of a class or of the modular file, and what was edited in it."""

    text: str
    form: str


class _Source(NamedTuple):
    """The parent file and the statement in it that a definition is generated from."""

    path: str
    statement: Statement

    @property
    def class_(self) -> ParentClass:
        """The statement as a parent class."""
        return ParentClass(self.path, self.statement.name)


@dataclass(eq=False)
class LiftEdits:
    """Proposes edits for the edited parts of one model, the shortest ones first.

    Attributes:
        state: The modular file, what it generates, and the edited files on disk.
        changes_parents: Whether an edit of an inherited line goes to the parent file.
    """

    state: LiftState
    changes_parents: bool = False

    @property
    def _parents(self) -> ParentFiles:
        """The parent files."""
        return self.state.goal.parents

    @property
    def _edited(self) -> FlatModel:
        """The edited files on disk."""
        return self.state.goal.flat

    def _edited_file(self, part: EditedPart) -> FlatFile:
        """Return the file on disk that an edited part is in."""
        return self.state.goal.file(part.id.path)

    @cached_property
    def _modular_text(self) -> ModularText:
        """The text of the modular file before the proposed edits."""
        return ModularText(self._edited.modular, self.state.text)

    @cached_property
    def _modular_file(self) -> ModularFile:
        """The same file, with its classes and their parents."""
        return self._parents.converter.modular_file(self._modular_text.module)

    def propose(self, part: EditedPart) -> Iterator[Proposal]:
        """Yield edits of the modular file that could generate an edited part.

        If somebody edited `OlmoMLP.forward` in the generated file, these are, from the
        shortest to the longest: the same edit of lines that the modular file has, an
        override of `forward`, and all of `OlmoMLP`.

        Args:
            part: The edited part.
        """
        if part.id.kind is PartKind.IMPORTS:
            yield from self._propose_imports(part)
            return
        if part.id.kind is PartKind.EXPORTS:
            yield from self._propose_exports(part)
            return

        yield from self._propose_same_edit(part)
        for text, form in self._rewrite_part(part):
            yield from self._complete(text, part, form)

    def _propose_same_edit(self, part: EditedPart) -> Iterator[Proposal]:
        """Yield the same edit in the modular file or, if asked for, in the parent file."""
        edit = self.find_source_edit(part)
        if edit is None:
            return
        if edit.path == self._edited.modular:
            yield from self._complete(edit.text, part, "the same edit")
        elif self.changes_parents:
            parent_texts = {**self.state.parent_texts, edit.path: edit.text}
            form = "the same edit in the parent"
            yield Proposal(self.state.text, parent_texts, form)

    def _rewrite_part(self, part: EditedPart) -> Iterator[_EditedText]:
        """Return texts of the modular file that override a part, the shortest first.

        Args:
            part: The edited part of a generated file, such as the method `OlmoMLP.forward`.
        """
        name = part.id.definition
        is_in_modular_file = self._modular_text.statement_named(name) is not None
        if not is_in_modular_file and self.is_kept_copy(part):
            return self._define_kept_parent(name)
        if part.id.kind in _KINDS_IN_CLASSES:
            return self._rewrite_class_of(part)
        if part.id.kind is PartKind.DEFINITION:
            return self._rewrite_definition(part)
        return iter(())

    # Edits of the lines that were generated.

    def find_source_edit(self, part: EditedPart) -> SourceEdit | None:
        """Return the source file with the edit that somebody made in a generated file.

        If somebody replaced `x + 1` with `x + 2` in a generated line, `x + 1` is replaced
        in the line of the modular file or parent file that it comes from.

        Args:
            part: The edited part of a generated file.

        Returns:
            The source file and its new text; None if the edited lines come from several
            files, or from a parent file that is generated itself. The next conversion
            would overwrite an edit of such a parent.
        """
        old = part.generated
        new = part.edited
        if old is None or new is None:
            # The whole part was added or removed.
            return None
        origins = self.state.origins.get(part.id.path, [])
        patches = []
        for hunk in compare(old.text, new.text).hunks:
            patch = _trace_hunk(hunk, old.line, origins)
            if patch is None:
                return None
            patches.append(patch)
        paths = {patch.path for patch in patches}
        if len(paths) != 1:
            return None
        path = paths.pop()
        is_generated = self._parents.project.generating_modular(path) is not None
        if is_generated:
            return None
        return SourceEdit(path, self._apply_patches(self.state.source(path), patches))

    def _apply_patches(self, source: str, patches: Sequence["_Patch"]) -> str:
        """Return the text of a source file with the edits of some generated lines.

        Args:
            source: The text of the source file.
            patches: The edits, with the lines of the source file that they replace.
        """
        lines = source.split("\n")
        # The last lines come first, so that the numbers of those above stay right.
        for patch in sorted(patches, key=lambda patch: patch.start, reverse=True):
            added = [self._original_line(text, patch.origin) for text in patch.added]
            lines[patch.start - 1 : patch.end - 1] = added
        return "\n".join(lines)

    def _original_line(self, text: str, origin: BlamedLine) -> str:
        """Return a generated line with the names that its source file uses.

        If `Llama` was renamed to `Olmo`, `OlmoMLP` becomes `LlamaMLP` again.

        Args:
            text: The generated line.
            origin: The origin of the line, which has the renaming.
        """
        if origin.renamed is None:
            return text
        names = self._parents.project.names
        old, new = origin.renamed
        text = text.replace(names.cased(new), names.cased(old))
        return text.replace(new, old).replace(new.upper(), old.upper())

    # Edits of classes.

    def _rewrite_class_of(self, part: EditedPart) -> Iterator[_EditedText]:
        """Yield texts of the modular file in which the class of an edited part changes.

        They change more and more: one member, then all members, then also the parent,
        from which the class no longer inherits.

        Args:
            part: The edited method, attribute, docstring or header of a generated class.
        """
        name = part.id.definition
        statement = self._modular_text.statement_named(name)
        if statement is None or statement.kind is not Kind.CLASS:
            yield from self._add_child_class(name, part)
            return
        parent = self._parents.imported_parent(self._modular_file, name)
        # A copy of the parent's method has a private name, so no member overrides it.
        if not self.is_kept_copy(part):
            for class_text, form in self._rewrite_member(statement, part, parent):
                yield self._replace(statement, class_text, form)
            derived = "" if parent is None else self._derive(name, parent)
            if derived:
                text = with_old_members(statement, derived)
                yield self._replace(statement, text, WHOLE_CLASS)
        whole = self._edited.definitions[name].bare_code.text
        if parent is None:
            yield self._replace(statement, whole, WHOLE_CLASS)
        elif _is_short(whole):
            yield self._replace(statement, whole, WITHOUT_PARENT)

    def _replace(self, statement: Statement, text: str, form: str) -> _EditedText:
        """Return the modular file with one statement replaced.

        Args:
            statement: The statement.
            text: Its new text.
            form: What the edit does, such as `override`.
        """
        return _EditedText(self._modular_text.replace_statement(statement, text), form)

    def _derive(self, name: str, parent: ImportedParent) -> str:
        """Return an edited class as a child of a parent, or "" if it cannot be one."""
        derived = self._parents.derive_in(self._modular_file, name, parent)
        return "" if derived is None or not derived.in_order else derived.text

    def _rewrite_member(
        self, statement: Statement, part: EditedPart, parent: ImportedParent | None
    ) -> Iterator[_EditedText]:
        """Yield texts of a class of the modular file that have one edited member.

        A class without a parent gets the member as it is on disk. In a child class, the
        member may call `super()`, so several texts are yielded.

        Args:
            statement: The class in the modular file.
            part: The edited member of the generated class.
            parent: The parent class; None if it has none.

        Yields:
            Each text, and what it does, such as `override`.
        """
        modular_class = view_definition(statement)
        edited = normalize_indentation(self._edited.definitions[statement.name])
        variants = [DerivedClass(edited.bare_code.text)]
        if parent is not None:
            parent_class = self._parent_class(statement.name, parent)
            if parent_class is None:
                return
            settings = self._parents.project.settings
            writer = ClassWriter(
                parent_class,
                view_definition(edited),
                is_like_python=settings.is_like_python,
                keeps_order=True,
            )
            variants = list(writer.write_variants())
        for variant in variants:
            class_ = ModularText("", variant.text).module.block.statements[0]
            form = _describe_form(variant, part)
            for text in _take_part(modular_class, view_definition(class_), part.id):
                yield _EditedText(text, form)
        is_removed_method = part.id.kind is PartKind.METHOD and part.edited is None
        if is_removed_method:
            # An attribute `method = AttributeError()` is written. A method that raises
            # the error would be recognized only by the blank line above it, which it
            # would lose as the first member.
            removal = write_removal(
                part.id.member, modular_class.name, as_attribute=True
            )
            yield _EditedText(rewrite_class(modular_class, added=removal), "removed")

    def _parent_class(self, name: str, parent: ImportedParent) -> DefinitionView | None:
        """Return the parent class of a class, with the names of the child's model.

        None if the parent file has no such class.
        """
        prefix = self._parents.prefix_in(self._modular_file, name, parent.class_)
        return self._parents.parent_class(
            name, parent.class_, prefix, parent.imported_name
        )

    def is_kept_copy(self, part: EditedPart) -> bool:
        """Return whether a part is in a copy of parent code that has another name.

        If the converter cannot merge a child class with `LlamaMLP`, it copies the whole
        class as `LlamaMLP` or `_LlamaMLP`. If it cannot merge only a method, it copies
        the method: `_llama_mlp_forward`.

        Args:
            part: The edited part of a generated file.
        """
        name = part.id.definition
        may_be_kept_parent = (
            name.startswith("_") or name in self._modular_file.parent_of
        )
        source = self._source_of(name) if may_be_kept_parent else None
        if source is not None:
            parent_name = source.statement.name
            private_name = kept_parents.choose_name(parent_name, taken=())
            is_private = name != parent_name and name.startswith(private_name)
            return is_private or name in self._modular_file.parent_of
        return self._is_kept_method(part)

    def _is_kept_method(self, part: EditedPart) -> bool:
        """Return whether a part is a copy of the parent's method with a private name.

        The converter adds such a method, `_llama_mlp_forward`, if the `super()` call of
        the child cannot be replaced with the body of the parent's `forward`.
        """
        if part.id.kind is not PartKind.METHOD or part.generated is None:
            return False
        statement = self._modular_text.statement_named(part.id.definition)
        if statement is None:
            return False
        parent = self._parents.imported_parent(self._modular_file, statement.name)
        if parent is None:
            return False
        parent_class = self._parent_class(statement.name, parent)
        if parent_class is None:
            return False
        # Neither class defines a method that the converter adds.
        for class_ in (view_definition(statement), parent_class):
            if part.id.member in find_methods(class_.body.statements):
                return False
        return True

    def _define_kept_parent(self, name: str) -> Iterator[_EditedText]:
        """Yield texts in which the modular file defines an edited copy of a parent class.

        If the converter cannot merge a child class with `LlamaConfig`, the generated
        file has a copy of it. Somebody edited this copy. So the modular file gets a
        class of this name, and the child inherits from it instead.

        Args:
            name: The name of the copy, such as `LlamaConfig`.
        """
        copy = self._edited.definitions.get(name)
        source = self._source_of(name)
        if copy is None or source is None:
            return
        file = self._modular_text
        children = []
        for child in self._modular_file.definitions.classes:
            statement = file.statement_named(child)
            statement_on_disk = self._edited.definitions.get(child)
            if statement is None or statement_on_disk is None:
                continue
            class_on_disk = view_definition(statement_on_disk)
            if name not in class_on_disk.bases:
                continue
            children.append(child)
            # The header on disk has the copy as its base.
            header = class_on_disk.decorators.text + class_on_disk.header.text
            class_text = rewrite_class(view_definition(statement), header=header)
            text = file.replace_statement(statement, class_text)
            file = ModularText(self._edited.modular, text)
        if not children:
            return
        imported_name = source.class_.name
        if name == imported_name:
            # `class LlamaConfig(_LlamaConfig)` replaces the imported class of this name.
            imported_name = kept_parents.choose_name(
                name, words(self._modular_text.text)
            )
            file = self._import_as(file, name, imported_name)
        before = file.statement_named(children[0])
        derived = self._derive(name, ImportedParent(source.class_, imported_name))
        if derived:
            text = file.insert_definition(derived, before=before)
            yield _EditedText(text, "new child class, in place of the parent")
        whole = copy.bare_code.text
        if _is_short(whole):
            text = file.insert_definition(whole, before=before)
            yield _EditedText(text, f"{WHOLE_CLASS}, in place of the parent")

    def _import_as(self, file: ModularText, name: str, alias: str) -> ModularText:
        """Return a modular file that imports a parent class under another name.

        Args:
            file: The modular file.
            name: The name of the class, which `from ... import` lists.
            alias: The other name.
        """
        for import_ in file.imports:
            if all(imported.bound != name for imported in import_.names):
                continue
            statement = import_.statement
            offset = max(find_word(statement.code.masked_text, name))
            end = offset + len(name)
            code = statement.code.replace([(end, end, f" as {alias}")])
            text = file.replace_statement(statement, code.text[statement.start :])
            return ModularText(self._edited.modular, text)
        return file

    def _add_child_class(self, name: str, part: EditedPart) -> Iterator[_EditedText]:
        """Yield texts of the modular file with an edited class that it does not have yet.

        `OlmoMLP` is generated only because other code uses it. To change it, the modular
        file needs `class OlmoMLP(LlamaMLP)` with the edit, and the import of `LlamaMLP`.

        Args:
            name: The name of the generated class, such as `OlmoMLP`.
            part: The edited part of this class.
        """
        source = self._source_of(name)
        edited = self._edited.definitions[name]
        if source is None or not self._parents.can_be_imported(source.statement.name):
            yield from self._add_definition(edited)
            return
        parent = ImportedParent(source.class_, source.class_.name)
        children = list(self._write_children(name, part, parent))
        places = self._possible_places(name)
        for child in children:
            for before in places:
                text = self._add_child(child, parent, before)
                yield _EditedText(text, "new child class")
        # Classes that the modular file defines are generated above the inherited ones. To
        # keep the order on disk, the inherited classes above this one are defined, too.
        classes_above = self._inherited_directly_above(name)
        for child in children:
            text = self._add_child(child, parent, places[0])
            named = self.name_classes(classes_above, text)
            yield _EditedText(named, "new child classes")
        # If nothing else helps, a short class is written without a parent.
        if _is_short(edited.bare_code.text):
            for text, _ in self._add_definition(edited):
                yield _EditedText(text, WITHOUT_PARENT)

    def _write_children(
        self, name: str, part: EditedPart, parent: ImportedParent
    ) -> Iterator[str]:
        """Yield texts of a new child class that generates an edited class.

        The first one has everything in which the class differs from its parent. Others
        have only the edited member.

        Args:
            name: The name of the edited class.
            part: The edited part of it.
            parent: The parent class.
        """
        derived = self._derive(name, parent)
        if derived:
            yield derived
        if part.id.member:
            empty_class = f"class {name}({parent.imported_name}):\n{STEP}pass\n"
            file = ModularText(self._edited.modular, empty_class)
            (statement,) = file.module.block.statements
            for text, _ in self._rewrite_member(statement, part, parent):
                yield text

    def _add_child(
        self, child: str, parent: ImportedParent, before: Statement | None
    ) -> str:
        """Return the modular file with a new class, and the import of its parent class."""
        import_line = self._parents.import_from(
            parent.class_.path, parent.imported_name
        )
        text = self._modular_text.insert_definition(child, before=before)
        return self._with_lines(text, [import_line])

    def _inherited_directly_above(self, name: str) -> list[str]:
        """Return the definitions directly above another that the modular file lacks.

        The generated file has them because other code uses them. If it has `OlmoNorm`,
        `OlmoMLP` and `OlmoLayer`, and the modular file has only `OlmoNorm`, then
        `OlmoMLP` is returned for the name `OlmoLayer`.
        """
        names = list(self._edited.definitions)
        first = end = names.index(name)
        while first and self._modular_text.statement_named(names[first - 1]) is None:
            first -= 1
        return names[first:end]

    def _write_empty_children(self, names: Iterable[str]) -> Iterator["_EmptyChild"]:
        """Yield a class such as `class OlmoMLP(LlamaMLP): pass` for each inherited class.

        Functions, assignments, and classes that cannot be imported are left out.

        Args:
            names: The names of the classes, such as `OlmoMLP`.
        """
        for name in names:
            source = self._source_of(name)
            if source is None:
                continue
            parent = source.statement.name
            is_class = source.statement.kind is Kind.CLASS
            if is_class and self._parents.can_be_imported(parent):
                yield _EmptyChild(
                    name=name,
                    text=f"class {name}({parent}):\n{STEP}pass\n",
                    import_line=self._parents.import_from(source.path, parent),
                )

    def name_classes(self, names: Iterable[str], text: str) -> str:
        """Return a modular file with `class OlmoMLP(LlamaMLP): pass` for each name.

        The converter generates an inherited class only if inherited code uses it, or if
        it is in the modular file like this.

        Args:
            names: The names of classes that are generated now, such as `OlmoMLP`.
            text: The modular file.
        """
        lines = []
        for child in self._write_empty_children(names):
            file = ModularText(self._edited.modular, text)
            before = self._next_definition(child.name, file)
            text = file.insert_definition(child.text, before=before)
            lines.append(child.import_line)
        return self._with_lines(text, lines)

    def _source_of(self, name: str) -> _Source | None:
        """Return the statement of a parent file that a definition is generated from.

        None if it comes from the modular file, or is not generated.

        Args:
            name: The name of the definition in a generated file.
        """
        for path, file in self.state.generated.items():
            statement = file.definitions.get(name)
            origins = self.state.origins.get(path, [])
            if statement is None or statement.line > len(origins):
                continue
            # The first line of the definition tells where it comes from.
            origin = origins[statement.line - 1]
            if origin.path is None or origin.path == self._edited.modular:
                continue
            source = self._statement_at(origin.path, origin.origin_line or 0)
            if source is not None:
                return _Source(origin.path, source)
        return None

    def _statement_at(self, path: str, line: int) -> Statement | None:
        """Return the definition at a line of a parent file.

        None if the statement at this line defines no name.
        """
        parent_module = self._parents.converter.parent(path).module
        for statement in parent_module.block.statements:
            first_line = statement.code.line
            line_below = first_line + statement.code.text.count("\n")
            if statement.name and first_line <= line < line_below:
                return statement
        return None

    def _next_definition(self, name: str, file: ModularText) -> Statement | None:
        """Return the definition above which another one belongs in the modular file.

        It is the next one in the order on disk that the modular file has. If `OlmoNorm`,
        `OlmoMLP` and `OlmoLayer` are on disk, and the modular file has `OlmoLayer`, this
        is `OlmoLayer` for the name `OlmoNorm`. None if the modular file has no later one.

        Args:
            name: The name of the other definition.
            file: The modular file.
        """
        names = list(self._edited.definitions)
        if name not in names:
            return None
        for later_name in names[names.index(name) + 1 :]:
            statement = file.statement_named(later_name)
            if statement is not None:
                return statement
        return None

    def _possible_places(self, name: str) -> list[Statement | None]:
        """Return the statements above which a new definition could be written.

        First comes the next definition on disk that the modular file has, if any. Then
        comes `__all__`, or None for the end of a file without it.

        Args:
            name: The name of the new definition.
        """
        exports = self._modular_text.statement_named(ALL)
        next_definition = self._next_definition(name, self._modular_text)
        if next_definition in (None, exports):
            return [exports]
        return [next_definition, exports]

    # Edits of definitions, imports and exports.

    def _rewrite_definition(self, part: EditedPart) -> Iterator[_EditedText]:
        """Yield texts of the modular file with a definition replaced, deleted or added.

        A replaced class loses its parent. This is done only if the class is short, and
        if more than the order of its members was edited.

        Args:
            part: The edited class, function or assignment of a generated file.
        """
        name = part.id.definition
        statement = self._modular_text.statement_named(name)
        is_deleted = part.edited is None
        if is_deleted:
            if statement is not None:
                yield self._replace(statement, "", "deleted")
            return
        if name == GETATTR:
            edited = self._edited_file(part).special(GETATTR)
        else:
            edited = self._edited.definitions[name]
        assert edited is not None
        text = edited.bare_code.text
        # Only a class that was generated before the edit can have a parent.
        is_old_class = edited.kind is Kind.CLASS and part.generated is not None
        keeps_parent = is_old_class and self.is_reordered(part)
        if statement is None:
            if is_old_class and not keeps_parent:
                yield from self._add_child_class(name, part)
            yield from self._add_definition(edited)
            return
        parent = self._parents.imported_parent(self._modular_file, name)
        if not is_old_class or parent is None:
            yield self._replace(statement, text, "whole definition")
        elif not keeps_parent and _is_short(text):
            yield self._replace(statement, text, WITHOUT_PARENT)

    def is_reordered(self, part: EditedPart) -> bool:
        """Return whether only the order of the members of a class was edited.

        Args:
            part: The edited part. The result is false if it is no whole class.
        """
        generated_file = self.state.generated.get(part.id.path)
        name = part.id.definition
        if generated_file is None or name not in generated_file.definitions:
            return False
        edited = self._edited_file(part).definitions.get(name)
        if edited is None or edited.kind is not Kind.CLASS:
            return False
        return has_other_order(generated_file.definitions[name], edited)

    def _add_definition(self, statement: Statement) -> Iterator[_EditedText]:
        """Yield texts of the modular file with a new definition, at several places.

        Args:
            statement: The definition in an edited file.
        """
        text = statement.code.text.strip("\n") + "\n"
        for before in self._possible_places(statement.name):
            new_text = self._modular_text.insert_definition(text, before=before)
            yield _EditedText(new_text, "new definition")

    def _propose_exports(self, part: EditedPart) -> Iterator[Proposal]:
        """Yield edits of `__all__` in the modular file that add and remove names.

        The modular file has the names of all generated files. The first edit adds new
        names at the end. The second edit puts the names of the edited file in the order
        of that file, below the names of other files.

        Args:
            part: The edited `__all__` of a generated file.
        """
        edited_names = self._edited_file(part).exports
        generated_file = self.state.generated.get(part.id.path)
        generated_names = () if generated_file is None else generated_file.exports
        exports = self._modular_text.statement_named(ALL)
        modular_names = [] if exports is None else exported_names(exports)

        removed = set(generated_names) - set(edited_names)
        names = [name for name in modular_names if name not in removed]
        names += [name for name in edited_names if name not in generated_names]
        names_of_other_files = [name for name in names if name not in edited_names]
        for ordered_names in (names, [*names_of_other_files, *edited_names]):
            lines = "".join(f'    "{name}",\n' for name in ordered_names)
            text = f"{ALL} = [\n{lines}]\n"
            if exports is None:
                new_text = self._modular_text.insert_definition(text, before=None)
            else:
                new_text = self._modular_text.replace_statement(exports, text)
            yield self._propose_text(new_text, "names of `__all__`")

    def _propose_imports(self, part: EditedPart) -> Iterator[Proposal]:
        """Yield edits of the modular file that add the new imports of an edited file.

        The first edit adds the imports. The second edit also removes other imports of
        the same names.

        Args:
            part: The edited imports of a generated file.
        """
        edited_file = self._edited_file(part)
        generated_file = self.state.generated.get(part.id.path)
        generated_imports = set()
        if generated_file is not None:
            for import_ in generated_file.module.imports:
                generated_imports |= {
                    (import_.source, alias) for alias in import_.names
                }
        new_imports = []
        for import_ in edited_file.module.imports:
            for alias in import_.names:
                if (import_.source, alias) not in generated_imports:
                    new_import = import_._replace(names=(alias,))
                    new_imports.append(new_import.render().text.strip())
        if not new_imports:
            return
        lines = [f"{new_import}\n" for new_import in new_imports]
        text = self._with_lines(self.state.text, lines)
        yield self._propose_text(text, "new import")
        text = self._with_lines(self._without_old_imports(new_imports), lines)
        yield self._propose_text(text, "other import")

    def _without_old_imports(self, new_imports: Sequence[str]) -> str:
        """Return the modular file without imports of names that are imported anew.

        For the new import `from torch import nn as layers`, other imports lose `layers`.

        Args:
            new_imports: The new imports, each of one name.
        """
        text = self.state.text
        for new_import in new_imports:
            # The last word is the bound name.
            bound_name = new_import.split()[-1]
            file = ModularText(self._edited.modular, text)
            for old_import in file.imports:
                if bound_name not in old_import.bound_names:
                    continue
                other_names = tuple(
                    alias for alias in old_import.names if alias.bound != bound_name
                )
                shorter_import = ""
                if other_names:
                    import_of_others = old_import._replace(names=other_names)
                    shorter_import = import_of_others.render().text.lstrip("\n")
                text = file.replace_statement(old_import.statement, shorter_import)
                break
        return text

    def _complete(self, text: str, part: EditedPart, form: str) -> Iterator[Proposal]:
        """Yield an edit together with the imports and definitions that it needs.

        If the edit uses an inherited class, the modular file must define the class:
        `class OlmoMLP(LlamaMLP): pass`. This can change the order of the generated
        file, so a second edit is yielded that keeps the order.

        Args:
            text: The modular file with the edit.
            part: The edited part that the edit is to generate.
            form: What the edit does, such as `override`.
        """
        text = self._with_imports(text, part)
        text = self._with_guards(text, part)
        missing_names = self.missing_names(text)
        file = ModularText(self._edited.modular, text)

        # The classes that the modular file lacks, in the order on disk.
        inherited_classes = []
        for name, statement in self._edited.definitions.items():
            is_lacking = name in missing_names or file.statement_named(name) is None
            if statement.kind is Kind.CLASS and is_lacking:
                inherited_classes.append(name)
        used_classes = [name for name in inherited_classes if name in missing_names]
        if not used_classes:
            yield self._propose_text(text, form)
            return

        with_used_classes = self.name_classes(used_classes, text)
        yield self._propose_text(with_used_classes, form)
        # Classes that the modular file defines are generated first. To keep the order,
        # the inherited classes above the last of them are defined, too.
        end = inherited_classes.index(used_classes[-1]) + 1
        with_all_above = self.name_classes(inherited_classes[:end], text)
        yield self._propose_text(with_all_above, form)

    def _propose_text(self, text: str, form: str) -> Proposal:
        return Proposal(text, self.state.parent_texts, form)

    def _with_guards(self, text: str, part: EditedPart) -> str:
        """Return an edited modular file with the guarded imports that the edit needs.

        A guard is a block such as `if is_torch_available(): import torch`.

        Args:
            text: The modular file with the edit.
            part: The edited part. Its file on disk imports or defines all names.
        """
        edited_file = self._edited_file(part)
        for statement in edited_file.other_statements:
            if statement.kind is not Kind.GUARD:
                continue
            if bound_names(statement) & self.missing_names(text):
                file = ModularText(self._edited.modular, text)
                before = file.first_below_imports()
                text = file.insert_definition(statement.code.text, before=before)
        return self._with_lines(text, self._imports_of_file(text, edited_file))

    def _with_imports(self, text: str, part: EditedPart) -> str:
        """Return an edited modular file that imports or defines what the edit uses.

        Code of a parent file and of libraries is imported. A function that somebody
        added to the file on disk is copied.

        Args:
            text: The modular file with the edit.
            part: The edited part. Its file on disk imports or defines all names.
        """
        lines = []
        text_before = ""
        generated_names: set[str] = set()
        for file in self.state.generated.values():
            generated_names.update(file.definitions)
        # An added function can use others, which are then added in the next round.
        while text != text_before:
            text_before = text
            missing_names = self.missing_names(text)
            for name, statement in self._edited.definitions.items():
                if name not in missing_names:
                    continue
                if name in generated_names:
                    lines += self._import_of_parent(name)
                elif statement.kind is not Kind.CLASS:
                    # Nothing generates the function: somebody added it with the edit.
                    modular = ModularText(self._edited.modular, text)
                    before = self._next_definition(name, modular)
                    before = before or modular.first_definition()
                    text = modular.insert_definition(statement.code.text, before=before)
        lines += self._imports_of_file(text, self._edited_file(part))
        return self._with_lines(text, lines)

    def _imports_of_file(self, text: str, edited_file: FlatFile) -> list[str]:
        """Return the imports that an edited modular file needs in addition, as lines.

        Args:
            text: The modular file with the edit.
            edited_file: The file on disk with the same edit, which has these imports.
        """
        missing_names = self.missing_names(text)
        lines = []
        for import_ in edited_file.module.imports:
            for alias in import_.names:
                if alias.bound in missing_names:
                    single = import_._replace(names=(alias,))
                    lines.append(single.render().text.strip() + "\n")
        if NO_INHERIT_DECORATOR in missing_names:
            lines.append(MARKER_IMPORT)
        return lines

    def missing_names(self, text: str) -> AbstractSet[str]:
        """Return the names that an edit of the modular file uses without defining them.

        A name that was undefined before counts only if it is used more often now.

        Args:
            text: The edited modular file.
        """
        path = self._edited.modular
        uses_now = Counter(find_undefined_names(path, text))
        uses_before = Counter(find_undefined_names(path, self.state.text))
        return (uses_now - uses_before).keys()

    def find_lost_name(self, text: str, part: EditedPart) -> str | None:
        """Return a name that is undefined in an edited modular file, but not on disk.

        The result is None if there is no such name.

        Args:
            text: The edited modular file.
            part: The edited part, which tells the file on disk.
        """
        path = self._edited.modular
        undefined_on_disk = find_undefined_names(path, self._edited_file(part).text)
        for name in self.missing_names(text):
            if name not in undefined_on_disk:
                return name
        return None

    def _import_of_parent(self, name: str) -> list[str]:
        """Return the import of a function or constant from the parent file it comes from.

        The result is empty for a class, and for a definition that was renamed.

        Args:
            name: The name of the definition in a generated file.
        """
        source = self._source_of(name)
        if source is None:
            return []
        if source.statement.kind is Kind.CLASS or source.statement.name != name:
            return []
        return [self._parents.import_from(source.path, name)]

    def _with_lines(self, text: str, lines: Sequence[str]) -> str:
        return ModularText(self._edited.modular, text).add_imports(lines)


def _is_short(class_text: str) -> bool:
    """Return whether a class may be written out without its parent."""
    return class_text.count("\n") <= _MAX_LINES_WITHOUT_PARENT


class _EmptyChild(NamedTuple):
    """A class that inherits everything: its name, its text, and its parent's import."""

    name: str
    text: str
    import_line: str


@dataclass(frozen=True)
class _Patch:
    """Lines of a source file and the generated lines that replace them.

    Attributes:
        path: The source file.
        start: The first replaced line, from 1.
        end: The line after the last replaced one.
        added: The new lines, with the names of the generated file.
        origin: The origin of one of the lines, which knows the renaming.
    """

    path: str
    start: int
    end: int
    added: tuple[str, ...]
    origin: BlamedLine


def _take_part(
    target: DefinitionView, source: DefinitionView, part_id: PartId
) -> Iterator[str]:
    """Yield texts of a target class that have a header, docstring or member of another.

    If the target has no such member, it is added at several places, one in each text.

    Args:
        target: The class of the modular file.
        source: The class that has the wanted part.
        part_id: The header, the docstring or a member.
    """
    if part_id.kind is PartKind.HEADER:
        header = source.decorators.text + source.header.text
        yield rewrite_class(target, header=header)
        return
    if part_id.kind is not PartKind.DOCSTRING:
        yield from take_member(target, source, part_id.member)
        return
    docstring = source.docstring
    text = "" if docstring is None else docstring.code.text
    if target.docstring is not None:
        yield rewrite_class(target, replaced={target.docstring: text})
    elif text:
        first_statement = next(iter(target.body.statements), None)
        yield rewrite_class(target, added=text, before=first_statement)


def _describe_form(variant: DerivedClass, part: EditedPart) -> str:
    """Return in a few words how a class of the modular file gets an edit, for the report.

    Args:
        variant: The class, which may write its edited method in full or with `super()`.
        part: The edited part of the generated class.
    """
    member = part.id.member
    if member in variant.merged:
        return "super() call"
    if member in variant.overridden and part.id.kind is PartKind.METHOD:
        return "override"
    if member and part.edited is None:
        return "removed"
    return part.id.kind.value


def _trace_hunk(
    hunk: Hunk, first_line: int, origins: Sequence[BlamedLine]
) -> _Patch | None:
    """Return the lines of a source file that an edit of generated lines should replace.

    Args:
        hunk: The edit. Line 1 in it is the first line of the edited part.
        first_line: The line of the generated file at which the part begins, from 1.
        origins: The origins of all lines of the generated file.

    Returns:
        The source lines with the new lines. None if the generated lines do not come from
        adjacent lines of one file, or if the converter wrote them anew, as it does imports.
    """
    # Line 1 of the hunk is the first line of the part. The index counts from 0.
    index = (first_line - 1) + (hunk.old_line - 1)
    removed_origins = origins[index : index + len(hunk.removed)]
    # If lines are only added, they go below the origin of the line above them.
    traced_origins = removed_origins or origins[index - 1 : index]
    first = traced_origins[0] if traced_origins else None
    if first is None or first.path is None or first.origin_line is None:
        return None
    for distance, origin in enumerate(traced_origins):
        is_adjacent = origin.origin_line == first.origin_line + distance
        if origin.path != first.path or not is_adjacent:
            return None
        is_rebuilt = origin.kind in (Provenance.MADE, Provenance.IMPORT)
        if is_rebuilt:
            return None
    source_start = first.origin_line if removed_origins else first.origin_line + 1
    return _Patch(
        path=first.path,
        start=source_start,
        end=source_start + len(removed_origins),
        added=hunk.added,
        origin=first,
    )
