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
    """Grams are known by their places in ``grams``, which is sorted; pieces by the order in which they were packed.

    The holders of gram `n` are `holders[starts[n]:starts[n + 1]]`, and the grams of piece `n` `inside[bounds[n]:bounds[n + 1]]`.
    """

    grams: Numbers
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
        place = bisect_left(self.grams, gram)
        return place if place < len(self.grams) and self.grams[place] == gram else None

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


def pack(pieces: Sequence[tuple[bool, Sequence[int]]]) -> Packed:
    """Pack the grams of pieces; for each it is said whether it is a holder. The others are parts of the holder before them."""
    grams = array(_TYPE, sorted(set().union(*(grams for is_holder, grams in pieces if is_holder))))
    places = {gram: place for place, gram in enumerate(grams)}
    whole: dict[int, int] = {}
    bounds, inside = array(_TYPE, [0]), array(_TYPE)
    counts: Counter[int] = Counter()
    for is_holder, own in pieces:
        found = array(_TYPE, map((places if is_holder else whole).__getitem__, own))
        inside.extend(found)
        bounds.append(len(inside))
        if is_holder:
            counts.update(found)
            whole = dict(zip(own, found, strict=True))
    starts = array(_TYPE, accumulate((counts[place] for place in range(len(grams))), initial=0))
    holders, ends = array(_TYPE, bytes(_ITEM * starts[-1])), starts[:]
    for number, (is_holder, _) in enumerate(pieces):
        if is_holder:
            for place in inside[bounds[number] : bounds[number + 1]]:
                holders[ends[place]] = number
                ends[place] += 1
    return Packed(grams, starts, holders, bounds, inside)


EMPTY = pack(())
