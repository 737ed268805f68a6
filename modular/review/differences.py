"""Which lines of a file are new, and which are gone, since an older text of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher


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
    if old == new:
        return Difference()
    before, after = old.split("\n"), new.split("\n")
    start = _same_at_start(before, after)
    end = _same_at_start(before[start:][::-1], after[start:][::-1])
    matcher = SequenceMatcher(None, before[start : len(before) - end], after[start : len(after) - end])
    added: set[int] = set()
    gone: dict[int, tuple[int, int]] = {}
    for kind, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        if kind == "equal":
            continue
        added.update(range(start + new_start + 1, start + new_end + 1))
        if old_end > old_start:
            gone[start + new_start + 1] = (start + old_start + 1, start + old_end)
    return Difference(frozenset(added), gone)


def _same_at_start(before: list[str], after: list[str]) -> int:
    """How many lines two texts begin with in common."""
    pairs = enumerate(zip(before, after, strict=False))
    return next((index for index, (one, other) in pairs if one != other), min(len(before), len(after)))
