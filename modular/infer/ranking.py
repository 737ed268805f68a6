"""Ranks what an index holds by how likely the classes, functions and methods of a file come from it."""

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import cached_property
from operator import mul
from typing import NamedTuple

from modular.infer.closest import Hit, closest
from modular.infer.fragments import METHOD, Fragment, Piece
from modular.infer.index import Index, IndexedFile, methods_of
from modular.infer.relations import NO_YEAR


@dataclass(frozen=True)
class About:
    """What is known of the file of a question: its model, its year, and all that it defines, the methods included."""

    model: str = ""
    year: str = NO_YEAR
    pieces: Sequence[Fragment] = ()


@dataclass(frozen=True, slots=True)
class Near:
    """A fragment of the library, how similar it is (0 to 1: the share of weighted 4-grams in common), and its rank's score."""

    file: IndexedFile
    fragment: Piece
    similarity: float
    score: float


class Signs(NamedTuple):
    """What speaks for a piece as the one that another was made from. Most are between 0 and 1.

    ``common`` is what `closest.Hit` says. ``equal``: the share of methods that are equal. ``together``: how close the rest of
    the file is to the same model, at most. ``chosen``: how likely the rest of the file comes from the same model, judged by
    itself. ``uses``: the logarithm of how many models take from this one. ``derived``: it comes from a third model itself.
    ``newer``: its file is of a later year. ``related``: how alike the models are called.
    """

    common: float
    equal: float
    together: float
    chosen: float
    uses: float
    derived: float
    newer: float
    related: float


WEIGHTS = Signs(common=1, equal=0.3, together=0.75, chosen=0.7, uses=0.11, derived=-0.15, newer=-0.35, related=0.45)
"""What each sign counts."""

_DIGITS = 6
"""Scores that differ less are the same."""

_SHARPNESS = 12
_USED = 0.5
"""How likely it is that a piece comes from a model, judged by itself, grows with its similarity and its model's uses."""


def rank(
    index: Index,
    asked: Sequence[Fragment],
    left_out: Collection[str],
    uses: Mapping[str, int],
    most: int,
    about: About = About(),
) -> list[list[Near]]:
    """Return for each fragment the nearest of its kind, best first and at most so many; equal ones once.

    ``left_out`` are folders whose models do not count, ``uses`` says how many models take from those of a folder already.
    """
    ranking = Ranking(index, left_out, uses, about if about.pieces else replace(about, pieces=asked))
    return [_best(ranking.nears(each), most) for each in asked]


class Ranking:
    """The ranking for one file."""

    def __init__(self, index: Index, left_out: Collection[str], uses: Mapping[str, int], about: About) -> None:
        self.index = index
        self.left_out = left_out
        self.uses = uses
        self.about = about
        self._around = [piece for piece in about.pieces if piece.kind != METHOD]
        self._methods = methods_of(about.pieces)
        self._found: dict[tuple[str, int], list[Hit]] = {}
        self._related: dict[str, float] = {}

    def nears(self, asked: Fragment) -> list[Near]:
        """Return what is close to a fragment, with scores."""
        return [
            Near(each.file, each.piece, each.similarity, round(sum(map(mul, signs, WEIGHTS)), _DIGITS))
            for each, signs in self.signs(asked)
        ]

    def signs(self, asked: Fragment) -> list[tuple[Hit, Signs]]:
        """Return what is close to a fragment, and what speaks for it."""
        hits = self._hits(asked)
        is_around = asked.kind != METHOD
        together, chosen = (_by_folder(hits), self._likely(hits)) if is_around else ({}, {})
        others = max(1, len(self._around) - is_around)
        methods = self._methods.get(asked.name, {})
        return [
            (
                hit,
                Signs(
                    common=hit.common,
                    equal=_equal(methods, hit.file.methods.get(hit.piece.name, {})),
                    together=(self._together[hit.file.folder] - together.get(hit.file.folder, 0)) / others,
                    chosen=(self._chosen[hit.file.folder] - chosen.get(hit.file.folder, 0)) / others,
                    uses=self._popularity(hit.file.folder),
                    derived=hit.file.derived,
                    newer=self.about.year < hit.file.year < NO_YEAR,
                    related=self._likeness(hit.file.model),
                ),
            )
            for hit in hits
        ]

    def _hits(self, asked: Fragment) -> list[Hit]:
        key = asked.name, asked.line
        if key not in self._found:
            self._found[key] = closest(self.index, asked, self.left_out)
        return self._found[key]

    @cached_property
    def _together(self) -> Mapping[str, float]:
        """For each folder how similar the classes and functions of the file are to those of its model, added up."""
        return _added(_by_folder(self._hits(each)) for each in self._around)

    @cached_property
    def _chosen(self) -> Mapping[str, float]:
        """For each folder how many of the classes and functions of the file are likely to come from its model."""
        return _added(self._likely(self._hits(each)) for each in self._around)

    def _likely(self, hits: Sequence[Hit]) -> dict[str, float]:
        """How likely one fragment comes from the model of each folder, judged by itself."""
        found: dict[str, float] = defaultdict(float)
        for hit in hits:
            folder = hit.file.folder
            found[folder] += math.exp(_SHARPNESS * hit.similarity + _USED * self._popularity(folder))
        total = sum(found.values())
        return {folder: value / total for folder, value in found.items()}

    def _popularity(self, folder: str) -> float:
        return math.log1p(self.uses.get(folder, 0))

    def _likeness(self, model: str) -> float:
        """How alike a model and the one of the question are called."""
        if model not in self._related:
            self._related[model] = SequenceMatcher(None, self.about.model, model, autojunk=False).ratio()
        return self._related[model]


def _equal(methods: Mapping[str, Piece], theirs: Mapping[str, Piece]) -> float:
    """The share of two classes' methods that are equal, by their sizes."""
    both = sum(each.size for name, each in methods.items() if name in theirs and theirs[name].digest == each.digest)
    union = sum(each.size for each in (*methods.values(), *theirs.values())) - both
    return both / max(1, union)


def _by_folder(hits: Sequence[Hit]) -> dict[str, float]:
    """For each folder how similar its most similar piece is."""
    found: dict[str, float] = {}
    for hit in hits:
        folder = hit.file.folder
        found[folder] = max(hit.similarity, found.get(folder, 0))
    return found


def _added(tables: Iterable[Mapping[str, float]]) -> Mapping[str, float]:
    found: dict[str, float] = defaultdict(float)
    for table in tables:
        for key, value in table.items():
            found[key] += value
    return found


def _best(scored: list[Near], most: int) -> list[Near]:
    scored.sort(key=lambda each: (-each.score, each.file.path, each.fragment.line))
    seen: set[str] = set()
    found = []
    for each in scored:
        if each.fragment.digest not in seen:
            seen.add(each.fragment.digest)
            found.append(each)
            if len(found) == most:
                break
    return found
