"""Output files before they have imports: statements in their order."""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from modular.source.source_slice import SourceSlice, join_slices


ALL = "__all__"
GETATTR = "__getattr__"


class Provenance(str, Enum):
    """The way in which a run of lines came into an output file.

    Attributes:
        OWN: The modular file contains them.
        INHERITED: The parent class contains them.
        MERGED: They are the parent's lines in an unravelled body.
        NEEDED: They are a dependency.
        IMPORT: They are an import.
        MADE: No source contains them.
    """

    OWN = "own"
    INHERITED = "inherited"
    MERGED = "merged"
    NEEDED = "needed"
    IMPORT = "import"
    MADE = "made"


class OutputRun(NamedTuple):
    """A run of lines of an output file that have the same origin.

    Attributes:
        code: The lines.
        provenance: The way in which they came into the file.
        member: The method or attribute of a class that the lines belong to. It is empty
            for lines outside of classes, and for the header of a class.
        merged_with: The parent's header that was merged into a method's header.
    """

    code: SourceSlice
    provenance: Provenance
    member: str = ""
    merged_with: SourceSlice | None = None


def make_output_run(
    code: SourceSlice, modular: str, provenance: Provenance, member: str = ""
) -> OutputRun:
    """Return lines of an output file with a record of where they come from.

    Args:
        code: The lines.
        modular: The path of the modular file, which the author writes.
        provenance: The provenance of the lines, unless the author or the converter
            wrote them.
        member: The method or attribute of a class that the lines belong to.
    """
    if code.is_synthetic:
        provenance = Provenance.MADE
    elif code.path == modular:
        provenance = Provenance.OWN
    return OutputRun(code, provenance, member)


@dataclass(eq=False)
class DraftStatement:
    """A statement of an output file.

    Attributes:
        name: The name that it defines.
        parts: Its lines as runs of the same origin.
        words: All identifiers in it.
        is_definition: Whether it is a class or function.
    """

    name: str
    parts: list[OutputRun]
    words: AbstractSet[str] = frozenset()
    is_definition: bool = True

    @property
    def code(self) -> SourceSlice:
        """The whole statement; its lines are counted from 1."""
        codes = [part.code for part in self.parts]
        return join_slices(codes, codes[0].path)


@dataclass(eq=False)
class Draft:
    """An output file without imports.

    Attributes:
        file_type: The file type, such as `modeling`.
        statements: The statements by name, in their order.
        sibling_imports: The names to import from the model's other files, and the file
            type of each of these files.
        has_changes: Whether a statement changes a name that another one defines, such as
            `TABLE.update(x)`.
        other_names: The names that statements bind besides their own, each with the
            name of the last statement that binds it.
    """

    file_type: str
    statements: dict[str, DraftStatement] = field(default_factory=dict)
    sibling_imports: dict[str, str] = field(default_factory=dict)
    has_changes: bool = False
    other_names: dict[str, str] = field(default_factory=dict)

    def put(self, statement: DraftStatement) -> None:
        """Add a statement at the end; it replaces one of the same name."""
        self.statements.pop(statement.name, None)
        self.statements[statement.name] = statement

    def ordered_statements(self, first_names: tuple[str, ...]) -> list[DraftStatement]:
        """Return the statements in their order, except that those of some names come first.

        Args:
            first_names: The names that come first in every file, such as `logger`.
        """
        ranks = {name: index for index, name in enumerate(first_names)}
        last_rank = len(ranks)
        return sorted(
            self.statements.values(),
            key=lambda statement: ranks.get(statement.name, last_rank),
        )
