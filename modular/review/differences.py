"""Which lines of a file are new, and which are gone, since an older text of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from modular.source.diffs import compare


@dataclass(frozen=True, slots=True)
class Difference:
    """What differs between two texts of a file.

    ``new`` are the numbers (from 1) of lines that the older text does not have. ``gone`` are the lines of the older text
    that are not there any more, as their first and last number, by the line of the new text that they stood before.
    """

    new: frozenset[int] = frozenset()
    gone: Mapping[int, tuple[int, int]] = field(default_factory=dict)

    @property
    def gone_lines(self) -> int:
        """How many lines are gone."""
        return sum(last - first + 1 for first, last in self.gone.values())

    def __bool__(self) -> bool:
        return bool(self.new or self.gone)


def difference(old: str, new: str) -> Difference:
    """Compare two texts line by line."""
    hunks = compare(old, new).hunks
    added = {number for hunk in hunks for number in range(hunk.new_line, hunk.new_line + len(hunk.added))}
    gone = {hunk.new_line: (hunk.old_line, hunk.old_line + len(hunk.removed) - 1) for hunk in hunks if hunk.removed}
    return Difference(frozenset(added), gone)
