"""Finds the classes, functions and methods of an index that share most with a piece of code."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from modular.infer.fragments import METHOD, Fragment, Piece
from modular.infer.index import Index, IndexedFile


_MOST = 60
"""So many that are not equal are looked at more closely."""

_LEAST = 0.05
"""What shares less than this part of what is asked for is not near."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A piece of the index, and how many 4-grams it shares with the one that is asked for. They have ``size`` and ``asked``."""

    file: IndexedFile
    piece: Piece
    shared: int
    size: int
    asked: int

    @property
    def similarity(self) -> float:
        """The share of 4-grams in common (0 to 1), of those that either has."""
        return self.shared / max(1, self.size + self.asked - self.shared)

    @property
    def common(self) -> float:
        """What both have in common as a share of the one, and as a share of the other, added up (0 to 2)."""
        return self.shared / max(1, self.asked) + self.shared / max(1, self.size)


def closest(index: Index, asked: Fragment, left_out: Collection[str]) -> list[Hit]:
    """Return the most similar pieces of a fragment's kind, sorted by path and line, those of folders left out aside."""
    grams = index.telling(asked)
    least = max(1, _LEAST * len(grams))
    sharing = (each for each in index.sharing(grams) if each[0].folder not in left_out)
    hits = [Hit(file, piece, shared, size, len(grams)) for file, piece, shared, size in sharing if shared >= least]
    if asked.kind == METHOD:
        hits = [method for each in _most_similar(hits) for method in _methods(index, each, asked)]
    else:
        hits = [hit for hit in hits if hit.piece.kind == asked.kind]
    return sorted(_most_similar(hits), key=lambda each: (each.file.path, each.piece.line))


def _most_similar(hits: list[Hit]) -> list[Hit]:
    """The most similar; of those that are equal all or none."""
    best: dict[str, float] = {}
    for hit in hits:
        best[hit.piece.digest] = max(hit.similarity, best.get(hit.piece.digest, 0))
    least = sorted(best.values())[-_MOST:][:1]
    return [hit for hit in hits if hit.similarity >= least[0]]


def _methods(index: Index, hit: Hit, asked: Fragment) -> Iterator[Hit]:
    """The methods of a class, whose 4-grams are not in the index."""
    for fragment in index.fragments_of(hit.file):
        if fragment.kind == METHOD and fragment.name.partition(".")[0] == hit.piece.name:
            grams, wanted = index.telling(fragment), index.telling(asked)
            yield Hit(hit.file, fragment, len(grams & wanted), len(grams), len(wanted))
