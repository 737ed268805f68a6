"""A parent file under its new name, renamed statement by statement as they are needed."""

from bisect import bisect_left
from dataclasses import dataclass, field
from functools import cached_property, partial

from modular.rules.files.imports import read_guard
from modular.rules.names.renaming import Hit, Renamer, Spelling, find_hits
from modular.source.blocks import Kind, Statement
from modular.source.import_statements import Import
from modular.source.module import Definition, Definitions, Module, defined_name


@dataclass
class ParentSource:
    """A parent file as it stands, and where it speaks of its own model. Shared by all models that inherit from it."""

    module: Module
    spelling: Spelling
    hits: list[Hit] = field(init=False)

    def __post_init__(self) -> None:
        code = self.module.code
        self.hits = find_hits(code.text, code.mask, self.spelling)

    @cached_property
    def names(self) -> frozenset[str]:
        """Every name that can be imported from the file: what it defines, and what it imports itself."""
        defined = {each.name for each in self.module.block.statements if each.name}
        return frozenset(defined | {name.bound for each in self.module.imports for name in each.names})

    @cached_property
    def classes(self) -> frozenset[str]:
        """The classes that the file defines."""
        return frozenset(each.name for each in self.module.block.statements if each.kind is Kind.CLASS)

    def speaks(self, offset: int, statement: Statement) -> bool:
        """Whether a statement, which begins at ``offset``, speaks of the file's own model."""
        first = bisect_left(self.hits, offset, key=lambda hit: hit.start)
        return first < len(self.hits) and self.hits[first].start < offset + len(statement.code.text)


class RenamedFile:
    """A parent file renamed for one child."""

    def __init__(self, source: ParentSource, renamer: Renamer) -> None:
        self.source = source
        self.renamer = renamer

    def _import(self, offset: int, statement: Statement) -> Statement:
        """An import that does not speak of the model serves all children as it is, and is read once."""
        speaks = self.source.speaks(offset, statement)
        return _renamed(self.renamer, self.source.hits, offset, statement) if speaks else statement

    @cached_property
    def definitions(self) -> Definitions:
        """What the file defines, under the new names."""
        found = Definitions()
        for offset, statement in self.source.module.placed():
            if defined := defined_name(statement):
                make = partial(_renamed, self.renamer, self.source.hits, offset, statement)
                found.add(Definition(self.renamer.word(defined), statement.kind, statement.line, make))
        return found

    @cached_property
    def imports(self) -> tuple[Import, ...]:
        """The imports, plain and guarded, renamed."""
        guards = (read_guard(each) for each in self.import_statements)
        guarded = [each for guard in guards if guard is not None for each in guard.statements]
        found = (each.imported for each in (*self.import_statements, *guarded) if each.kind is Kind.IMPORT)
        return tuple(each for each in found if each is not None)

    @cached_property
    def import_statements(self) -> tuple[Statement, ...]:
        """The imports and guards at module level, renamed, in file order."""
        placed = self.source.module.placed()
        return tuple(self._import(offset, each) for offset, each in placed if each.kind in (Kind.IMPORT, Kind.GUARD))

    @cached_property
    def siblings(self) -> frozenset[str]:
        """The names that arrive by imports, guarded ones too, from other files of the parent's own model."""
        return frozenset(name.bound for each in self.imports if each.level == 1 for name in each.names)


def _renamed(renamer: Renamer, hits: list[Hit], offset: int, statement: Statement) -> Statement:
    start = renamer.moved(statement.start, offset, hits)
    code = renamer.code(statement.code, offset, hits)
    return Statement(code, start, statement.kind, renamer.word(statement.name))
