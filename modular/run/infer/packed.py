"""The grams of many pieces as arrays: which pieces hold a gram, and which grams are in a piece. They are read without a copy."""

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import accumulate, pairwise
from typing import Final


_TYPE: Final = "I"
_ITEM = 4
"""Bytes of a number."""

Numbers = Sequence[int]


@dataclass(frozen=True, slots=True)
class Packed:
    """Grams are known by their places in ``grams``, pieces by the order in which they were packed.

    ``order`` holds the places sorted by their grams. The holders of the gram at place `n` are `holders[starts[n]:starts[n + 1]]`,
    and the places of piece `n`'s grams `inside[bounds[n]:bounds[n + 1]]`.
    """

    grams: Numbers
    order: Numbers
    starts: Numbers
    holders: Numbers
    bounds: Numbers
    inside: Numbers

    @property
    def pieces(self) -> int:
        """How many pieces there are."""
        return len(self.bounds) - 1

    def find(self, gram: int) -> int | None:
        """Return a gram's place; None if no piece has it."""
        at = bisect_left(self.order, gram, key=self.grams.__getitem__)
        return self.order[at] if at < len(self.order) and self.grams[self.order[at]] == gram else None

    def holders_of(self, place: int) -> Numbers:
        """Return the pieces that hold a gram."""
        return self.holders[self.starts[place] : self.starts[place + 1]]

    def places_in(self, piece: int) -> Numbers:
        """Return the places of a piece's grams."""
        return self.inside[self.bounds[piece] : self.bounds[piece + 1]]

    def grams_in(self, piece: int) -> Numbers:
        """Return a piece's grams."""
        return array(_TYPE, map(self.grams.__getitem__, self.places_in(piece)))

    def counts(self) -> list[int]:
        """Return for each gram how many pieces hold it."""
        return [end - start for start, end in pairwise(self.starts)]

    def as_bytes(self) -> tuple[list[int], bytes]:
        """Return the length of each array, and all of them behind each other."""
        arrays = [array(_TYPE, getattr(self, each.name)) for each in fields(self)]
        return [len(each) for each in arrays], b"".join(each.tobytes() for each in arrays)


def from_bytes(lengths: Sequence[int], data: memoryview) -> Packed:
    """Return what `as_bytes` gave, without a copy. Raises ValueError."""
    if len(lengths) != len(fields(Packed)) or sum(lengths) * _ITEM != len(data):
        raise ValueError("no arrays of these lengths")
    arrays, done = [], 0
    for length in lengths:
        arrays.append(data[done : done + length * _ITEM].cast(_TYPE))
        done += length * _ITEM
    return Packed(*arrays)


class Places(dict[int, int]):
    """The places of grams: a gram that is asked for first gets the next."""

    def __missing__(self, gram: int) -> int:
        place = self[gram] = len(self)
        return place


class Packer:
    """Packs pieces one after the other, whose grams are given by their places in ``places``."""

    def __init__(self) -> None:
        self.places = Places()
        self.pieces = 0
        self._bounds = array(_TYPE, [0])
        self._inside = array(_TYPE)
        self._counts: Counter[int] = Counter()
        self._holding: list[int] = []

    def add(self, places: "array[int]", *, is_holder: bool) -> None:
        """Pack a piece."""
        self._inside.extend(places)
        self._bounds.append(len(self._inside))
        if is_holder:
            self._counts.update(places)
            self._holding.append(self.pieces)
        self.pieces += 1

    def packed(self) -> Packed:
        """Return what was packed."""
        grams = array(_TYPE, self.places)
        order = array(_TYPE, sorted(range(len(grams)), key=grams.__getitem__))
        starts = array(_TYPE, accumulate((self._counts[place] for place in range(len(grams))), initial=0))
        holders, ends = array(_TYPE, bytes(_ITEM * starts[-1])), starts[:]
        for number in self._holding:
            for place in self._inside[self._bounds[number] : self._bounds[number + 1]]:
                holders[ends[place]] = number
                ends[place] += 1
        return Packed(grams, order, starts, holders, self._bounds, self._inside)


EMPTY = Packer().packed()
