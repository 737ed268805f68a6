"""Parent files, and their statements renamed for a child when they are needed."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import NamedTuple

from modular.rules.files.imports import guarded_imports
from modular.rules.names.renaming import (
    ModelNameForms,
    Renamer,
    RenameSite,
    find_rename_sites,
    next_site,
)
from modular.rules.reading.module_changes import add_changes
from modular.source import scan
from modular.source.blocks import Kind, Statement
from modular.source.definitions import Definitions, ModuleBinding, defined_name
from modular.source.import_statements import Import, plain_imports
from modular.source.module import Module
from modular.source.source_slice import SourceSlice, words


_FSTRING_LITERAL = re.compile(f"{scan.FSTRING}{scan.FSTRING}*")
"""A literal part of an f-string in a masked text.

A pattern that begins with a fixed character is found far faster than one with `+`.
"""


def find_in_fstring(code: SourceSlice, names: ModelNameForms) -> int | None:
    """Return the first offset of a model's name in the text of an f-string, or None."""
    for literal in _FSTRING_LITERAL.finditer(code.masked_text):
        match = names.pattern.search(code.text, *literal.span())
        if match is not None:
            return match.start("name")
    return None


class _PlacedStatement(NamedTuple):
    """A statement, the offset at which it begins in its file, and the name it defines."""

    offset: int
    statement: Statement
    name: str = ""


@dataclass(eq=False)
class ParentSource:
    """A parent file before the renaming, shared by all models that inherit from it.

    Attributes:
        module: The statements of the file.
        name_forms: The forms in which it writes the name of its model.
        keeps_changes: Whether names have all statements that bind or change them.
    """

    module: Module
    name_forms: ModelNameForms
    keeps_changes: bool = False
    _last_renamed: "RenamedFile | None" = field(init=False, default=None)

    @cached_property
    def rename_sites(self) -> list[RenameSite]:
        """The places where the file mentions its own model."""
        return find_rename_sites(self.module.code, self.name_forms)

    @cached_property
    def words_around_model(self) -> tuple[tuple[int, int], ...]:
        """The spans of words of which the model's name is only the beginning.

        For the model `sam`, `sample` is such a word.
        """
        text = self.module.code.text
        spans = []
        for site in self.rename_sites:
            next_character = text[site.end : site.end + 1]
            is_inside_word = next_character.isalpha() and next_character.islower()
            # The site of a comment that is removed has no form.
            if site.form is None or not is_inside_word:
                continue
            end = site.end
            while text[end : end + 1].isalnum() or text[end : end + 1] == "_":
                end += 1
            spans.append((site.start, end))
        return tuple(spans)

    @cached_property
    def words_with_model(self) -> frozenset[str]:
        """The words of the file with the model's name, also in strings and comments."""
        is_model_name = self.name_forms.pattern.search
        return frozenset(filter(is_model_name, words(self.module.code.text)))

    @cached_property
    def has_model_in_fstring(self) -> bool:
        """Whether the text of an f-string contains the model's name."""
        return find_in_fstring(self.module.code, self.name_forms) is not None

    def renamer_to(self, model: str, cased_model: str) -> Renamer:
        """Return what replaces the name of the file's model by that of another model.

        Args:
            model: The name of the other model, such as `my_model`.
            cased_model: Its name in names of classes, such as `MyModel`.
        """
        return Renamer(
            old=self.name_forms, new=model, cased_new=cased_model, model=model
        )

    def renamed(self, renamer: Renamer) -> "RenamedFile":
        """Return the file with the names of its model replaced by those of another.

        The last result is kept for a language server, which converts the same model
        again and again.
        """
        if self._last_renamed is None or self._last_renamed.renamer != renamer:
            self._last_renamed = RenamedFile(self, renamer)
        return self._last_renamed

    def renamed_statement(
        self, renamer: Renamer, offset: int, statement: Statement
    ) -> Statement:
        """Return a statement of the file with the names of its model replaced.

        Args:
            renamer: The old and new names of the model.
            offset: The offset at which the statement's code begins in the file.
            statement: The statement as it is in the file.
        """
        code = renamer.rename_slice(statement.code, offset, self.rename_sites)
        if code is statement.code:
            # All models that inherit from the file share the statement and its facts.
            return statement
        # The code begins with the lead: the comments and blank lines above the statement.
        # Renaming changes the length of a comment with the model's name.
        lead = renamer.rename_slice(statement.lead, offset, self.rename_sites)
        return Statement(
            code=code,
            start=len(lead.text),
            kind=statement.kind,
            name=renamer.word(statement.name),
            original=statement,
        )

    @cached_property
    def names(self) -> frozenset[str]:
        """The names that can be imported from the file, also those that it imports."""
        names = {statement.name for statement in self.module.block.statements}
        names.discard("")
        for import_ in self.module.imports:
            names |= import_.bound_names
        return frozenset(names)

    @cached_property
    def classes(self) -> frozenset[str]:
        """The classes that the file defines."""
        statements = self.module.block.statements
        return frozenset(
            statement.name for statement in statements if statement.kind is Kind.CLASS
        )

    def find_other_spelling(self, name: str) -> str | None:
        """Return a class that has the given name with other capitals in the model's name.

        For the name `LlamaMLP`, this may be the class `LLaMAMLP`. The result is None if
        the file has no such class.
        """
        # To compare the two, both are renamed for some other model: each becomes
        # `NewModelMLP`. The renamed names are used for nothing else.
        renamer = self.renamer_to("new_model", "NewModel")
        name_to_compare = renamer.part_of_text(name)
        for class_name in sorted(self.classes):
            if renamer.part_of_text(class_name) == name_to_compare:
                return class_name
        return None

    @cached_property
    def definitions(self) -> list[_PlacedStatement]:
        """The statements of the file that define a name, in their order.

        An assignment to an item, such as `TABLE["x"] = 1`, has the name `TABLE`.
        """
        definitions = []
        for offset, statement in self.module.statements_with_offsets():
            name = defined_name(statement)
            if name:
                definitions.append(_PlacedStatement(offset, statement, name))
        return definitions

    @cached_property
    def import_statements(self) -> list[_PlacedStatement]:
        """The imports and module-level guards in their order."""
        return [
            _PlacedStatement(offset, statement)
            for offset, statement in self.module.statements_with_offsets()
            if statement.kind in (Kind.IMPORT, Kind.GUARD)
        ]

    def mentions_model(self, placed: _PlacedStatement) -> bool:
        """Whether a statement of the file mentions the file's own model."""
        end = placed.offset + len(placed.statement.code.text)
        first_site = next_site(self.rename_sites, placed.offset)
        return first_site < next_site(self.rename_sites, end)


@dataclass(eq=False)
class RenamedFile:
    """A parent file renamed for one child."""

    source: ParentSource
    renamer: Renamer

    @cached_property
    def definitions(self) -> Definitions:
        """The definitions of the file under their new names.

        The code of each definition is renamed when it is needed.
        """
        renamed = Definitions()
        for placed in self.source.definitions:
            new_name = self.renamer.word(placed.name)
            renamed.add(self._bind_renamed(new_name, placed.statement, placed.offset))
        if self.source.keeps_changes:
            self._add_changes(renamed)
        return renamed

    def _add_changes(self, renamed: Definitions) -> None:
        """Add to each definition the statements that change its value later.

        The definition `LLAMA_TABLE = {}`, renamed to `MY_MODEL_TABLE`, gets the statement
        `LLAMA_TABLE.update(x)`, whose code is renamed in the same way.

        Args:
            renamed: The definitions of the file by their new names.
        """
        statements_with_offsets = self.source.module.statements_with_offsets()
        offsets = {statement: offset for offset, statement in statements_with_offsets}

        # `add_changes` does not know the offsets, which the renaming of code needs.
        def bind_renamed(new_name: str, statement: Statement) -> ModuleBinding:
            """Return the binding of a new name by a statement of the file."""
            return self._bind_renamed(new_name, statement, offsets[statement])

        add_changes(
            definitions=renamed,
            statements=self.source.module.block.statements,
            bind=bind_renamed,
            rename=self.renamer.word,
            is_parent=True,
        )

    def _bind_renamed(
        self, name: str, statement: Statement, offset: int
    ) -> ModuleBinding:
        """Return the binding of a new name by a statement, which is renamed when needed."""
        # `rename` holds `self.source` and not `self`: `self` keeps the result, so this
        # would be a reference cycle.
        rename = partial(self.source.renamed_statement, self.renamer, offset)
        return ModuleBinding(name, statement, rename)

    @cached_property
    def import_statements(self) -> tuple[Statement, ...]:
        """The imports of the file and guards around imports, renamed, in their order.

        A statement that does not mention the model is the same object for all models
        that inherit from the file, so it is read only once.
        """
        statements = []
        for placed in self.source.import_statements:
            statement = placed.statement
            if self.source.mentions_model(placed):
                statement = self.source.renamed_statement(
                    self.renamer, placed.offset, statement
                )
            statements.append(statement)
        return tuple(statements)

    @cached_property
    def imports(self) -> tuple[Import, ...]:
        """The plain imports, then those below guards, renamed."""
        return (*self._plain_imports, *guarded_imports(self.import_statements))

    @cached_property
    def _plain_imports(self) -> tuple[Import, ...]:
        """The imports that are not below guards, renamed."""
        return plain_imports(self.import_statements)

    @cached_property
    def sibling_names(self) -> frozenset[str]:
        """The names that plain imports bind from other files of the same model."""
        return _names_from_siblings(self._plain_imports)

    @cached_property
    def all_sibling_names(self) -> frozenset[str]:
        """The names that any imports bind from other files of the same model."""
        return _names_from_siblings(self.imports)


def _names_from_siblings(imports: Iterable[Import]) -> frozenset[str]:
    """Return the names that imports such as `from .configuration_llama` bind."""
    names: set[str] = set()
    for import_ in imports:
        if import_.level == 1:
            names |= import_.bound_names
    return frozenset(names)
