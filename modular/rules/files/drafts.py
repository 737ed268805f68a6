"""Output files while they are put together: statements in their places, before there are imports."""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from modular.source.code import SourceSlice, joined


ALL = "__all__"
GETATTR = "__getattr__"


class Provenance(str, Enum):
    """How a run of lines came into an output file.

    ``MERGED`` are the parent's lines in an unravelled body; what the modular file wrote is its ``OWN`` there too.
    """

    OWN = "own"
    INHERITED = "inherited"
    MERGED = "merged"
    NEEDED = "needed"
    IMPORT = "import"
    MADE = "made"


class OutputRun(NamedTuple):
    """A run of lines of one origin: the member (method or attribute) of a class that it belongs to, and how it came in.

    ``merged_with`` is the parent's code of which some went into it too: that of a header.
    """

    member: str
    code: SourceSlice
    provenance: Provenance
    merged_with: SourceSlice | None = None


def make_output_run(
    member: str, code: SourceSlice, modular: str, provenance: Provenance
) -> OutputRun:
    """Return a run of lines; ``provenance`` is how it came in if neither the modular file wrote it nor the converter made it."""
    if code.made:
        provenance = Provenance.MADE
    elif code.path == modular:
        provenance = Provenance.OWN
    return OutputRun(member, code, provenance)


@dataclass(eq=False)
class DraftStatement:
    """One statement of an output file: its name and its runs of lines.

    ``words`` is every identifier in it.
    """

    name: str
    parts: list[OutputRun]
    words: AbstractSet[str] = frozenset()
    is_definition: bool = True

    @property
    def code(self) -> SourceSlice:
        """Its runs of lines as one; the lines are counted from 1."""
        codes = [part.code for part in self.parts]
        return joined(codes, codes[0].path)


@dataclass(eq=False)
class Draft:
    """An output file before its imports: its statements by name, in their order."""

    file_type: str
    statements: dict[str, DraftStatement] = field(default_factory=dict)
    sibling_imports: dict[str, str] = field(default_factory=dict)

    def put(self, node: DraftStatement) -> None:
        """Add a statement at the end; one of the same name leaves its old place."""
        self.statements.pop(node.name, None)
        self.statements[node.name] = node

    def ordered_statements(self, first_names: tuple[str, ...]) -> list[DraftStatement]:
        """The statements in their order; some names come first."""
        rank = {name: index for index, name in enumerate(first_names)}
        return sorted(
            self.statements.values(), key=lambda node: rank.get(node.name, len(rank))
        )
