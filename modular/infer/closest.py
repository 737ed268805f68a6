"""Finds the pieces of an index that have most in common with a piece of code."""

from bisect import insort
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from modular.infer.fragments import CLASS, METHOD, Fragment, Piece
from modular.infer.index import Index, IndexedFile
from modular.infer.packed import weight_of


_MOST = 60
"""So many that are not equal are looked at more closely."""

_LEAST = 0.05
"""What has less in common, as a share of what is asked for, is not near."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A piece of the index. ``similarity`` (0 to 1) is the share of weighted 4-grams in common, of those that either has.

    ``common`` (0 to 2) is what both have in common as a share of the one, and as a share of the other, added up.
    """

    file: IndexedFile
    piece: Piece
    similarity: float
    common: float


def closest(index: Index, asked: Fragment, left_out: Collection[str]) -> list[Hit]:
    """Return the most similar pieces of a fragment's kind, sorted by path and line, those of folders left out aside."""
    return _Search(index, asked, left_out).hits()


class _Search:
    """The search for what is close to one fragment."""

    def __init__(self, index: Index, asked: Fragment, left_out: Collection[str]) -> None:
        self.index = index
        self.asked = asked
        self.left_out = left_out
        self.own = {place for gram in asked.grams if (place := index.place_of(gram)) is not None}
        unknown = len(asked.grams) - len(self.own)
        self.weight = sum(index.weights[place] for place in self.own) + unknown * weight_of(1, index.size)

    def hits(self) -> list[Hit]:
        """Look at what may be close, until nothing that is left can be closer."""
        found: list[Hit] = []
        best: dict[str, float] = {}
        ranked: list[float] = []
        for number, most in self._promising():
            least = ranked[-_MOST] if len(ranked) >= _MOST else 0
            if most < least * self.weight:
                break
            for each in self._pieces(number, most, least):
                found.append(each)
                before = best.get(each.piece.digest)
                if before is None or each.similarity > before:
                    if before is not None:
                        ranked.remove(before)
                    best[each.piece.digest] = each.similarity
                    insort(ranked, each.similarity)
        least = ranked[-_MOST] if len(ranked) >= _MOST else 0
        return sorted(
            (each for each in found if each.similarity >= least), key=lambda each: (each.file.path, each.piece.line)
        )

    def _promising(self) -> list[tuple[int, int]]:
        """The classes and functions that have anything in common, and what it weighs; most first."""
        shared = [0] * self.index.pieces
        weights, holders = self.index.weights, self.index.holders
        for place in self.own:
            if weight := weights[place]:
                for number in holders(place):
                    shared[number] += weight
        least = max(1, _LEAST * self.weight)
        promising = [(number, shared[number]) for number in self.index.holding if shared[number] >= least]
        return sorted(promising, key=lambda each: (-each[1], each[0]))

    def _pieces(self, number: int, shared: int, least: float) -> Iterator[Hit]:
        """Yield what counts of a class or function: the methods of a class if a method is asked for.

        What is less similar than ``least`` is passed over.
        """
        file = self.index.file_of(number)
        if file is None or file.folder in self.left_out:
            return
        if self.asked.kind == METHOD:
            yield from self._methods(file, number - file.first)
        elif self._similarity(number, shared) >= least:
            piece = file.pieces[number - file.first]
            if piece.kind == self.asked.kind:
                yield self._hit(file, piece, number, shared)

    def _methods(self, file: IndexedFile, at: int) -> Iterator[Hit]:
        """Yield the methods of the class that is a file's piece at a place."""
        for place in range(at + 1, file.size if file.pieces[at].kind == CLASS else 0):
            if file.pieces[place].kind != METHOD:
                break
            inside = self.own.intersection(self.index.places(file.first + place))
            shared = sum(map(self.index.weights.__getitem__, inside))
            yield self._hit(file, file.pieces[place], file.first + place, shared)

    def _similarity(self, number: int, shared: int) -> float:
        return shared / max(1, self.weight + self.index.weight(number) - shared)

    def _hit(self, file: IndexedFile, piece: Piece, number: int, shared: int) -> Hit:
        common = shared / max(1, self.weight) + shared / max(1, self.index.weight(number))
        return Hit(file, piece, self._similarity(number, shared), common)
