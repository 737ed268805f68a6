"""Renames a class, function, method or attribute in all files of a project.

The definition and its references are edited, in generated files, too. Then the models
are converted: they must generate these texts (`modular.refactor.rename_proof`).
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from keyword import iskeyword
from typing import NamedTuple, NoReturn
from unicodedata import normalize

from modular.project import file_types
from modular.project.project import Project, model_name
from modular.refactor.errors import RenameError
from modular.refactor.member_references import MemberFinder, MemberRename
from modular.refactor.name_references import NameFinder
from modular.refactor.owned_objects import OwnedObjects
from modular.refactor.project_files import ProjectFiles
from modular.refactor.reference_finder import References
from modular.refactor.rename_plan import Choices, find_new_names, find_owners
from modular.refactor.rename_proof import (
    Difference,
    Proof,
    Prover,
    Undecided,
    different_lines,
    undecided_lines,
)
from modular.rules.classes.kept_methods import private_name
from modular.run.options import Options
from modular.semantics.classes import MemberKind, model_class, uses_by_statement
from modular.semantics.meanings import QualifiedName
from modular.source.blocks import Statement
from modular.source.diagnostics import Edit, Place, did_you_mean
from modular.source.edits import apply_edits, find_line_edits
from modular.source.module import Module, normalize_text
from modular.source.source_slice import has_word
from modular.source.unreadable import UnreadableError
from modular.source.walking import walk
from modular.system.machine import collect_garbage_rarely
from modular.system.printable import one_line


_FIELD_KINDS = (MemberKind.FIELD, MemberKind.DECLARATION)
_MAX_LISTED_CANDIDATES = 10
_MAX_LISTED_DIFFERENCES = 20
_NN_MODULE_METHODS = frozenset(
    """
    add_module apply bfloat16 buffers children compile cpu cuda double eval
    extra_repr float forward get_buffer get_extra_state get_parameter get_submodule
    half load_state_dict modules named_buffers named_children named_modules
    named_parameters parameters register_buffer register_module register_parameter
    requires_grad_ set_extra_state set_submodule share_memory state_dict to to_empty
    train type zero_grad _apply _load_from_state_dict _save_to_state_dict
    """.split()
)
"""Methods of `torch.nn.Module` (PyTorch 2), which calls them under these names."""


@dataclass(frozen=True)
class Symbol:
    """A class or function at module level, or a method or attribute of such a class."""

    path: str
    name: str
    member: str = ""

    def __str__(self) -> str:
        dotted = self.path.removesuffix(".py").replace("/", ".") + f".{self.name}"
        return f"{dotted}.{self.member}" if self.member else dotted


class _Occurrence(NamedTuple):
    """A place with a word, and whether it is code: no comment and no string."""

    place: Place
    is_code: bool


Override = Callable[[Project, str], str | None]
"""Returns the text of a modular file that generates the unsaved files of its model."""


@dataclass(frozen=True)
class Rename:
    """A rename that was proved, but is not written yet.

    Attributes:
        project: The project.
        edits: The edits of each file that people write, by path. None overlap.
        sources: The text of each edited file as it was read, byte for byte.
        definitions: The renamed definitions, or the classes whose member is renamed, in
            files that people write, or in generated files if they are inlined.
        unclear_places: Places that still have the old name: comments, strings, and
            attributes of objects whose class is not clear.
        generated: The new text of each generated file that changes, by path.
        reads: The files that each converted model reads, by its modular file.
        expected: Generated files as they are on disk, with nothing but the name changed.
        stale: Generated files that were not up to date, and change otherwise, too.
        failed: Modular files that had errors before.
        overriding: Modular files that override more code than before, since it would
            use another class under the new name.
    """

    project: Project
    edits: Mapping[str, tuple[Edit, ...]]
    sources: Mapping[str, str]
    definitions: tuple[QualifiedName, ...]
    unclear_places: tuple[Place, ...]
    generated: Mapping[str, str]
    reads: Mapping[str, tuple[str, ...]]
    expected: Mapping[str, str]
    stale: tuple[str, ...]
    failed: tuple[str, ...]
    overriding: tuple[str, ...] = ()

    def edited_texts(self) -> dict[str, str]:
        """Return the new text of each edited file, by path. Line ends stay as they are.

        Raises:
            modular.source.edits.EditError: A file would not be Python any more.
        """
        texts = {}
        for path, edits in self.edits.items():
            texts[path] = apply_edits(self.sources[path], edits)
        return texts


def rename_in(
    project: Project,
    symbol: str,
    new: str,
    options: Options = Options(),
    *,
    override: Override | None = None,
) -> Rename:
    """Return the edits that rename a symbol in a project that is open already.

    Nothing is written.

    Args:
        project: The project.
        symbol: The name of a class, function, method or attribute.
        new: The new name.
        options: Says where progress is reported.
        override: Adds overrides to a modular file whose model would otherwise change.
            Without it, such a rename is refused.

    Raises:
        modular.refactor.errors.RenameError: The rename is refused.
        modular.ModularError: The models cannot be converted, as in `modular.check`.
    """
    _refuse_bad_name(new)
    collect_garbage_rarely()
    files = ProjectFiles(project)
    try:
        target = _find_symbol(files, symbol)
        if new == (target.member or target.name):
            raise RenameError(f"`{symbol}` has this name already; give another one")
        target = _overridden_symbol(files, target)
        _refuse_symbol(files, target)
        return _Renaming(files, target, new, options, override).find()
    except UnreadableError as error:
        raise RenameError(
            f"`{one_line(error.code.path)}` cannot be read near line "
            f"{error.code.line}; correct its syntax first"
        ) from None


def refuse_symbol(project: Project, symbol: str) -> None:
    """Raise RenameError if a symbol cannot be renamed, whatever its new name is.

    No model is converted for this.

    Args:
        project: The project.
        symbol: The name of a class, function, method or attribute.
    """
    files = ProjectFiles(project)
    target = _overridden_symbol(files, _find_symbol(files, symbol))
    _refuse_symbol(files, target)


def _refuse_bad_name(new: str) -> None:
    """Raise RenameError for a name that Python forbids, or changes in classes."""
    # Python normalizes names, so it would read a different name from the given one.
    is_normalized = normalize("NFKC", new) == new
    if not new.isidentifier() or iskeyword(new) or not is_normalized:
        raise RenameError(
            f"`{one_line(new)}` is not a name in Python; use letters, digits and `_`, "
            "and no keyword"
        )
    if new.startswith("__"):
        raise RenameError(
            f"`{new}` begins with two underscores, so Python would change it inside "
            "classes; begin it with one underscore"
        )


def _find_symbol(files: ProjectFiles, dotted: str) -> Symbol:
    """Return the one definition or member that a dotted name means.

    `LlamaMLP`, `modeling_llama.LlamaMLP` and `LlamaMLP.act_fn` are dotted names.

    Raises:
        RenameError: There is none, or several.
    """
    *_, name = words = dotted.split(".")
    symbols: list[Symbol] = []
    for path in files.mentioning(name):
        is_model = files.project.is_in_models_folder(path)
        if not is_model or path in files.generated:
            continue
        for symbol in _symbols(files, path, words):
            if _is_named(files, symbol, dotted):
                symbols.append(symbol)

    if not symbols:
        raise RenameError(
            f"no hand-written file of a model defines `{one_line(dotted)}`; "
            f"{_hint_for_unknown(files, dotted)}"
        )
    if len(symbols) > 1:
        listed = "\n".join(f"  {symbol}" for symbol in symbols[:_MAX_LISTED_CANDIDATES])
        if len(symbols) > _MAX_LISTED_CANDIDATES:
            listed += f"\n  and {len(symbols) - _MAX_LISTED_CANDIDATES} more"
        raise RenameError(f"`{dotted}` is ambiguous; use one of these names:\n{listed}")
    return symbols[0]


def _symbols(files: ProjectFiles, path: str, words: list[str]) -> Iterator[Symbol]:
    """Yield the definitions and members of a file that a dotted name may mean.

    Args:
        files: The files of the project.
        path: The file.
        words: The parts of the dotted name, `["LlamaMLP"]` or `["LlamaMLP", "act_fn"]`.
            There may be parts of a path before these.
    """
    name = words[-1]
    if files.definition(path, name) is not None:
        yield Symbol(path, name)
    if len(words) > 1:
        owner = QualifiedName(path, words[-2])
        if _member_kind(files, owner, name) is not None:
            yield Symbol(path, owner.name, member=name)


def _is_named(files: ProjectFiles, symbol: Symbol, dotted: str) -> bool:
    """Tell whether a symbol's full name ends with a dotted name.

    `modeling_llama.LlamaMLP` is the end of `models.llama.modeling_llama.LlamaMLP`. The
    full name may use any file from which the symbol can be imported.
    """
    for path in files.importable(symbol.path):
        full_name = str(replace(symbol, path=path))
        # With the leading dots, `MLP` does not match the end of `LlamaMLP`.
        if f".{full_name}".endswith(f".{dotted}"):
            return True
    return False


def _hint_for_unknown(files: ProjectFiles, dotted: str) -> str:
    """Return a hint for the user who renames a name that no hand-written file defines.

    If a generated file has the name, the hint is to rename it in the parent file.
    """
    name = dotted.split(".")[-1]
    for path in files.mentioning(name):
        if path in files.generated and files.definition(path, name) is not None:
            modular = one_line(files.generated[path])
            return (
                f"`{modular}` inlines it into `{one_line(path)}`: rename it in the "
                "parent file"
            )
    names: set[str] = set()
    for path in files.paths:
        module = None
        if files.project.is_in_models_folder(path) and path not in files.generated:
            module = files.module(path)
        for statement in module.block.statements if module else ():
            if statement.is_definition:
                names.add(statement.name)
    return did_you_mean(dotted, names) or (
        "name a class or function that a model file or modular file defines, or "
        "`Class.member`"
    )


def _member_kind(
    files: ProjectFiles, owner: QualifiedName, member: str
) -> MemberKind | None:
    """Return the kind of a member that a class defines itself; None if it has none.

    What a method assigns to `self` is an attribute.
    """
    statement = files.class_statement(owner)
    # Only a class that has the word is parsed, since parsing takes long.
    if statement is None or not has_word(statement.code.mask, member):
        return None
    model = model_class(statement)
    if member in model.members:
        return model.members[member].kind
    return MemberKind.ATTRIBUTE if member in model.attributes else None


def _overridden_symbol(files: ProjectFiles, target: Symbol) -> Symbol:
    """Return the member of a model that a member overrides, or the member itself.

    Both must have one name, so the overridden one is renamed with all that override it.
    """
    class_ = QualifiedName(target.path, target.name)
    if not target.member:
        return target

    def bases(class_: QualifiedName) -> list[QualifiedName]:
        """Return the bases of a class and, if it is generated, of its modular class."""
        modular = files.generated.get(class_.path)
        if modular is None:
            return files.bases(class_)
        return files.bases(class_) + files.bases(QualifiedName(modular, class_.name))

    overridden = target
    # The farthest ancestor comes last.
    for path, name in walk(bases(class_), bases):
        base = QualifiedName(files.generated.get(path, path), name)
        is_model = files.project.is_in_models_folder(base.path)
        if is_model and _member_kind(files, base, target.member) is not None:
            overridden = Symbol(base.path, name, target.member)
    return overridden


# What is refused because conversions cannot show that it is wrong.


def _refuse_symbol(files: ProjectFiles, target: Symbol) -> None:
    """Refuse a symbol that cannot get any other name."""
    files.refuse_syntax_error(target.path)
    old = target.member
    if not old:
        _refuse_spelling_of_model(files, target.name)
        return
    if old.startswith("__"):
        raise RenameError(
            f"`{old}` begins with two underscores and has a special meaning in Python, "
            "so it cannot be renamed"
        )
    class_ = QualifiedName(target.path, target.name)
    ancestors = OwnedObjects(files, frozenset()).ancestors(frozenset({class_}))
    for ancestor in sorted(ancestors):
        if _member_kind(files, ancestor, old) is not None:
            raise RenameError(
                f"`{target.name}.{old}` overrides `{ancestor.name}.{old}` of "
                f"{_where(files, ancestor)}, which this command cannot rename; keep the "
                "name, or rename both by hand"
            )
    _refuse_torch_method(files, old, {class_, *ancestors})


def _where(files: ProjectFiles, definition: QualifiedName) -> str:
    """Return the place of a definition, `models/llama/modeling_llama.py:12`."""
    statement = files.definition(*definition)
    line = "" if statement is None else f":{statement.line}"
    return f"`{one_line(definition.path)}{line}`"


def _refuse_spelling_of_model(files: ProjectFiles, name: str) -> None:
    """Refuse to rename the configuration class whose name tells how a model is spelt.

    The names of all classes of the model `llama` begin with `Llama`, because the
    configuration class of this model is called `LlamaConfig`.
    """
    names = files.project.names
    spelling = name.removesuffix("Config").lower()
    is_model = spelling in {
        model.replace("_", "") for model in files.project.model_names
    }
    for model_type, config_name in names.table.items():
        if config_name == name and is_model:
            hint = "rename it by hand"
            if files.project.name_files:
                hint += ", also in the table of model types"
            raise RenameError(
                f"`{name}` tells modular to write the model type `{model_type}` as "
                f"`{names.cased(model_type)}` in class names; {hint}"
            )


def _refuse_other_file_type(
    files: ProjectFiles, definition: QualifiedName, new: str
) -> None:
    """Refuse a new name by which a class would be written to another file.

    A class `MyModelConfig` is written to `configuration_my_model.py`.
    """
    is_class = files.class_statement(definition) is not None
    if definition.path not in files.modular_files or not is_class:
        return
    project = files.project
    cased = project.names.cased(model_name(definition.path))
    old_type = file_types.of_class(definition.name, cased, project.settings)
    new_type = file_types.of_class(new, cased, project.settings)
    if old_type != new_type:
        raise RenameError(
            f"the class of {_where(files, definition)} is written to the {old_type} "
            f"file because of its name, and `{new}` would be written to the {new_type} "
            "file; choose a name with the same ending"
        )


def _refuse_torch_method(
    files: ProjectFiles, old: str, classes: Iterable[QualifiedName]
) -> None:
    """Refuse to rename a method that `torch.nn.Module` calls, such as `forward`.

    Args:
        files: The files of the project.
        old: The method.
        classes: The classes that have the method, and their bases. One that inherits
            from a class outside the project may inherit from `torch.nn.Module`.
    """
    if old not in _NN_MODULE_METHODS:
        return
    for class_ in classes:
        bases = list(files.bases(class_))
        is_known = any(files.class_statement(base) is not None for base in bases)
        if bases and not is_known and bases[0].name != "object":
            raise RenameError(
                f"`torch.nn.Module` calls `{old}` of `{class_.name}` "
                f"({_where(files, class_)}) under this name; add a method with the new "
                f"name and call it from `{old}`"
            )


def _find_member_conflicts(
    files: ProjectFiles, member: MemberRename, target: Symbol
) -> list[Difference]:
    """Return the classes of other models in which a new name would find another member.

    Raises:
        RenameError: A class that cannot keep the old name would do so.
    """
    conflicts = []
    owners = member.objects.owners
    for class_ in sorted(owners | member.ancestors, key=lambda key: _order(files, key)):
        statement = files.class_statement(class_)
        problem = _problem_of_new_member(files, member, class_)
        if statement is None or not problem:
            continue
        modular = files.generated.get(class_.path, class_.path)
        if modular not in files.modular_files or class_.path == target.path:
            raise RenameError(
                f"`{class_.name}` of {_where(files, class_)} {problem}; choose another "
                "name, or rename there by hand first"
            )
        line = statement.code.text.split("\n")[0]
        place = Place(class_.path, statement.line, 1, 1, line)
        conflicts.append(Difference(modular, place, f"`{class_.name}` {problem}"))
    return conflicts


def _problem_of_new_member(
    files: ProjectFiles, member: MemberRename, class_: QualifiedName
) -> str:
    """Return why a member of a class cannot get a new name; empty if it can."""
    statement = files.class_statement(class_)
    if statement is None:
        return ""
    if has_word(statement.bare_code.mask, member.new):
        if not member.is_on_instances or _uses_member(statement, member.new):
            return f"uses `{member.new}` already"
    if class_ in member.objects.owners:
        for base in member.objects.ancestors(frozenset({class_})):
            is_owner = base in member.objects.owners
            if not is_owner and _member_kind(files, base, member.old) is not None:
                return (
                    f"also inherits `{member.old}` from `{base.name}` of "
                    f"{_where(files, base)}"
                )
    return ""


def _uses_member(class_: Statement, name: str) -> bool:
    """Tell whether a class has a member, or reads one of its instances."""
    model = model_class(class_)
    if name in model.members:
        return True
    for function in model.functions:
        for uses in uses_by_statement(function):
            if name in uses.read | uses.set | uses.deleted | uses.changed:
                return True
    return False


def _order(
    files: ProjectFiles, definition: QualifiedName
) -> tuple[bool, QualifiedName]:
    """Return a sort key that puts generated files last, since nobody can edit them."""
    return definition.path in files.generated, definition


# Edits and their proof.


@dataclass
class _Edits:
    """The edits of all files for some choices.

    Attributes:
        references: The references of each file, by path.
        texts: The edited texts, by path.
        definitions: The renamed definitions.
        conflicts: Places in generated files at which a new name is in use.
        undecided: Lines of generated files in which a member may be renamed or not.
    """

    references: dict[str, References]
    texts: dict[str, str]
    definitions: tuple[QualifiedName, ...]
    conflicts: list[Difference]
    undecided: Undecided | None = None


class _Renaming:
    """Renames a symbol, and tries another answer where a model changes otherwise."""

    def __init__(
        self,
        files: ProjectFiles,
        target: Symbol,
        new: str,
        options: Options,
        override: Override | None,
    ) -> None:
        self._files = files
        self._target = target
        self._new = new
        self._options = options
        self._prover = Prover(files)
        self._prover_before = Prover(files)
        self._edited: dict[tuple[Edit, ...], str] = {}
        self._found: dict[object, References] = {}
        self._regenerated_models: set[str] = set()
        self._stale: set[str] = set()
        self._failed: set[str] = set()
        self._conflicts: list[Difference] = []
        self._override = override
        self._overriding: dict[str, str] = {}

    def find(self) -> Rename:
        """Return the rename.

        Raises:
            RenameError: The rename is refused.
        """
        self._generate_missing_files()
        choices = Choices(self._files)
        while True:
            self._report_progress("finding references")
            edits = self._edit_all(choices)
            edits.texts.update(self._overriding)
            self._report_progress("converting")
            models = self._affected_models(choices, edits.texts)
            expected = {**self._files.regenerated, **edits.texts}
            proof = self._prover.prove(expected, models - self._failed, edits.undecided)
            differences = [*edits.conflicts, *proof.differences]
            if not differences:
                return self._make_rename(edits, proof)
            roots = self._roots(differences)
            if self._regenerate(roots):
                choices = Choices(self._files, flipped=choices.flipped)
                continue
            self._conflicts += edits.conflicts
            flipped = _find_other_choices(choices, differences, roots)
            if not flipped and self._add_overrides(roots, expected):
                choices = Choices(self._files, flipped=choices.flipped)
                continue
            if not flipped:
                self._refuse(differences, roots)
            choices = choices.retry(choices.flipped | flipped)

    def _refuse(
        self, differences: Iterable[Difference], models: Collection[str]
    ) -> NoReturn:
        """Raise RenameError with the places of models whose children differ, too."""
        # Conflicts say more than what the last answer changes.
        for candidates in (self._conflicts, differences):
            listed = [place for place in candidates if place.modular in models]
            if listed:
                _refuse_differences(self._prover.locate(listed))
        _refuse_differences(self._prover.locate(differences))

    def _report_progress(self, phase: str) -> None:
        if self._options.progress is not None:
            self._options.progress(phase, 0, 0)

    def _edit_all(self, choices: Choices) -> _Edits:
        """Return the edits of all files for some choices."""
        target = QualifiedName(self._target.path, self._target.name)
        if self._target.member:
            owners = find_owners(choices, target)
            return self._edit_member(owners, choices.models)
        new_names = find_new_names(choices, target, self._new)
        return self._edit_names(new_names)

    def _edit_names(self, new_names: Mapping[QualifiedName, str]) -> _Edits:
        """Return the edits that rename classes and functions.

        Raises:
            RenameError: A new name is not allowed, or would mean something else.
        """
        files = self._files
        for definition, new in new_names.items():
            _refuse_bad_name(new)
            _refuse_spelling_of_model(files, definition.name)
            _refuse_other_file_type(files, definition, new)
        new_names_by_path: dict[str, dict[QualifiedName, str]] = {}
        for definition, new in new_names.items():
            for path in files.mentioning(definition.name):
                new_names_by_path.setdefault(path, {})[definition] = new
        unique_names = _unique_names(files, new_names)
        references = {}
        for path, names in sorted(new_names_by_path.items()):
            references[path] = self._find_names(path, names, unique_names)
        for new in set(new_names.values()):
            _refuse_hidden_by_star(files, new_names, new)
        private_names = {}
        for (_, name), new in new_names.items():
            private_names[private_name(name, "")] = private_name(new, "")
        return self._collect(references, new_names, private_names)

    def _find_names(
        self,
        path: str,
        new_names: Mapping[QualifiedName, str],
        unique_names: Mapping[str, str],
    ) -> References:
        """Return the references of a file to definitions whose names it mentions.

        Most files have the same references after another choice.
        """
        unique_here = {}
        for _, name in new_names:
            if name in unique_names:
                unique_here[name] = unique_names[name]
        key = (path, tuple(new_names.items()), tuple(unique_here.items()))
        if key not in self._found:
            files = self._files
            if path not in files.generated:
                files.refuse_syntax_error(path)
            found = NameFinder(files, path, new_names, unique_here).find()
            old_names = {name for _, name in new_names}
            found.unclear += _unchanged_places(
                files, path, old_names, found.edits, includes_code=True
            )
            self._found[key] = found
        return self._found[key]

    def _edit_member(
        self, owners: frozenset[QualifiedName], models: Collection[str]
    ) -> _Edits:
        """Return the edits that rename the member of some classes.

        In a file that does not mention these classes, an attribute of this name is not
        renamed, but counted as unclear.

        Args:
            owners: The classes that have the member under its old name.
            models: The modular files of models with counterparts of these classes.

        Raises:
            RenameError: The member cannot be renamed safely.
        """
        files = self._files
        old = self._target.member
        member = self._describe_member(owners)
        conflicts = _find_member_conflicts(files, member, self._target)
        _refuse_torch_method(files, old, owners | member.ancestors)
        # In other files, a member of the same name is that of another class.
        related: set[str] = set()
        for name in {name for _, name in owners}:
            related.update(files.mentioning(name))
        # In these, a class that replaces an owner has a member of its own.
        for modular in models:
            related.update(files.outputs[modular])
        references = {}
        unclear = []
        for path in files.mentioning(old):
            if path not in related:
                found = References(unclear=list(_attributes(files, path, old)))
                references[path] = found
                unclear += found.unclear
                continue
            found = self._find_member(path, member)
            references[path] = found
            if path in files.generated:
                unclear += found.unclear
        private_names = {}
        for _, name in owners:
            new_name = private_name(name, self._new)
            private_names[private_name(name, old)] = new_name
        lines = undecided_lines(unclear, old, self._new)
        edits = self._collect(references, owners, private_names)
        edits.conflicts += conflicts
        edits.undecided = Undecided(old, self._new, lines)
        return edits

    def _find_member(self, path: str, member: MemberRename) -> References:
        """Return the references of a file to a member.

        Most files have the same references after another choice: those that do not
        mention a class for which the choice is another, and whose base classes are in
        files that do not mention it either.
        """
        files = self._files
        classes = member.objects.owners | member.ancestors
        mentioned = files.mentioned_in_or_inherited(path, {name for _, name in classes})
        known_classes = {class_ for class_ in classes if class_.name in mentioned}
        key = (
            path,
            frozenset(known_classes),
            frozenset(known_classes & member.objects.owners),
            member.is_keyword,
            member.is_on_instances,
        )
        if key not in self._found:
            if path not in files.generated:
                files.refuse_syntax_error(path)
            found = MemberFinder(files, path, member).find()
            found.unclear += _unchanged_places(
                files, path, {member.old}, found.edits, includes_code=False
            )
            self._found[key] = found
        return self._found[key]

    def _describe_member(self, owners: frozenset[QualifiedName]) -> MemberRename:
        """Return what a search for references must know about the renamed member."""
        objects = OwnedObjects(self._files, owners)
        old = self._target.member
        # `LlamaConfig(old=1)`: the constructor of a configuration or dataclass takes it.
        kinds = {_member_kind(self._files, owner, old) for owner in owners}
        is_field = not kinds.isdisjoint(_FIELD_KINDS)
        is_keyword = is_field or self._target.name.endswith("Config")
        return MemberRename(
            old=old,
            new=self._new,
            objects=objects,
            ancestors=objects.bases_of_owners,
            is_keyword=is_keyword,
            is_on_instances=not is_keyword and self._is_only_on_instances(owners),
        )

    def _is_only_on_instances(self, owners: Iterable[QualifiedName]) -> bool:
        """Tell whether no class body binds the member: methods set it on `self`."""
        for owner in owners:
            statement = self._files.class_statement(owner)
            if statement is not None:
                if self._target.member in model_class(statement).members:
                    return False
        return True

    def _collect(
        self,
        references: dict[str, References],
        definitions: Iterable[QualifiedName],
        private_names: Mapping[str, str],
    ) -> _Edits:
        """Apply the edits of all files.

        Args:
            references: The references of each file.
            definitions: The renamed definitions, or the classes whose member is renamed.
            private_names: The new beginning of each private name of a kept method, such
                as `_llama_mlp_forward`, which only generated files have.
        """
        files = self._files
        texts = {}
        conflicts = []
        for path, found in references.items():
            modular = files.generated.get(path)
            is_counterpart = path in files.modular_files and path != self._target.path
            if is_counterpart:
                # A class that would follow the parent's can keep its name.
                modular = path
            elif modular is None:
                _refuse_conflicts(path, found)
            if found.merged_names:
                _refuse_conflicts(path, found)
            for place in found.conflicts:
                if modular is not None:
                    conflicts.append(Difference(modular, place, _IN_USE))
            source = files.loaded(path).source
            is_generated = path in files.generated
            # What is generated must equal this text, so its syntax need not be checked.
            text = self._apply(source, found.edits, checks_syntax=not is_generated)
            if is_generated and files.project.settings.is_like_python:
                for old, new in private_names.items():
                    text = re.sub(rf"\b{re.escape(old)}", new, text)
            if text != source:
                texts[path] = text
        handwritten = {
            QualifiedName(files.generated.get(path, path), name)
            for path, name in definitions
        }
        return _Edits(references, texts, tuple(sorted(handwritten)), conflicts)

    def _apply(self, source: str, edits: Iterable[Edit], *, checks_syntax: bool) -> str:
        """Apply edits to a text, unless an earlier choice has done so."""
        key = tuple(edits)
        if not key:
            return source
        if key not in self._edited:
            self._edited[key] = apply_edits(source, key, checks_syntax=checks_syntax)
        return self._edited[key]

    def _affected_models(self, choices: Choices, texts: Iterable[str]) -> set[str]:
        """Return the models whose generated files the edits of some files may change."""
        files = self._files
        models = set(choices.models)
        for path in texts:
            modular = files.generated.get(path, path)
            if modular in files.modular_files:
                models.add(modular)
        return models

    def _roots(self, differences: Collection[Difference]) -> set[str]:
        """Return the models with differences whose parents have none."""
        files = self._files
        models = {difference.modular for difference in differences}
        roots = set()
        for modular in models:
            if models.isdisjoint(files.parent_models(modular)):
                roots.add(modular)
        return roots or models

    def _generate_missing_files(self) -> None:
        """Generate the files that are not on disk."""
        missing = set()
        for path, modular in self._files.generated.items():
            if not self._files.project.has_file(path):
                missing.add(modular)
        if missing:
            self._regenerate(missing)

    def _regenerate(self, models: Collection[str]) -> bool:
        """Read what models generate without the rename, if it is not on disk.

        Returns:
            Whether any of these files is not up to date, or any model has errors.
        """
        models = set(models) - self._regenerated_models
        self._regenerated_models |= models
        before = self._prover_before.generate(self._files.regenerated, models)
        texts = dict(self._files.regenerated)
        failed = {difference.modular for difference in before.differences}
        changed_models = set()
        for path, text in before.texts.items():
            old = self._files.text(path)
            if old and any(different_lines(old, text, path)):
                self._stale.add(path)
            if not old or path in self._stale:
                texts[path] = normalize_text(text)
                changed_models.add(self._files.generated[path])
        # Nothing may be written for a model with an error, and lint rules take long.
        inspecting = Prover(self._files, inspects=True)
        inspected = inspecting.generate(texts, changed_models - failed)
        failed.update(difference.modular for difference in inspected.differences)
        is_new = texts != self._files.regenerated or not failed <= self._failed
        self._failed |= failed
        if is_new:
            self._files = ProjectFiles(self._files.project, texts)
            self._found.clear()
        return is_new

    def _add_overrides(
        self, models: AbstractSet[str], expected: Mapping[str, str]
    ) -> bool:
        """Override the code of models that would otherwise change.

        Args:
            models: The modular files of the models.
            expected: The texts that they should generate, and all other edited texts.

        Returns:
            Whether any modular file overrides more than before. Its children may need
            nothing then.
        """
        project = self._files.project
        edited = replace(project, unsaved={**project.unsaved, **expected})
        count_before = len(self._overriding)
        for modular in sorted(models - self._overriding.keys()):
            text = None
            if self._override is not None:
                text = self._override(edited, modular)
            if text is not None:
                self._overriding[modular] = text
        return len(self._overriding) > count_before

    def _make_rename(self, edits: _Edits, proof: Proof) -> Rename:
        """Return the rename: edits of hand-written files, and new texts of generated ones."""
        files = self._files
        handwritten: dict[str, tuple[Edit, ...]] = {}
        unclear: list[Place] = []
        for path, found in edits.references.items():
            if path in files.generated:
                continue
            if found.edits:
                handwritten[path] = tuple(found.edits)
            unclear += found.unclear
        for path, text in self._overriding.items():
            old_text = files.text(path)
            handwritten[path] = tuple(find_line_edits(path, old_text, text))
        generated = {}
        for path, text in proof.texts.items():
            on_disk = files.project.load(path, {})
            if on_disk.problem is not None or on_disk.text != normalize_text(text):
                generated[path] = text
        expected = {}
        # A stale file was read as it should be, not as it is on disk.
        for path in edits.texts.keys() & generated.keys() - self._stale:
            expected[path] = edits.texts[path]
        return Rename(
            project=files.project,
            edits=handwritten,
            sources={path: files.loaded(path).source for path in handwritten},
            definitions=edits.definitions,
            unclear_places=tuple(dict.fromkeys(unclear)),
            generated=generated,
            reads=proof.reads,
            expected=expected,
            stale=tuple(sorted(self._stale & generated.keys())),
            failed=tuple(sorted(self._failed)),
            overriding=tuple(sorted(self._overriding)),
        )


def _find_other_choices(
    choices: Choices, differences: Iterable[Difference], models: Collection[str]
) -> set[QualifiedName]:
    """Return the counterparts of some models for which the other answer is untried.

    If the different lines of a model name some of its counterparts, these come first.
    """
    untried = {key for key in choices.seen - choices.flipped if key.path in models}
    named = set()
    for difference in differences:
        text = difference.place.text
        for key in untried:
            new_name = choices.new_names.get(key, key.name)
            has_name = has_word(text, key.name) or has_word(text, new_name)
            if key.path == difference.modular and has_name:
                named.add(key)
    named_models = {key.path for key in named}
    return named | {key for key in untried if key.path not in named_models}


_IN_USE = "the new name is used here for something else"


def _unique_names(
    files: ProjectFiles, new_names: Mapping[QualifiedName, str]
) -> dict[str, str]:
    """Return the new names of those old names that no other definition has."""
    unique: dict[str, str] = {}
    others = set()
    for definition, new in new_names.items():
        name = definition.name
        if unique.setdefault(name, new) != new:
            others.add(name)
        for path in files.mentioning(name):
            other = QualifiedName(path, name)
            if other not in new_names and files.definition(*other) is not None:
                others.add(name)
    return {name: new for name, new in unique.items() if name not in others}


def _refuse_hidden_by_star(
    files: ProjectFiles, new_names: Mapping[QualifiedName, str], new: str
) -> None:
    """Refuse a new name that `import *` would bring into a file with another use of it."""
    old_names = [name for (_, name), new_name in new_names.items() if new_name == new]
    for path in files.mentioning(new):
        if path in files.generated or "import *" not in files.text(path):
            continue
        for old in old_names:
            if not new_names.keys().isdisjoint(files.imported_as(path, old)):
                raise RenameError(
                    f"`{one_line(path)}` uses `{new}` for something else, and imports it "
                    "with `import *` from now on; choose another name"
                )


def _refuse_conflicts(path: str, references: References) -> None:
    """Raise RenameError if a new name would have two meanings in a file."""
    if references.merged_names:
        # `LlamaMLP` and `GemmaMLP` would both become `MLP`.
        name = references.merged_names[0]
        raise RenameError(
            f"two names of `{one_line(path)}` would become `{name}`; keep the model's "
            "name in it"
        )
    if references.conflicts:
        # The file has another `LlamaGate` already.
        line = references.conflicts[0].line
        raise RenameError(
            f"the new name is used at {one_line(path)}:{line} for something else; "
            "choose another name"
        )


def _refuse_differences(differences: Iterable[Difference]) -> NoReturn:
    """Raise RenameError with the places at which models would change otherwise."""
    lines = []
    modulars = set()
    is_in_use = False
    for modular, place, reason, origin in dict.fromkeys(differences):
        modulars.add(modular)
        is_in_use |= reason == _IN_USE
        text = one_line(reason or place.text.strip())
        if origin is None or origin == place:
            lines.append(f"  {one_line(place.path)}:{place.line}: {text}")
        else:
            generated = f"in {one_line(place.path)}:{place.line}"
            lines.append(
                f"  {one_line(origin.path)}:{origin.line}: {text} ({generated})"
            )
    if len(lines) > _MAX_LISTED_DIFFERENCES:
        count = len(lines) - _MAX_LISTED_DIFFERENCES
        lines[_MAX_LISTED_DIFFERENCES:] = [f"  and {count} more"]
    listed = ", ".join(f"`{one_line(modular)}`" for modular in sorted(modulars))
    # Parents' code brings the old name back, whatever the new one is.
    hint = f"keep the name, or first define this code, without a parent, in {listed}"
    if is_in_use:
        hint = "choose another name"
    text = "\n".join(["these lines would change by more than the name:", *lines, hint])
    raise RenameError(text)


def _unchanged_places(
    files: ProjectFiles,
    path: str,
    words: Iterable[str],
    edits: Iterable[Edit],
    *,
    includes_code: bool,
) -> Iterator[Place]:
    """Yield the places of a file that keep an old name, for the user to look at.

    Args:
        files: The files of the project.
        path: The file.
        words: The old names.
        edits: The edits of the file, at whose places the name changes.
        includes_code: Whether places in code are listed, and not only those in comments
            and strings: other variables that have the name of a renamed class.
    """
    module = files.module(path)
    if module is None or path in files.generated:
        return
    edited_positions = {(edit.line, edit.column) for edit in edits}
    for occurrence in _occurrences(module, words):
        place = occurrence.place
        is_edited = (place.line, place.column) in edited_positions
        if not is_edited and (includes_code or not occurrence.is_code):
            yield place


def _attributes(files: ProjectFiles, path: str, name: str) -> Iterator[Place]:
    """Yield the places of a file with an attribute of an object other than `self`."""
    module = files.module(path)
    for occurrence in _occurrences(module, {name}) if module else ():
        place = occurrence.place
        before = place.text[: place.column - 1]
        is_attribute = before.endswith(".") and not before.endswith(_OWN_OBJECTS)
        if occurrence.is_code and is_attribute:
            yield place


_OWN_OBJECTS = ("self.", "cls.", "super().")


def _occurrences(module: Module, words: Iterable[str]) -> Iterator[_Occurrence]:
    """Yield the occurrences of some words in the text of a file."""
    alternatives = "|".join(map(re.escape, sorted(words)))
    pattern = re.compile(rf"\b(?:{alternatives})\b")
    line_offset = 0
    for line_number, line in enumerate(module.lines, start=1):
        for match in pattern.finditer(line):
            word = match[0]
            column = match.start() + 1
            place = Place(module.path, line_number, column, len(word), line)
            # The mask has the same offsets, but comments and strings are overwritten.
            is_code = module.code.mask.startswith(word, line_offset + match.start())
            yield _Occurrence(place, is_code)
        line_offset += len(line) + len("\n")
