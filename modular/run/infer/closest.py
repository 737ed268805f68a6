"""Finds the pieces of an index that have most in common with a piece of code."""

from bisect import insort
from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from modular.run.infer.fragments import METHOD, Fragment, Piece
from modular.run.infer.index import Index, IndexedFile, weight_of


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
            if len(ranked) >= _MOST and most < ranked[-_MOST] * self.weight:
                break
            for each in self._pieces(number, most):
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
        shared: dict[int, int] = defaultdict(int)
        weights, holders = self.index.weights, self.index.holders
        for place in self.own:
            if weight := weights[place]:
                for number in holders(place):
                    shared[number] += weight
        least = _LEAST * self.weight
        promising = [each for each in shared.items() if each[1] >= least]
        return sorted(promising, key=lambda each: (-each[1], each[0]))

    def _pieces(self, number: int, shared: int) -> Iterator[Hit]:
        """Yield what counts of a class or function: the methods of a class if a method is asked for."""
        found = self.index.find(number)
        if found is None or found[0].folder in self.left_out:
            return
        file, at = found
        piece = file.pieces[at]
        if piece.kind == self.asked.kind:
            yield self._hit(file, at, shared)
        elif self.asked.kind == METHOD:
            for place in range(at + 1, len(file.pieces)):
                if file.pieces[place].kind != METHOD:
                    break
                inside = self.own.intersection(self.index.places(file.first + place))
                yield self._hit(file, place, sum(map(self.index.weights.__getitem__, inside)))

    def _hit(self, file: IndexedFile, at: int, shared: int) -> Hit:
        theirs = self.index.weight(file.first + at)
        return Hit(
            file,
            file.pieces[at],
            shared / max(1, self.weight + theirs - shared),
            shared / max(1, self.weight) + shared / max(1, theirs),
        )
