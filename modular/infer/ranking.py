"""Ranks what an index holds by how likely the classes, functions and methods of a file come from it."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property, lru_cache
from itertools import islice, pairwise
from operator import mul
from typing import NamedTuple

from modular.infer.fragments import METHOD, Fragment, fragments, methods_of
from modular.infer.index import IndexedFile, ParentModels
from modular.source.module import Module


_MOST = 60
"""So many that are not equal are looked at more closely."""

_LEAST = 0.05
"""What shares less than this part of what is asked for is not near."""

_CHANCE = 0.5
"""Names that are less alike say nothing: a file may have any."""

_DIGITS = 6
"""Scores that differ less are the same."""


@dataclass(frozen=True, slots=True)
class Similar:
    """A fragment of the library, and how many 4-grams it shares with the one that is asked for: they have ``size`` and ``asked``."""

    file: IndexedFile
    fragment: Fragment
    shared: int
    size: int
    asked: int

    @property
    def similarity(self) -> float:
        """The share of 4-grams in common (0 to 1), of those that either has."""
        return self.shared / max(1, self.size + self.asked - self.shared)


class RankingFeatures(NamedTuple):
    """What speaks for a fragment as the one that another was made from.

    ``common`` is what both have in common as a share of the one, and as a share of the other, added up (0 to 2). ``equal``: the
    share of methods that are equal. ``together``: how close the rest of the file is to the same model, at most 1. ``uses``: the
    logarithm of how many models take from this one. ``related``: how alike the models are called (0 to 1).
    """

    common: float
    equal: float
    together: float
    uses: float
    related: float


WEIGHTS = RankingFeatures(common=1, equal=0.3, together=1, uses=0.11, related=0.45)
"""What each sign counts."""

_REASONS = {
    "common": "it has more in common with what is asked for",
    "equal": "more of its methods are equal",
    "together": "the rest of the file is closer to its model",
    "uses": "more models take from its model",
    "related": "its model has a more similar name",
}
"""Why what has more of a sign comes first."""


class Ranking:
    """The ranking for the file of one model: its ``fragments``, and the ``methods`` of its classes by their own names."""

    def __init__(self, models: ParentModels, module: Module, model: str) -> None:
        self._models = models
        self._model = model
        self.fragments = list(
            fragments(module, model, models.index.project.names.cased(model))
        )
        self.methods = methods_of(self.fragments)
        self._definitions = [
            fragment for fragment in self.fragments if fragment.kind != METHOD
        ]
        self._similar: dict[Fragment, list[Similar]] = {}

    def nearest(self, asked: Fragment, most: int) -> list[Similar]:
        """Return the nearest of a fragment's kind, best first and at most so many.

        Of equal ones the one of the model with the lowest precedence counts, else the best.
        """
        own = self._own(asked)
        scored = [
            (
                -round(
                    sum(map(mul, self._signs(asked, similar, own), WEIGHTS)), _DIGITS
                ),
                similar,
            )
            for similar in self._similar_to(asked)
        ]
        scored.sort(
            key=lambda pair: (pair[0], pair[1].file.path, pair[1].fragment.line)
        )
        equal: dict[str, list[Similar]] = defaultdict(list)
        for _, similar in scored:
            equal[similar.fragment.digest].append(similar)
        return [
            min(group, key=self._precedence) for group in islice(equal.values(), most)
        ]

    def reasons(self, asked: Fragment, nearest: Sequence[Similar]) -> list[str]:
        """Return for each of the nearest why it is before the next one; empty where it is more similar, and for the last."""
        own = self._own(asked)
        signs = [self._signs(asked, similar, own) for similar in nearest]
        pairs = pairwise(zip(nearest, signs, strict=True))
        return [
            "" if first.similarity > second.similarity else _reason(more, less)
            for (first, more), (second, less) in pairs
        ] + [""] * bool(nearest)

    def _precedence(self, similar: Similar) -> tuple[int, str, str]:
        return self._models.precedence.get(similar.file.folder, (0, "", ""))

    def _signs(
        self, asked: Fragment, similar: Similar, own: Mapping[str, float]
    ) -> RankingFeatures:
        """What speaks for a fragment; ``own`` is what the one that is asked for adds to the sums of all."""
        folder = similar.file.folder
        return RankingFeatures(
            common=similar.shared / max(1, similar.asked)
            + similar.shared / max(1, similar.size),
            equal=_equal(
                self.methods.get(asked.name, {}),
                similar.file.methods.get(similar.fragment.name, {}),
            ),
            together=(self._together[folder] - own.get(folder, 0))
            / max(1, len(self._definitions) - (asked.kind != METHOD)),
            uses=math.log1p(self._models.uses.get(folder, 0)),
            related=_likeness(self._model, similar.file.model),
        )

    def _own(self, asked: Fragment) -> Mapping[str, float]:
        """What a fragment adds to the sums of all definitions, by folder."""
        return {} if asked.kind == METHOD else _by_folder(self._similar_to(asked))

    def _similar_to(self, asked: Fragment) -> list[Similar]:
        """The most similar fragments of its kind; of those that are equal all or none."""
        if asked not in self._similar:
            self._similar[asked] = self._closest(asked)
        return self._similar[asked]

    def _closest(self, asked: Fragment) -> list[Similar]:
        grams = self._models.index.telling(asked)
        least = max(1, _LEAST * len(grams))
        sharing = [
            Similar(file, fragment, shared, size, len(grams))
            for file, fragment, shared, size in self._models.index.sharing(grams)
            if shared >= least and file.folder not in self._models.left_out
        ]
        if asked.kind != METHOD:
            return _most_similar(
                [similar for similar in sharing if similar.fragment.kind == asked.kind]
            )
        return _most_similar(
            [
                method
                for owner in _most_similar(sharing)
                for method in self._methods_of(owner, grams)
            ]
        )

    def _methods_of(self, owner: Similar, asked: set[int]) -> Iterator[Similar]:
        """The methods of a class, whose 4-grams are not in the index."""
        for fragment in self._models.index.fragments_of(owner.file):
            if (
                fragment.kind == METHOD
                and fragment.name.partition(".")[0] == owner.fragment.name
            ):
                grams = self._models.index.telling(fragment)
                yield Similar(
                    owner.file, fragment, len(grams & asked), len(grams), len(asked)
                )

    @cached_property
    def _together(self) -> Mapping[str, float]:
        """For each folder how similar the definitions of the file are to those of its model, added up."""
        together: dict[str, float] = defaultdict(float)
        for definition in self._definitions:
            for folder, similarity in _by_folder(self._similar_to(definition)).items():
                together[folder] += similarity
        return together


@lru_cache(maxsize=1_000)
def _likeness(one: str, other: str) -> float:
    """How alike two models are called; nothing if that may be chance."""
    ratio = SequenceMatcher(None, one, other, autojunk=False).ratio()
    return ratio if ratio > _CHANCE else 0


def _reason(first: RankingFeatures, second: RankingFeatures) -> str:
    """The sign that speaks most for the first of two, in words."""
    differences = [
        weight * (one - other)
        for weight, one, other in zip(WEIGHTS, first, second, strict=True)
    ]
    difference, sign = max(zip(differences, RankingFeatures._fields, strict=True))
    return _REASONS[sign] if difference > 0 else ""


def _most_similar(fragments: list[Similar]) -> list[Similar]:
    """The most similar; of those that are equal all or none."""
    best = _best((similar.fragment.digest, similar.similarity) for similar in fragments)
    least = min(sorted(best.values())[-_MOST:], default=0)
    return [similar for similar in fragments if similar.similarity >= least]


def _by_folder(fragments: Iterable[Similar]) -> dict[str, float]:
    """For each folder how similar its most similar fragment is."""
    return _best((similar.file.folder, similar.similarity) for similar in fragments)


def _best(similarities: Iterable[tuple[str, float]]) -> dict[str, float]:
    best: dict[str, float] = {}
    for key, similarity in similarities:
        best[key] = max(similarity, best.get(key, 0))
    return best


def _equal(methods: Mapping[str, Fragment], theirs: Mapping[str, Fragment]) -> float:
    """The share of two classes' methods that are equal, by their sizes."""
    both = sum(
        own.size
        for name, own in methods.items()
        if name in theirs and theirs[name].digest == own.digest
    )
    union = sum(method.size for method in (*methods.values(), *theirs.values())) - both
    return both / max(1, union)
