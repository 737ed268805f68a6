"""A parent file under its new name, renamed statement by statement as they are needed."""

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property, partial

from modular.rules.files.imports import guarded_imports
from modular.rules.names.renaming import (
    ModelNameForms,
    Renamer,
    RenameSite,
    find_rename_sites,
)
from modular.source.blocks import Kind, Statement
from modular.source.definitions import Definitions, ModuleBinding, defined_name
from modular.source.import_statements import Import, plain_imports
from modular.source.module import Module


@dataclass(eq=False)
class ParentSource:
    """A parent file as it stands, and where it mentions its own model. Shared by all models that inherit from it."""

    module: Module
    name_forms: ModelNameForms
    _last: "RenamedFile | None" = field(init=False, default=None)

    @cached_property
    def hits(self) -> list[RenameSite]:
        """Where the file mentions its own model."""
        return find_rename_sites(
            self.module.code.text, self.module.code.mask, self.name_forms
        )

    def renamed(self, renamer: Renamer) -> "RenamedFile":
        """Return the file renamed. The last one is kept: whoever converts a file again and again asks for the same."""
        if self._last is None or self._last.renamer != renamer:
            self._last = RenamedFile(self, renamer)
        return self._last

    def renamed_statement(
        self, renamer: Renamer, offset: int, statement: Statement
    ) -> Statement:
        """Return a statement that begins at an offset of the file under its new name."""
        lead, code = (
            renamer.code(code, offset, self.hits)
            for code in (statement.lead, statement.code)
        )
        return Statement(
            code, len(lead.text), statement.kind, renamer.word(statement.name)
        )

    @cached_property
    def names(self) -> frozenset[str]:
        """Every name that can be imported from the file: what it defines, and what it imports itself."""
        defined = {
            statement.name
            for statement in self.module.block.statements
            if statement.name
        }
        return frozenset(
            defined
            | {name.bound for import_ in self.module.imports for name in import_.names}
        )

    @cached_property
    def classes(self) -> frozenset[str]:
        """The classes that the file defines."""
        return frozenset(
            statement.name
            for statement in self.module.block.statements
            if statement.kind is Kind.CLASS
        )

    def find_other_spelling(self, name: str) -> str | None:
        """Return the class that gets the same name as another spelling of it when the file is renamed."""
        renamer = Renamer(self.name_forms, "new_model", "NewModel", "new_model")
        return next(
            (
                class_
                for class_ in sorted(self.classes)
                if renamer.word(class_) == renamer.word(name)
            ),
            None,
        )

    @cached_property
    def defining(self) -> tuple[tuple[int, Statement, str], ...]:
        """The statements that define a name, in file order, each with its offset and that name."""
        placed = (
            (offset, statement, defined_name(statement))
            for offset, statement in self.module.placed()
        )
        return tuple(definition for definition in placed if definition[2])

    @cached_property
    def importing(self) -> tuple[tuple[int, Statement, bool], ...]:
        """The imports and guards, in file order: where each begins, and whether it mentions the file's own model."""
        return tuple(
            (offset, statement, self._mentions(offset, statement))
            for offset, statement in self.module.placed()
            if statement.kind in (Kind.IMPORT, Kind.GUARD)
        )

    def _mentions(self, offset: int, statement: Statement) -> bool:
        first = bisect_left(self.hits, (offset,))
        return first < len(self.hits) and self.hits[first].start < offset + len(
            statement.code.text
        )


@dataclass(eq=False)
class RenamedFile:
    """A parent file renamed for one child."""

    source: ParentSource
    renamer: Renamer

    @cached_property
    def definitions(self) -> Definitions:
        """What the file defines, under the new names."""
        renamed = Definitions()
        for offset, statement, name in self.source.defining:
            # With a reference to this file among them, they would stay until Python looks for garbage.
            rename = partial(self.source.renamed_statement, self.renamer, offset)
            renamed.add(ModuleBinding(self.renamer.word(name), statement, rename))
        return renamed

    @cached_property
    def _plain_imports(self) -> tuple[Import, ...]:
        return plain_imports(self.import_statements)

    @cached_property
    def imports(self) -> tuple[Import, ...]:
        """The imports, plain and guarded, renamed."""
        return (*self._plain_imports, *guarded_imports(self.import_statements))

    @cached_property
    def import_statements(self) -> tuple[Statement, ...]:
        """The imports and guards at module level, renamed, in file order.

        One that does not mention the model serves all children as it is, and is read once.
        """
        return tuple(
            self.source.renamed_statement(self.renamer, offset, statement)
            if is_mentioned
            else statement
            for offset, statement, is_mentioned in self.source.importing
        )

    @cached_property
    def siblings(self) -> frozenset[str]:
        """The names that arrive by plain imports from other files of the parent's own model."""
        return _from_own_files(self._plain_imports)

    @cached_property
    def all_siblings(self) -> frozenset[str]:
        """The names that arrive by imports, guarded ones too, from other files of the parent's own model."""
        return _from_own_files(self.imports)


def _from_own_files(imports: Iterable[Import]) -> frozenset[str]:
    return frozenset(
        name.bound
        for import_ in imports
        if import_.level == 1
        for name in import_.names
    )
