"""The index of all models that a project can inherit from: what they define, and which of it holds which grams."""

import math
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any

from modular.run.infer.fragments import METHOD, Fragment, Piece
from modular.run.infer.packed import Packed


_COMMON = 0.05
"""Grams that are in a larger part of all classes say nothing."""

_FEW = 9
"""So many say something also where there are few classes."""

_SCALE = 1000
"""Weights are whole numbers: their sums do not depend on the order."""


@dataclass(frozen=True)
class IndexedFile:
    """A model file: its path as the project knows it, its model (the folder's name), and what it defines.

    ``key`` is the digest of its content, ``year`` the first that its heading names, ``first`` the number of its first piece.
    The fields of the pieces stand in ``rows``; they are numbered in this order. A file is ``derived`` that a modular file
    generates.
    """

    path: str
    model: str
    key: str
    year: str
    first: int
    rows: Sequence[Sequence[Any]]
    derived: bool = False

    @cached_property
    def folder(self) -> str:
        """The folder of the model."""
        return self.path.rpartition("/")[0]

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """Its classes and functions, each followed by its methods."""
        return tuple(Piece(*row) for row in self.rows)

    @cached_property
    def methods(self) -> Mapping[str, Mapping[str, Piece]]:
        """The methods of each class, by their own names."""
        return methods_of(self.pieces)

    @property
    def holders(self) -> Iterator[int]:
        """The numbers of its classes and functions."""
        return (self.first + place for place, row in enumerate(self.rows) if row[1] != METHOD)


def methods_of(pieces: Iterable[Piece]) -> dict[str, dict[str, Piece]]:
    """Return the methods among the pieces of a file, by the class and their own names."""
    found: dict[str, dict[str, Piece]] = {}
    for each in pieces:
        if each.kind == METHOD:
            owner, _, name = each.name.partition(".")
            found.setdefault(owner, {})[name] = each
    return found


class Index:
    """The model files of a project and its source library, by path.

    The grams of most pieces are ``packed``; ``changed`` gives the fragments of files that were written since, by their numbers.
    ``gone`` are the numbers of the classes and functions that are packed and there no more.
    """

    def __init__(
        self,
        files: tuple[IndexedFile, ...],
        packed: Packed,
        changed: Mapping[int, Fragment] = {},
        gone: Sequence[int] = (),
    ) -> None:
        self.files = files
        self.size = sum(1 for file in files for _ in file.holders)
        self._packed = packed
        self._gone = gone
        self._by_number = sorted((file for file in files if file.rows), key=lambda file: file.first)
        self._firsts = [file.first for file in self._by_number]
        self._new: dict[int, int] = {}
        self._added: dict[int, list[int]] = {}
        self._inside = {number: self._add(number, each) for number, each in changed.items()}
        self._sums: dict[int, int] = {}

    def _add(self, number: int, fragment: Fragment) -> list[int]:
        places = []
        for gram in fragment.grams:
            place = self._packed.find(gram)
            if place is None:
                place = self._new.setdefault(gram, len(self._packed.grams) + len(self._new))
            if fragment.kind != METHOD:
                self._added.setdefault(place, []).append(number)
            places.append(place)
        return places

    def find(self, number: int) -> tuple[IndexedFile, int] | None:
        """Return the file that holds a piece, and which of its pieces it is; None if it is there no more."""
        at = bisect_right(self._firsts, number) - 1
        file = self._by_number[at] if at >= 0 else None
        return (file, number - file.first) if file is not None and number < file.first + len(file.rows) else None

    def place_of(self, gram: int) -> int | None:
        """Return where a gram stands; None if nothing has it."""
        place = self._packed.find(gram)
        return self._new.get(gram) if place is None else place

    def holders(self, place: int) -> Sequence[int]:
        """Return the numbers of the classes and functions that hold a gram; some may be there no more."""
        packed = self._packed.holders_of(place) if place < len(self._packed.grams) else ()
        return [*packed, *self._added[place]] if place in self._added else packed

    def places(self, number: int) -> Sequence[int]:
        """Return where the grams of a piece stand."""
        return self._inside[number] if number in self._inside else self._packed.places_in(number)

    def weight(self, number: int) -> int:
        """Return what all grams of a piece count together."""
        found = self._sums.get(number)
        if found is None:
            found = self._sums[number] = sum(map(self.weights.__getitem__, self.places(number)))
        return found

    @cached_property
    def weights(self) -> list[int]:
        """What the gram at each place counts: the less the more classes and functions have it."""
        counts = self._counts()
        by_count = [weight_of(max(count, 1), self.size) for count in range(max(counts, default=0) + 1)]
        return list(map(by_count.__getitem__, counts))

    def _counts(self) -> list[int]:
        counts = [*self._packed.counts(), *[0] * len(self._new)]
        for place, numbers in self._added.items():
            counts[place] += len(numbers)
        for number in self._gone:
            for place in self._packed.places_in(number):
                counts[place] -= 1
        return counts


def weight_of(count: int, size: int) -> int:
    """What a gram counts that is in so many of all classes and functions."""
    return round(_SCALE * math.log((size + 1) / count)) if count < _COMMON * size + _FEW else 0


def folders_of(index: Index, names: Collection[str]) -> set[str]:
    """Return the folders of the models with these names."""
    return {file.folder for file in index.files if PurePosixPath(file.folder).name in names}
