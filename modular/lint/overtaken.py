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
    """Some statements of a generated method, prepared for many searches.

    Attributes:
        merge: The override, merged with the parent's method.
        positions: Their indexes in `merge.generated_statements`, sorted.
    """

    merge: MethodMerge
    positions: Sequence[int]

    def first_overtaken(self, assignment: Statement) -> int | None:
        """Return the position of the first statement that an assignment overtakes.

        The generated method has `self.total = 1` above `self.size = 8`. In Python,
        `self.size = 8` runs first, in the parent's method. So the assignment overtakes
        it.

        Args:
            assignment: An assignment of the child below the `super()` call, which the
                generated method has in place of the parent's.

        Returns:
            None if it overtakes no statement of the group.
        """
        order_of_assignment = self.merge.indexes_below_call[assignment]
        position = self.merge.generated_indexes[assignment]
        # The generated method runs the statements below the assignment later. Python runs
        # those of them earlier that have a smaller number in its order.
        start = bisect_right(self.positions, position)
        index = _find_first_below(self._minima, start, order_of_assignment)
        return None if index is None else self.positions[index]

    @cached_property
    def _minima(self) -> Sequence[Sequence[int]]:
        """The numbers of the statements in Python's order, and minima of these numbers.

        The first list has the numbers, the second one the minimum of each two of them,
        the third one that of each four, and so on. For the numbers 3, 1, 2, the result is
        `[[3, 1, 2], [1, 2], [1]]`.
        """
        levels = [[self._order_in_python(position) for position in self.positions]]
        while len(levels[-1]) > 1:
            numbers = levels[-1]
            minima = []
            for start in range(0, len(numbers), 2):
                minima.append(min(numbers[start : start + 2]))
            levels.append(minima)
        return levels

    def _order_in_python(self, position: int) -> int:
        """Return a number that is smaller for statements that Python runs earlier.

        All statements of the parent have the number -1. The child's statements below the
        `super()` call follow with 0, 1 and so on.

        Args:
            position: The index of the statement in `merge.generated_statements`.
        """
        statement = self.merge.generated_statements[position]
        if self.merge.is_of_parent(statement):
            return -1
        # The child's other statements are above the call, where both methods run them
        # first. No assignment overtakes them, so they get the largest number.
        largest = len(self.merge.statements_below_call)
        return self.merge.indexes_below_call.get(statement, largest)


def group_statements(
    merge: MethodMerge, keys_of: Callable[[Statement], Iterable[str]]
) -> Mapping[str, StatementGroup]:
    """Group the statements of a generated method by keys, such as the names they use.

    Args:
        merge: The override, merged with the parent's method.
        keys_of: Returns the keys of a statement, which can belong to several groups.
    """
    positions_by_key: dict[str, list[int]] = {}
    for position, statement in enumerate(merge.generated_statements):
        for key in keys_of(statement):
            positions_by_key.setdefault(key, []).append(position)
    groups = {}
    for key, positions in positions_by_key.items():
        groups[key] = StatementGroup(merge, positions)
    return groups


def _find_first_below(
    levels: Sequence[Sequence[int]], start: int, limit: int
) -> int | None:
    """Return the first index, from a start, of a number below a limit; None if none is.

    For the numbers 3, 1, 2, the start 1 and the limit 2, the result is 1. The search
    takes few steps: the minimum of a block shows whether the block has such a number.

    Args:
        levels: The numbers, then the minimum of each two, of each four, and so on.
        start: The index to start from.
        limit: The limit.
    """
    level = 0
    index = start
    # Skip blocks whose numbers are all too large. Where a larger block begins, test its
    # minimum instead of those of its parts.
    while index < len(levels[level]) and levels[level][index] >= limit:
        index += 1
        is_start_of_larger_block = index % 2 == 0
        if is_start_of_larger_block:
            level += 1
            index //= 2
    if index >= len(levels[level]):
        return None
    # This block has such a number. Go down to the first half that has it.
    while level > 0:
        level -= 1
        index *= 2
        if levels[level][index] >= limit:
            index += 1
    return index
