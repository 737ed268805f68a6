"""Sequences whose items are made when they are looked at."""

from collections.abc import Callable, Sequence
from typing import TypeVar, overload


_Item = TypeVar("_Item")


class Lazy(Sequence[_Item]):
    """A sequence of some length; ``make`` makes the item at an index (from 0), once."""

    def __init__(self, length: int, make: Callable[[int], _Item]) -> None:
        self._numbers = range(length)
        self._make = make
        self._made: dict[int, _Item] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, index: int) -> _Item: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[_Item, ...]: ...

    def __getitem__(self, index: int | slice) -> _Item | tuple[_Item, ...]:
        if isinstance(index, slice):
            return tuple(map(self._item, self._numbers[index]))
        return self._item(self._numbers[index])

    def _item(self, number: int) -> _Item:
        if number not in self._made:
            self._made[number] = self._make(number)
        return self._made[number]
