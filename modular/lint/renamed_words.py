"""Lint rules for names that change their meaning when a parent file is renamed."""

import re
from collections.abc import Iterator, Set
from typing import NamedTuple

from modular.flatten.merged_class import MergedClass
from modular.lint.context import LintContext
from modular.lint.missing_names import has_failing_import
from modular.lint.rule import LintRule, Precision
from modular.rules.reading.renamed_file import RenamedFile, find_in_fstring
from modular.semantics.classes import ClassModel, attributes_set_by, model_class
from modular.semantics.facts import ATTRIBUTE_FUNCTIONS
from modular.semantics.functions import model_function
from modular.semantics.meanings import Definition, ForeignName, ImportedModule, Meaning
from modular.semantics.model_names import is_computed, names_of_file
from modular.semantics.statements import facts_of
from modular.source import scan
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import DefinitionView
from modular.source.diagnostics import Place, Problem, Severity
from modular.source.import_statements import find_imports
from modular.source.places import place_at, place_of, place_of_word
from modular.source.source_slice import SourceSlice, find_word, join_slices, words


_MAX_REPORTED_WORDS = 5

_WORD_END = re.compile(r"\w*")
_EQUALS_SIGN = re.compile(r" *=(?!=)")


class RenamedName(LintRule):
    """The modular file uses a name that modular renames in the parent's code.

    Your code uses a name that the generated file does not define. When modular copies
    code from a parent file, it replaces the name of the parent's model, also in
    attributes, parameters and strings. It does not change the code that you write in
    the modular file. In the example, the parent's code sets `self.llama_size`, so the
    generated class sets `self.olmo_size`. But your method still reads
    `self.llama_size`, which does not exist.

    Write the name that the generated code uses. If the parent's code already uses this
    name for something else, override the parent's code that uses one of the two names.

    Given `models/llama/modeling_llama.py`:

    ```python
    class LlamaMLP:
        def __init__(self):
            self.llama_size = 3
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        def size(self):
            return self.llama_size
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:6:21: `llama_size` of the parent file is `olmo_size` in the generated files
    hint: write `olmo_size`
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        def size(self):
            return self.olmo_size
    ```
    """

    code = Problem.RENAMED_NAME
    message = "`{old}` of the parent file is `{new}` in the generated files"
    hint = "write `{new}`"

    def check(self) -> None:
        """Check the names that the modular file and each parent file have in common."""
        for path, file in self.layout.parents.items():
            self._check_old_names(path, file)
            self._check_new_names(path, file)
            self._check_fstrings(path, file)
            self._check_computed_names(path, file)
            self._check_ineffective_members(path, file)

    def _check_old_names(self, path: str, file: RenamedFile) -> None:
        """Report names and strings of the modular file that only the parent's code renames.

        The modular file reads `self.llama_size`, which the parent class sets. In the
        generated class, the parent's code sets `self.olmo_size`.
        """
        new_names = self._find_old_names(path, file)
        # Most modular files mention the parent's model only in imports and in names of
        # classes, and are not parsed.
        if not new_names:
            return
        code = self.modular.module.code
        child_names = names_of_file(self.modular.module)
        parent_names = names_of_file(file.source.module)
        # A name that the modular file defines itself means this definition.
        for old in sorted(new_names.keys() - child_names.defined):
            new = new_names[old]
            place = None
            # A member, attribute or parameter of the parent file.
            if old in child_names.mentioned and old in parent_names.inner:
                place = _find_use(code, old) or _find_string(code, old)
            elif old in child_names.strings and old in parent_names.strings:
                if self._is_generated_string(path, new):
                    place = _find_string(code, old)
            if place is not None:
                self.report(place, old=old, new=new)

    def _find_old_names(self, path: str, file: RenamedFile) -> dict[str, str]:
        """Return the words of the modular file that are renamed in the parent's code.

        Returns:
            The new name of each, such as `olmo_size` for `llama_size`. The words are
            attributes, keywords or whole strings.
        """
        code = self.modular.module.code
        new_names: dict[str, str] = {}
        shared_words = file.source.words_with_model & self.context.words_of_modular
        for old in shared_words - self.modular.parent_of.keys():
            new = file.renamer.word(old)
            if new == old or _find_name(code, old) is None:
                continue
            if self._is_generated(path, new):
                new_names[old] = new
        return new_names

    def _check_new_names(self, path: str, file: RenamedFile) -> None:
        """Report a name of the parent file that becomes the name of something else.

        The parent file has `self.llama_size` and `self.olmo_size`. In the generated
        file, both are `self.olmo_size`.
        """
        new_names = self._find_used_new_names(path, file)
        if not new_names:
            return
        parent_names = names_of_file(file.source.module)
        for old, new in sorted(new_names.items()):
            is_same_string = {old, new} <= parent_names.strings
            if old not in parent_names.inner and not is_same_string:
                continue
            if new in parent_names.defined or is_same_string:
                self.report(
                    self.modular.place_of_import(path),
                    related=_find_use(file.source.module.code, old),
                    message="`{old}` of the parent file becomes `{new}`, a name that "
                    "the parent file already uses",
                    hint="override the code that uses one of them",
                    old=old,
                    new=new,
                )
            else:
                self._check_override(path, old, new)

    def _find_used_new_names(self, path: str, file: RenamedFile) -> dict[str, str]:
        """Return the renamed words of a parent file whose new name some code already uses.

        Returns:
            The new name of each, such as `olmo_size` for `llama_size`. The parent file
            or the modular file contains the new name, too.
        """
        # Most parent files do not contain the new model's name, and are not searched.
        new_model = file.renamer.new.lower()
        parent_text = file.source.module.code.text
        is_in_parent = new_model in parent_text.lower()
        is_attribute_of_modular = (
            f".{new_model}" in self.modular.module.code.masked_text
        )
        if not is_in_parent and not is_attribute_of_modular:
            return {}
        new_names: dict[str, str] = {}
        words_of_parent = words(parent_text)
        outer_names = {placed.name for placed in file.source.definitions}
        for old in file.source.words_with_model - outer_names:
            new = file.renamer.word(old)
            is_used = new in words_of_parent or new in self.context.words_of_modular
            if new != old and is_used and self._is_generated(path, new):
                new_names[old] = new
        return new_names

    def _check_override(self, path: str, old: str, new: str) -> None:
        """Report a child's method that also sets a renamed attribute of the parent.

        The child assigns `self.olmo_size`. An inherited method assigns
        `self.llama_size`, which is `self.olmo_size` in the generated class.

        Args:
            path: The parent file.
            old: The attribute in the parent file, `llama_size`.
            new: The attribute in the generated file, `olmo_size`.
        """
        for merged_class in self.layout.flattened.values():
            if merged_class.parent.statement.code.path != path:
                continue
            for key, override in merged_class.overriding.items():
                if not _assigns(override, new):
                    continue
                # If the overridden method sets it, too, the author knows the new name.
                overridden = merged_class.inherited.get(key)
                if overridden is not None and _assigns(overridden, new):
                    continue
                inherited_method = _find_inherited_assignment(merged_class, new)
                if inherited_method is not None:
                    self.report(
                        place_of_word(override.code, f"self.{new}"),
                        related=place_of(inherited_method.statement.bare_code),
                        message="this also replaces `{old}` of the parent file, which "
                        "is `{new}` in the generated files",
                        hint="use another name",
                        old=old,
                        new=new,
                    )

    def _check_fstrings(self, path: str, file: RenamedFile) -> None:
        """Report renamed attributes whose old names an f-string of the parent may compute.

        `f"llama_{key}"` may compute `llama_size`, but is not renamed like the
        attribute.
        """
        if not file.source.has_model_in_fstring:
            return
        parent_names = names_of_file(file.source.module)
        contains_model = file.renamer.old.pattern.search
        all_names = parent_names.mentioned | parent_names.defined
        for old in sorted(filter(contains_model, all_names)):
            new = file.renamer.word(old)
            if new == old or not is_computed(old, parent_names.formatted):
                continue
            place = _find_attribute(file.source.module.code, old)
            if place is not None and self._is_generated(path, new):
                self.report(
                    self.modular.place_of_import(path),
                    related=place,
                    message="`{old}` becomes `{new}`, but the f-string in the parent "
                    "file that may compute this name is not renamed",
                    hint="override the code that uses one of them",
                    old=old,
                    new=new,
                )

    def _check_computed_names(self, path: str, file: RenamedFile) -> None:
        """Report the first code of the modular file that may compute a renamed attribute.

        `getattr(self, "llama_" + name)` may compute `llama_size`, which is `olmo_size`
        in the generated file.
        """
        for pattern, place in self._find_computations(file):
            for old in sorted(names_of_file(file.source.module).inner):
                new = file.renamer.word(old)
                if new == old or not is_computed(old, [pattern]):
                    continue
                if not self._is_generated(path, new):
                    continue
                if _find_attribute(file.source.module.code, old) is not None:
                    self.report(place, old=old, new=new)
                    return

    def _find_computations(self, file: RenamedFile) -> Iterator[tuple[str, Place]]:
        """Yield regular expressions of names that the modular file may compute.

        They contain the name of the parent's model. An example is `llama_.*` for
        `f"llama_{name}"`.

        Yields:
            The regular expression, and the place of the code that computes the name.
        """
        code = self.modular.module.code
        position = find_in_fstring(code, file.renamer.old)
        if position is not None:
            for pattern in sorted(names_of_file(self.modular.module).formatted):
                yield pattern, place_at(code, position, 1)
        # The functions are `getattr` and the like. Most files call none of them.
        if not ATTRIBUTE_FUNCTIONS.keys().isdisjoint(self.context.words_of_modular):
            yield from self._find_computing_strings(file)

    def _find_computing_strings(self, file: RenamedFile) -> Iterator[tuple[str, Place]]:
        """Yield regular expressions of names that calls such as `getattr` may compute.

        For `getattr(x, "llama_" + name)`, yield `.*llama_.*`, and the place of the
        string `"llama_"`.
        """
        renamed_words = file.source.words_with_model
        contains_model = file.renamer.old.pattern.search
        for string in sorted(filter(contains_model, self.context.words_of_modular)):
            if not any(string in word for word in renamed_words):
                continue
            place = _find_string(self.modular.module.code, string)
            # Most modular files have no such string, and are not parsed.
            if place is None:
                continue
            if string in names_of_file(self.modular.module).parts:
                yield f".*{re.escape(string)}.*", place

    def _check_ineffective_members(self, path: str, file: RenamedFile) -> None:
        """Report members that do not replace a parent's member, because it is renamed.

        The child sets `llama_size` to replace the `llama_size` of the parent class,
        which is `olmo_size` in the generated class.
        """
        shared_words = file.source.words_with_model & self.context.words_of_modular
        # The names of parent classes are no members.
        old_names = shared_words - self.modular.parent_of.keys()
        for merged_class in self.layout.flattened.values():
            if merged_class.parent.statement.code.path != path:
                continue
            child_words = merged_class.child.statement.words
            parent_words = merged_class.parent.statement.words
            new_names: dict[str, str] = {}
            for old in sorted(old_names & child_words):
                new = file.renamer.word(old)
                # The author of `del self.olmo_size` knows the new name.
                if new != old and new not in child_words and new in parent_words:
                    new_names[old] = new
            # Most classes contain no name with the model's, and are not parsed.
            if not new_names:
                continue
            child = model_class(merged_class.child.statement)
            parent = model_class(merged_class.parent.statement)
            for old, new in new_names.items():
                if _has_member(child, old) and _has_member(parent, new):
                    self.report(
                        place_of_word(merged_class.child.code, old),
                        message="this does not replace the `{old}` of the parent class, "
                        "which is `{new}` in the generated class",
                        hint="write `{new}`",
                        old=old,
                        new=new,
                    )

    def _is_generated(self, path: str, name: str) -> bool:
        """Whether generated code from a parent file contains a name."""
        return name in self.context.memoized(_generated_words, path)

    def _is_generated_string(self, path: str, text: str) -> bool:
        """Whether generated code from a parent file has a string that is only a text."""
        code = self.context.memoized(_generated_code, path)
        return _find_string(code, text) is not None


class RenamedInsideWord(LintRule):
    """Renaming changes a word that does not mean the parent's model.

    The generated code uses a name that does not exist. If a class of the model `olmo`
    inherits from a class of `sam`, modular replaces `sam` with `olmo` at the beginning
    of every word in the parent's code, as the converter of transformers does. So
    `random.sample` becomes `random.olmople`. If the parent is `clip`, `torch.clip`
    becomes `torch.olmo`.

    If the parent file imports the changed word from a file of the project, Python
    cannot import the generated file, so the finding is an error. If the word is in a
    string or comment, the finding is an info.

    Override the code that contains the word, or list the word in the setting
    `keep-names`. With the setting `inheritance = "python"`, modular renames only whole
    words. In code, it renames only names that the parent's model defines.

    Given `models/sam/modeling_sam.py`:

    ```python
    import random


    class SamMask:
        def draw(self, items):
            return random.sample(items, 1)
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..sam.modeling_sam import SamMask


    class OlmoMask(SamMask):
        pass
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:1:8: the renaming changes other words: `sample` becomes `olmople`
    hint: override the code, or list the words in the setting `keep-names`
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    import random

    from ..sam.modeling_sam import SamMask


    class OlmoMask(SamMask):
        def draw(self, items):
            return random.sample(items, 1)
    ```
    """

    code = Problem.RENAMED_INSIDE_WORD
    levels = (Severity.WARNING, Severity.ERROR, Severity.INFO)
    precision = Precision(findings=1, real=1)
    message = "the renaming changes other words: {listed}"
    hint = "override the code, or list the words in the setting `keep-names`"

    def check(self) -> None:
        """Report, in one finding, renamed words that do not mean the parent's model.

        An example is `sample` if the parent's model is `sam`.
        """
        renamed = self._find_renamed_words()
        if not renamed:
            return
        shown = renamed[:_MAX_REPORTED_WORDS]
        listed = ", ".join(f"`{word.old}` becomes `{word.new}`" for word in shown)
        if len(renamed) > len(shown):
            listed += f", and {len(renamed) - len(shown)} more"
        code_words = {word.new for word in renamed if word.is_code}
        hint = self.hint
        level = None
        if not code_words:
            hint = "override the code with the words"
            level = Severity.INFO
        self.report(
            self.modular.place_of_import(renamed[0].place.path),
            related=renamed[0].place,
            hint=hint,
            is_error=has_failing_import(self.context, code_words),
            level=level,
            listed=listed,
        )

    def _find_renamed_words(self) -> "list[_RenamedWord]":
        """Return the renamed words that do not mean the parent's model, code first."""
        words_by_name: dict[str, _RenamedWord] = {}
        for path, file in self.layout.parents.items():
            words_of_file = [
                *self._find_words(path, file),
                *self._find_imported_names(path, file),
                *self._find_foreign_attributes(path, file),
            ]
            for word in words_of_file:
                # A word in code is preferred to the same word in a string or comment.
                earlier_word = words_by_name.get(word.old)
                if earlier_word is None or (word.is_code and not earlier_word.is_code):
                    words_by_name[word.old] = word
        return sorted(
            words_by_name.values(), key=lambda word: (not word.is_code, word.old)
        )

    def _find_words(self, path: str, file: RenamedFile) -> "Iterator[_RenamedWord]":
        """Yield the renamed words that contain the model's name: `sample` for `sam`."""
        code = file.source.module.code
        for start, end in file.source.words_around_model:
            old = code.text[start:end]
            new = file.renamer.part_of_text(old)
            if new in self.context.memoized(_generated_words, path):
                is_code = code.masked_text[start] not in (scan.STRING, scan.COMMENT)
                place = place_at(code, start, end - start)
                yield _RenamedWord(old, new, is_code, place)

    def _find_imported_names(
        self, path: str, file: RenamedFile
    ) -> "Iterator[_RenamedWord]":
        """Yield the renamed names that the parent file imports from other models' files."""
        for import_ in file.source.module.imports:
            # `import x` binds a module, not a name of another file.
            if import_.module is None:
                continue
            for alias in import_.names:
                new = file.renamer.word(alias.name)
                if new == alias.name:
                    continue
                if new not in self.context.words_in_output_imports:
                    continue
                if self._is_foreign(path, alias.bound, file):
                    place = place_of_word(import_.statement.bare_code, alias.name)
                    yield _RenamedWord(alias.name, new, True, place)

    def _find_foreign_attributes(
        self, path: str, file: RenamedFile
    ) -> "Iterator[_RenamedWord]":
        """Yield the renamed attributes that are defined outside of the parent's model.

        For the model `clip`, examples are `torch.clip`, and `self.clip_size` if a base
        class from another file sets it.
        """
        attributes = _find_renamed_attributes(file)
        if not attributes:
            return
        # An attribute that only `self` has cannot be one of a module such as `torch`.
        possible_module_names = {
            old for old, attribute in attributes.items() if attribute.has_other_owner
        }
        for statement in file.source.module.block.statements:
            old_names = statement.words & attributes.keys()
            if not old_names:
                continue
            class_ = Definition(path, statement.name, Kind.CLASS)
            foreign_names = {
                old for old in old_names if self._is_inherited(class_, old, file)
            }
            for owner, old in _find_attributes(statement, possible_module_names):
                if self._is_foreign(path, owner, file):
                    foreign_names.add(old)
            for old in sorted(foreign_names):
                new = attributes[old].new
                if new in self.context.memoized(_generated_words, path):
                    place = place_of_word(statement.bare_code, old)
                    yield _RenamedWord(old, new, True, place)

    def _is_foreign(self, path: str, name: str, file: RenamedFile) -> bool:
        """Whether a dotted name of the parent file means something of another file."""
        return _is_foreign(self.context.resolver.meaning(path, name), file)

    def _is_inherited(self, class_: Definition, name: str, file: RenamedFile) -> bool:
        """Whether a class inherits a member or attribute from a class in another file.

        Args:
            class_: A class of the parent file.
            name: The name of the member or attribute.
            file: The parent file.
        """
        resolver = self.context.resolver
        for ancestor in resolver.ancestors(class_).classes:
            if not isinstance(ancestor, Definition) or not _is_foreign(ancestor, file):
                continue
            statement = resolver.statement(ancestor)
            # Most classes do not contain the word, and are not parsed.
            if statement is None or name not in statement.words:
                continue
            if _has_member(model_class(statement), name):
                return True
        return False


class _RenamedWord(NamedTuple):
    """A word that the renaming changes although it is not a name of the model.

    Attributes:
        old: The word in the parent file.
        new: The word in the generated file.
        is_code: Whether it is code, and not a string or comment.
        place: Its place in the parent file.
    """

    old: str
    new: str
    is_code: bool
    place: Place


class _RenamedAttribute(NamedTuple):
    """An attribute in a parent file that is renamed.

    Attributes:
        new: Its new name.
        has_other_owner: Whether it is also an attribute of something else than `self`.
    """

    new: str
    has_other_owner: bool


def _find_renamed_attributes(file: RenamedFile) -> dict[str, _RenamedAttribute]:
    """Return the attributes in a parent file that are renamed, by their old names.

    For `self.llama_size`, the old name is `llama_size`, and the new one `olmo_size`.
    """
    code = file.source.module.code
    masked_text = code.masked_text
    attributes: dict[str, _RenamedAttribute] = {}
    for site in file.source.rename_sites:
        # A site is the model's name in the text, the `llama` of `my_llama_size`.
        word_start = site.start
        while masked_text[word_start - 1 : word_start].isidentifier():
            word_start -= 1
        is_attribute = masked_text[word_start - 1 : word_start] == "."
        if not is_attribute or _is_in_import(code, word_start):
            continue
        rest_of_word = _WORD_END.match(code.text, site.end)
        word_end = site.end if rest_of_word is None else rest_of_word.end()
        old = code.text[word_start:word_end]
        new = file.renamer.word(old)
        if new == old:
            continue
        has_other_owner = masked_text[word_start - 5 : word_start] != "self."
        if old not in attributes or has_other_owner:
            attributes[old] = _RenamedAttribute(new, has_other_owner)
    return attributes


def _find_attributes(
    statement: Statement, names: Set[str]
) -> Iterator[tuple[str, str]]:
    """Yield the owner and the name of each attribute in a statement that has a given name.

    For `torch.nn.clip`, yield `torch.nn` and `clip`.

    Args:
        statement: The statement.
        names: The names of attributes to look for.
    """
    if names.isdisjoint(statement.words):
        return
    for mention in facts_of(statement).mentions:
        owner = mention.name
        for attribute in mention.attributes:
            if attribute in names:
                yield owner, attribute
            owner = f"{owner}.{attribute}"


def _has_member(class_: ClassModel, name: str) -> bool:
    """Whether a class defines a member, or one of its methods sets an attribute."""
    return name in class_.members or name in class_.attributes


def _is_foreign(meaning: Meaning, file: RenamedFile) -> bool:
    """Whether something is certainly from a file outside of the parent's model."""
    if isinstance(meaning, Definition | ImportedModule):
        return file.renamer.old.pattern.search(meaning.path) is None
    return isinstance(meaning, ForeignName)


def _generated_code(context: LintContext, path: str) -> SourceSlice:
    """Return the generated code that comes from a parent file, as one text."""
    slices = []
    for statement in context.generated.values():
        slices += [part.code for part in statement.parts if part.code.path == path]
    return join_slices(slices, path)


def _generated_words(context: LintContext, path: str) -> set[str]:
    """Return the words of the generated code from a parent file, even those in strings."""
    return words(context.memoized(_generated_code, path).text)


def _find_name(code: SourceSlice, word: str) -> Place | None:
    """Return the place of an attribute, keyword or string in some code."""
    return _find_string(code, word) or _find_use(code, word)


def _find_use(code: SourceSlice, word: str) -> Place | None:
    """Return the first place where a word is an attribute, or else a keyword of a call.

    The result is None if it is neither.
    """
    attribute = _find_attribute(code, word)
    if attribute is not None:
        return attribute
    for start in find_word(code.masked_text, word):
        if _EQUALS_SIGN.match(code.masked_text, start + len(word)):
            return place_at(code, start, len(word))
    return None


def _find_attribute(code: SourceSlice, word: str) -> Place | None:
    """Return the first place where a word is an attribute, or None."""
    for start in find_word(code.masked_text, word):
        follows_dot = code.masked_text[start - 1 : start] == "."
        # In `from ..llama import x`, the dots make no attribute.
        if follows_dot and not _is_in_import(code, start):
            return place_at(code, start, len(word))
    return None


def _is_in_import(code: SourceSlice, position: int) -> bool:
    """Whether an offset of some code is inside an import, on its first line."""
    masked_text = code.masked_text
    rest_of_line = masked_text[position : scan.line_end(masked_text, position)]
    # Without this, all code below the line would be searched for an import.
    if "import" not in rest_of_line:
        return False
    line_start = masked_text.rfind("\n", 0, position) + 1
    import_ = next(find_imports(masked_text[line_start:]), None)
    if import_ is None:
        return False
    return import_.start <= position - line_start < import_.end


def _find_string(code: SourceSlice, text: str) -> Place | None:
    """Return the first place of a string that is only a given text, such as `"size"`."""
    for start in find_word(code.text, text):
        quote = code.text[start - 1 : start]
        end = start + len(text)
        is_string = code.masked_text[start] == scan.STRING and quote in ('"', "'")
        if is_string and code.text[end : end + 1] == quote:
            return place_at(code, start, len(text))
    return None


def _find_inherited_assignment(
    merged_class: MergedClass, attribute: str
) -> DefinitionView | None:
    """Return the first method without override that sets an attribute, or None."""
    for key, method in merged_class.inherited.items():
        if key not in merged_class.overriding and _assigns(method, attribute):
            return method
    return None


def _assigns(method: DefinitionView, attribute: str) -> bool:
    """Whether a method sets an attribute of its instance."""
    if attribute not in method.statement.words:
        return False
    return attribute in attributes_set_by(model_function(method.statement))
