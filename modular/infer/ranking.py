"""Ranks indexed fragments by how likely the code of a file was derived from them."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property, lru_cache
from itertools import islice, pairwise
from typing import NamedTuple

from modular.infer.fragments import (
    METHOD,
    Fragment,
    find_fragments,
    methods_by_class,
)
from modular.infer.index import IndexedFile, ParentModels, Precedence
from modular.source.module import Module


_MAX_SIMILAR = 60
"""The number of different fragments that are ranked."""

_MIN_SHARE = 0.05
"""A fragment that shares a smaller part of the query's 4-grams is not similar."""

_MIN_NAME_SIMILARITY = 0.5
"""Model names that are less similar may be so by chance."""

_SCORE_DIGITS = 6
"""Scores that differ in later digits are equal."""


@dataclass(frozen=True, slots=True)
class SimilarFragment:
    """An indexed fragment that shares 4-grams with a query.

    Attributes:
        file: Its file.
        fragment: The class, function or method.
        shared: The number of shared 4-grams.
        size: The number of 4-grams that the fragment has.
        query_size: The number of 4-grams that the query has.
    """

    file: IndexedFile
    fragment: Fragment
    shared: int
    size: int
    query_size: int

    @property
    def similarity(self) -> float:
        """The shared 4-grams as a part (0 to 1) of those that either has."""
        return self.shared / max(1, self.size + self.query_size - self.shared)


class RankingFeatures(NamedTuple):
    """Signs that a query was derived from a fragment.

    Attributes:
        overlap: The shared code as a part of the query, plus as a part of the fragment
            (0 to 2).
        equal_methods: The part of the methods that is equal (0 to 1).
        file_similarity: The similarity of the rest of the file to the model (0 to 1).
        popularity: The logarithm of the number of models that inherit from the model.
        name_similarity: The similarity of the models' names (0 to 1).
    """

    overlap: float
    equal_methods: float
    file_similarity: float
    popularity: float
    name_similarity: float


WEIGHTS = RankingFeatures(
    overlap=1,
    equal_methods=0.3,
    file_similarity=1,
    popularity=0.11,
    name_similarity=0.45,
)

_REASONS = {
    "overlap": "it shares more code",
    "equal_methods": "more of its methods are equal",
    "file_similarity": "the rest of the file is closer to its model",
    "popularity": "more models inherit from its model",
    "name_similarity": "its model has a more similar name",
}
"""Why a fragment with more of a feature comes first."""


class Ranking:
    """The ranking of parents for one file.

    Attributes:
        fragments: The fragments of the file, in order.
        methods: The methods of the file by class and name.
    """

    def __init__(
        self, parent_models: ParentModels, module: Module, model_name: str
    ) -> None:
        """Create a ranking for a file.

        Args:
            parent_models: The models whose classes and functions are ranked.
            module: The file.
            model_name: The name of the model that the file belongs to.
        """
        self._parent_models = parent_models
        self._model_name = model_name
        cased_name = parent_models.index.project.names.cased(model_name)
        self.fragments = list(find_fragments(module, model_name, cased_name))
        self.methods = methods_by_class(self.fragments)
        self._definitions = [
            fragment for fragment in self.fragments if fragment.kind != METHOD
        ]
        self._similar: dict[Fragment, list[SimilarFragment]] = {}

    def find_nearest(self, query: Fragment, limit: int) -> list[SimilarFragment]:
        """Return the nearest fragments of the query's kind, best first.

        Of equal fragments only one is returned: that of the model with the lowest
        precedence.
        """
        query_similarities = self._similarities_of(query)
        scored = []
        for candidate in self._similar_to(query):
            features = self._features(query, candidate, query_similarities)
            products = [
                weight * feature
                for weight, feature in zip(WEIGHTS, features, strict=True)
            ]
            scored.append((round(sum(products), _SCORE_DIGITS), candidate))
        scored.sort(key=lambda one: (-one[0], one[1].file.path, one[1].fragment.line))

        equal: dict[str, list[SimilarFragment]] = defaultdict(list)
        for _, candidate in scored:
            equal[candidate.fragment.digest].append(candidate)
        return [
            min(group, key=self._precedence) for group in islice(equal.values(), limit)
        ]

    def explain_order(
        self, query: Fragment, nearest: Sequence[SimilarFragment]
    ) -> list[str]:
        """Return for each fragment why it comes before the next one.

        The reason is empty for the last one, and where the similarity explains it.
        """
        query_similarities = self._similarities_of(query)
        features = [
            self._features(query, candidate, query_similarities)
            for candidate in nearest
        ]
        reasons = []
        for first, second in pairwise(range(len(nearest))):
            reason = ""
            if nearest[first].similarity <= nearest[second].similarity:
                reason = _strongest_reason(features[first], features[second])
            reasons.append(reason)
        if nearest:
            reasons.append("")
        return reasons

    def _precedence(self, candidate: SimilarFragment) -> Precedence:
        return self._parent_models.rank(candidate.file.folder)

    def _features(
        self,
        query: Fragment,
        candidate: SimilarFragment,
        query_similarities: Mapping[str, float],
    ) -> RankingFeatures:
        """Return the features of a candidate.

        ``query_similarities`` are what the query itself adds to the file similarity.
        """
        folder = candidate.file.folder
        overlap = candidate.shared / max(1, candidate.query_size)
        overlap += candidate.shared / max(1, candidate.size)
        similarity_of_rest = self._file_similarities.get(
            folder, 0
        ) - query_similarities.get(folder, 0)
        rest_count = len(self._definitions)
        if query.kind != METHOD:
            rest_count -= 1
        return RankingFeatures(
            overlap=overlap,
            equal_methods=_share_of_equal_methods(
                self.methods.get(query.name, {}),
                candidate.file.methods.get(candidate.fragment.name, {}),
            ),
            file_similarity=similarity_of_rest / max(1, rest_count),
            popularity=math.log1p(self._parent_models.child_counts.get(folder, 0)),
            name_similarity=_name_similarity(self._model_name, candidate.file.model),
        )

    def _similarities_of(self, query: Fragment) -> Mapping[str, float]:
        """Return the similarity of a definition to each folder. Methods have none."""
        if query.kind == METHOD:
            return {}
        return _best_by_folder(self._similar_to(query))

    @cached_property
    def _file_similarities(self) -> Mapping[str, float]:
        """For each folder the sum of the similarities of all definitions to it."""
        sums: dict[str, float] = defaultdict(float)
        for definition in self._definitions:
            for folder, similarity in self._similarities_of(definition).items():
                sums[folder] += similarity
        return sums

    def _similar_to(self, query: Fragment) -> list[SimilarFragment]:
        """Return the most similar fragments of the query's kind."""
        if query not in self._similar:
            self._similar[query] = self._find_similar(query)
        return self._similar[query]

    def _find_similar(self, query: Fragment) -> list[SimilarFragment]:
        grams = self._parent_models.index.distinctive_grams(query)
        least_shared = max(1, _MIN_SHARE * len(grams))
        similar = []
        for overlap in self._parent_models.index.find_overlaps(grams):
            is_excluded = overlap.file.folder in self._parent_models.excluded
            if overlap.shared >= least_shared and not is_excluded:
                similar.append(SimilarFragment(*overlap, query_size=len(grams)))

        if query.kind != METHOD:
            same_kind = [one for one in similar if one.fragment.kind == query.kind]
            return _most_similar(same_kind)
        methods: list[SimilarFragment] = []
        for class_ in _most_similar(similar):
            methods += self._methods_of(class_, grams)
        return _most_similar(methods)

    def _methods_of(
        self, class_: SimilarFragment, query_grams: set[int]
    ) -> Iterator[SimilarFragment]:
        """Yield the methods of a class. Their 4-grams are not in the index."""
        for fragment in self._parent_models.index.read_fragments(class_.file):
            class_name = fragment.name.partition(".")[0]
            if fragment.kind == METHOD and class_name == class_.fragment.name:
                grams = self._parent_models.index.distinctive_grams(fragment)
                yield SimilarFragment(
                    file=class_.file,
                    fragment=fragment,
                    shared=len(grams & query_grams),
                    size=len(grams),
                    query_size=len(query_grams),
                )


@lru_cache(maxsize=1_000)
def _name_similarity(model: str, other_model: str) -> float:
    """Return the similarity of two model names, or 0 if that may be by chance."""
    ratio = SequenceMatcher(None, model, other_model, autojunk=False).ratio()
    return ratio if ratio > _MIN_NAME_SIMILARITY else 0


def _strongest_reason(first: RankingFeatures, second: RankingFeatures) -> str:
    """Return the feature that speaks most for the first of two fragments, in words."""
    best_difference = 0.0
    reason = ""
    for index, field in enumerate(RankingFeatures._fields):
        difference = WEIGHTS[index] * (first[index] - second[index])
        if difference > best_difference:
            best_difference = difference
            reason = _REASONS[field]
    return reason


def _most_similar(fragments: list[SimilarFragment]) -> list[SimilarFragment]:
    """Return the most similar fragments.

    Fragments with equal code count as one: all of them are returned, or none.
    """
    best = _best_by_key((one.fragment.digest, one.similarity) for one in fragments)
    least_similarity = min(sorted(best.values())[-_MAX_SIMILAR:], default=0)
    return [one for one in fragments if one.similarity >= least_similarity]


def _best_by_folder(fragments: Iterable[SimilarFragment]) -> dict[str, float]:
    """Return for each folder the similarity of its most similar fragment."""
    return _best_by_key((one.file.folder, one.similarity) for one in fragments)


def _best_by_key(similarities: Iterable[tuple[str, float]]) -> dict[str, float]:
    best: dict[str, float] = {}
    for key, similarity in similarities:
        best[key] = max(similarity, best.get(key, 0))
    return best


def _share_of_equal_methods(
    methods: Mapping[str, Fragment], other_methods: Mapping[str, Fragment]
) -> float:
    """Return the part (0 to 1) of two classes' methods that is equal, by size."""
    equal_size = 0
    total_size = sum(method.size for method in other_methods.values())
    for name, method in methods.items():
        total_size += method.size
        if name in other_methods and other_methods[name].digest == method.digest:
            equal_size += method.size
    return equal_size / max(1, total_size - equal_size)
