"""Finds the statements that an assignment of the child overtakes in a generated method.

The child's `self.total = 1` below the call takes the place of the parent's
`self.total = 0`. The parent's next line is `self.size = 8`, which is overtaken: Python
runs it before the assignment, the generated method after it.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from modular.rules.classes.merge_record import MethodMerge
from modular.source.blocks import Statement


@dataclass(frozen=True, eq=False)
class StatementGroup:
    """Some statements of a generated method. They are not gone through for each assignment.

    Attributes:
        merge: The method.
        positions: Their indexes in `merge.generated_statements`, sorted.
    """

    merge: MethodMerge
    positions: Sequence[int]

    def first_overtaken(self, assignment: Statement) -> int | None:
        """Return the position of the first of the statements that an assignment overtakes.

        Args:
            assignment: A statement of the child.

        Returns:
            None if it overtakes none of them, or does not stand below the call.
        """
        index_below_call = self.merge.indexes_below_call.get(assignment)
        position = self.merge.index_in_generated(assignment)
        if index_below_call is None or position is None:
            return None
        start = bisect_right(self.positions, position)
        place = _find_first_below(self._minima, start, index_below_call)
        return None if place is None else self.positions[place]

    @cached_property
    def _minima(self) -> Sequence[Sequence[int]]:
        """The ranks of the statements, then the minima of two, of four and so on."""
        levels = [[self._rank(position) for position in self.positions]]
        while len(levels[-1]) > 1:
            below = levels[-1]
            pairs = [below[start : start + 2] for start in range(0, len(below), 2)]
            levels.append(list(map(min, pairs)))
        return levels

    def _rank(self, position: int) -> int:
        """Return a number above which the child's statements below the call run later.

        It is compared with the index of an assignment among them. Python runs the
        parent's statements before all of them.
        """
        statement = self.merge.generated_statements[position]
        if self.merge.is_of_parent(statement):
            return -1
        # No assignment overtakes the other statements of the child.
        never = len(self.merge.statements_below_call)
        return self.merge.indexes_below_call.get(statement, never)


def group_statements(
    merge: MethodMerge, keys_of: Callable[[Statement], Iterable[str]]
) -> Mapping[str, StatementGroup]:
    """Return the statements of a generated method by some keys of them, such as names."""
    positions: dict[str, list[int]] = {}
    for position, statement in enumerate(merge.generated_statements):
        for key in keys_of(statement):
            positions.setdefault(key, []).append(position)
    return {key: StatementGroup(merge, found) for key, found in positions.items()}


def _find_first_below(
    levels: Sequence[Sequence[int]], start: int, limit: int
) -> int | None:
    """Return the first place of a number below a limit; None if no number is.

    Args:
        levels: The numbers, then the minima of two, of four and so on.
        start: The place to start from.
        limit: The limit.
    """
    level = 0
    place = start
    while place < len(levels[level]) and levels[level][place] >= limit:
        place += 1
        if place % 2 == 0 and level + 1 < len(levels):
            level += 1
            place //= 2
    if place >= len(levels[level]):
        return None
    while level > 0:
        level -= 1
        place *= 2
        if levels[level][place] >= limit:
            place += 1
    return place
