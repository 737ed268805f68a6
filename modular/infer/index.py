"""The index of all models that a project can inherit from: what they define, and which of it holds which grams."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from modular.infer.fragments import METHOD, Fragment, Piece
from modular.infer.packed import Numbers, Packed, weights_of


@dataclass(frozen=True)
class IndexedFile:
    """A model file: its path as the project knows it, its model (the folder's name), and what it defines.

    ``key`` is the digest of its content, ``stamp`` what the file system said of it then, ``year`` the first that its heading
    names. It has ``size`` pieces, numbered from ``first``; ``holding`` are those that are no methods. Their fields stand in
    ``text``, as JSON. A file is ``derived`` that a modular file generates.
    """

    path: str
    model: str
    key: str
    stamp: str
    year: str
    first: int
    size: int
    holding: int
    text: bytes
    derived: bool = False

    @cached_property
    def folder(self) -> str:
        """The folder of the model."""
        return self.path.rpartition("/")[0]

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """Its classes and functions, each followed by its methods."""
        return tuple(Piece(*row) for row in json.loads(self.text))

    @cached_property
    def methods(self) -> Mapping[str, Mapping[str, Piece]]:
        """The methods of each class, by their own names."""
        return methods_of(self.pieces)

    @property
    def holders(self) -> Iterator[int]:
        """The numbers of its classes and functions."""
        return (number for number, each in enumerate(self.pieces, self.first) if each.kind != METHOD)


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
        self.size = sum(file.holding for file in files)
        self._packed = packed
        self._gone = gone
        self._is_packed = not changed and not gone
        self._files: list[IndexedFile | None] = [None] * max(
            packed.pieces, *(file.first + file.size for file in files), 0
        )
        for file in files:
            self._files[file.first : file.first + file.size] = [file] * file.size
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

    @property
    def pieces(self) -> int:
        """How many numbers of pieces there are; some may be there no more."""
        return len(self._files)

    @cached_property
    def holding(self) -> Sequence[int]:
        """The numbers of all classes and functions; some may be there no more."""
        return [*self._packed.holding, *sorted({number for numbers in self._added.values() for number in numbers})]

    def file_of(self, number: int) -> IndexedFile | None:
        """Return the file that holds a piece; None if it is there no more."""
        return self._files[number]

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
        if self._is_packed:
            return self._packed.sums[number]
        found = self._sums.get(number)
        if found is None:
            found = self._sums[number] = sum(map(self.weights.__getitem__, self.places(number)))
        return found

    @cached_property
    def weights(self) -> Numbers:
        """What the gram at each place counts: the less the more classes and functions have it."""
        return self._packed.weights if self._is_packed else weights_of(self._counts(), self.size)

    def _counts(self) -> list[int]:
        counts = [*self._packed.counts(), *[0] * len(self._new)]
        for place, numbers in self._added.items():
            counts[place] += len(numbers)
        for number in self._gone:
            for place in self._packed.places_in(number):
                counts[place] -= 1
        return counts


def folders_of(index: Index, names: Collection[str]) -> set[str]:
    """Return the folders of the models with these names."""
    return {file.folder for file in index.files if PurePosixPath(file.folder).name in names}
