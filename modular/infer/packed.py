"""The grams of many pieces as arrays: which pieces hold a gram, and which grams are in a piece. They are read without a copy."""

import math
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import accumulate
from operator import sub
from typing import Final


_TYPE: Final = "I"
_ITEM = 4
"""Bytes of a number."""

_LARGEST = 0xFFFFFFFF
"""The largest number that is kept."""

_COMMON = 0.05
"""Grams that are in a larger part of all classes say nothing."""

_FEW = 9
"""So many say something also where there are few classes."""

_SCALE = 1000
"""Weights are whole numbers: their sums do not depend on the order."""

Numbers = Sequence[int]


@dataclass(frozen=True, slots=True)
class Packed:
    """Grams are known by their places, pieces by the order in which they were packed.

    ``grams`` are sorted, and ``order`` holds their places. The holders of the gram at place `n` are `holders[starts[n]:starts[n + 1]]`, and the places of piece `n`'s grams
    `inside[bounds[n]:bounds[n + 1]]`. ``holding`` are the pieces that count as holders. ``weights`` is what each gram counts, ``sums`` what those of each piece count together.
    """

    grams: Numbers
    order: Numbers
    starts: Numbers
    holders: Numbers
    holding: Numbers
    bounds: Numbers
    inside: Numbers
    weights: Numbers
    sums: Numbers

    @property
    def pieces(self) -> int:
        """How many pieces there are."""
        return len(self.bounds) - 1

    def find(self, gram: int) -> int | None:
        """Return a gram's place; None if no piece has it."""
        at = bisect_left(self.grams, gram)
        return self.order[at] if at < len(self.grams) and self.grams[at] == gram else None

    def holders_of(self, place: int) -> Numbers:
        """Return the pieces that hold a gram."""
        return self.holders[self.starts[place] : self.starts[place + 1]]

    def places_in(self, piece: int) -> Numbers:
        """Return the places of a piece's grams."""
        return self.inside[self.bounds[piece] : self.bounds[piece + 1]]

    def by_place(self) -> "array[int]":
        """Return the grams by their places."""
        found = array(_TYPE, bytes(_ITEM * len(self.grams)))
        for gram, place in zip(self.grams, self.order, strict=True):
            found[place] = gram
        return found

    def counts(self) -> list[int]:
        """Return for each gram how many pieces hold it."""
        return list(map(sub, self.starts[1:], self.starts))

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
        counts = [self._counts[place] for place in range(len(grams))]
        starts = array(_TYPE, accumulate(counts, initial=0))
        holders, ends = array(_TYPE, bytes(_ITEM * starts[-1])), starts[:]
        for number in self._holding:
            for place in self._places_in(number):
                holders[ends[place]] = number
                ends[place] += 1
        weights = weights_of(counts, len(self._holding))
        all_sums = (sum(map(weights.__getitem__, self._places_in(number))) for number in range(self.pieces))
        sums = array(_TYPE, (min(_LARGEST, each) for each in all_sums))
        ordered = array(_TYPE, map(grams.__getitem__, order))
        holding = array(_TYPE, self._holding)
        weighed = array(_TYPE, weights)
        return Packed(ordered, order, starts, holders, holding, self._bounds, self._inside, weighed, sums)

    def _places_in(self, number: int) -> Numbers:
        return self._inside[self._bounds[number] : self._bounds[number + 1]]


def weight_of(count: int, size: int) -> int:
    """What a gram counts that is in so many of all classes and functions."""
    return round(_SCALE * math.log((size + 1) / count)) if count < _COMMON * size + _FEW else 0


def weights_of(counts: Sequence[int], size: int) -> list[int]:
    """What grams count that are in so many of all classes and functions."""
    by_count = [weight_of(max(count, 1), size) for count in range(max(counts, default=0) + 1)]
    return list(map(by_count.__getitem__, counts))


EMPTY = Packer().packed()
