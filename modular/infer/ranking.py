"""Ranks indexed fragments by how likely the code of a file was derived from them."""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cache, cached_property, lru_cache
from itertools import islice
from operator import mul
from typing import NamedTuple

from modular.infer.copies import CopySource, parse_copy_source
from modular.infer.fragments import (
    CLASS,
    METHOD,
    Fragment,
    find_fragments,
    methods_by_class,
)
from modular.infer.index import ParentModels, Precedence, SimilarFragment
from modular.source.module import Module


_MAX_SIMILAR = 60
"""The number of different fragments that are ranked."""

_MIN_SHARE = 0.05
"""A fragment that shares a smaller part of the query's 4-grams is not similar."""

_MIN_NAME_SIMILARITY = 0.5
"""Model names that are less similar may be so by chance."""

_SCORE_DIGITS = 6
"""Scores that differ in later digits are equal."""


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


class Ranking:
    """The ranking of parents for one file.

    Attributes:
        fragments: The classes, functions and methods of the file, in order.
        definitions: The classes and functions.
        methods: The methods of the file by class and name.
    """

    def __init__(
        self, parent_models: ParentModels, module: Module, model_name: str
    ) -> None:
        """Read the classes, functions and methods of a file that is compared with models.

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
        self.definitions = [
            fragment for fragment in self.fragments if fragment.kind != METHOD
        ]
        self._similar_to = cache(self._find_similar)

    def find_nearest(
        self, query: Fragment, limit: int, *, equal_first: bool
    ) -> list[SimilarFragment]:
        """Return the classes, functions or methods that are closest to one of the file.

        Of several models with the same code, only the best parent is returned: for
        example, the one that most models depend on. Its attribute `copies` counts the
        others.

        Args:
            query: The class, function or method of the file.
            limit: The number of results.
            equal_first: Whether code that equals the query comes before all other code.
                To find parents, it need not: authors often inherit all classes from the
                model that is closest to the whole file, though another model has an exact
                copy of one of them.
        """
        query_similarities = self._similarities_of(query)
        sources = self._copy_sources_of(query)

        def closeness(candidate: SimilarFragment) -> tuple[bool, bool, float, str, int]:
            """Return a sort key that is lowest for the code closest to the query.

            Code that a copy comment names as the source of the query comes first. Then
            comes code that equals the query, if `equal_first` is set, and then all other
            code by its score. The path and the line decide between equal scores.
            """
            is_not_named_as_source = not _is_named(candidate, sources)
            is_different = candidate.fragment.digest != query.digest
            features = self._features(query, candidate, query_similarities)
            score = sum(map(mul, WEIGHTS, features))
            # False is sorted before True.
            return (
                is_not_named_as_source,
                equal_first and is_different,
                -round(score, _SCORE_DIGITS),
                candidate.file.path,
                candidate.fragment.line,
            )

        def precedence(candidate: SimilarFragment) -> tuple[bool, Precedence]:
            """Return a sort key that is lowest for the fragment of the best parent."""
            rank = self._parent_models.rank(candidate.file.folder)
            return not _is_named(candidate, sources), rank

        # Equal code has the same digest. A dict keeps its order: the closest code first.
        candidates_by_digest: dict[str, list[SimilarFragment]] = defaultdict(list)
        for candidate in sorted(self._similar_to(query), key=closeness):
            candidates_by_digest[candidate.fragment.digest].append(candidate)
        nearest = []
        for equal_candidates in islice(candidates_by_digest.values(), limit):
            best_parent = min(equal_candidates, key=precedence)
            other_count = len(equal_candidates) - 1
            nearest.append(best_parent._replace(copies=other_count))
        return nearest

    def _copy_sources_of(self, query: Fragment) -> list[CopySource]:
        """Return what copy comments of a class, and of its methods, name as the source.

        A copy comment is `# Copied from models.llama.modeling_llama.LlamaMLP`.
        """
        fragments = [query, *self.methods.get(query.name, {}).values()]
        sources = []
        for fragment in fragments:
            if fragment.copied_from:
                sources.append(parse_copy_source(fragment.copied_from))
        return sources

    def _features(
        self,
        query: Fragment,
        candidate: SimilarFragment,
        query_similarities: Mapping[str, float],
    ) -> RankingFeatures:
        """Return the signs that code was derived from similar code of another model.

        For example, both can have equal methods, and their models similar names.

        Args:
            query: The code: a class, function or method of the file.
            candidate: The similar code.
            query_similarities: How similar the query is to each model, by its folder.
        """
        folder = candidate.file.folder
        # The overlap is the sum of two parts, because one alone can mislead: a large
        # fragment can contain the whole query.
        overlap = candidate.shared / max(1, candidate.query_size)
        overlap += candidate.shared / max(1, candidate.size)
        query_methods = self.methods.get(query.name, {})
        methods = candidate.file.methods.get(candidate.fragment.name, {})
        child_count = self._parent_models.child_counts.get(folder, 0)
        return RankingFeatures(
            overlap=overlap,
            equal_methods=_share_of_equal_methods(query_methods, methods),
            file_similarity=self._mean_similarity(folder, query, query_similarities),
            popularity=math.log1p(child_count),
            name_similarity=_name_similarity(self._model_name, candidate.file.model),
        )

    def _mean_similarity(
        self, folder: str, query: Fragment, query_similarities: Mapping[str, float]
    ) -> float:
        """Return how similar the rest of the file is to a model (0 to 1).

        This is the mean over all classes and functions of the file but the queried one.

        Args:
            folder: The folder of the model.
            query: The class, function or method that does not count.
            query_similarities: How similar it is to each model, by the model's folder.
        """
        total = self._summed_similarities.get(folder, 0)
        count = len(self.definitions)
        # The total includes classes and functions, but no methods.
        if query.kind != METHOD:
            total -= query_similarities.get(folder, 0)
            count -= 1
        return total / max(1, count)

    def _similarities_of(self, query: Fragment) -> Mapping[str, float]:
        """Return how similar the nearest code of each model is, by the model's folder.

        Args:
            query: The class or function that the code is compared with. If it is a
                method, the result is empty.
        """
        similarities: dict[str, float] = {}
        if query.kind == METHOD:
            return similarities
        for candidate in self._similar_to(query):
            folder = candidate.file.folder
            best = max(candidate.similarity, similarities.get(folder, 0))
            similarities[folder] = best
        return similarities

    @cached_property
    def _summed_similarities(self) -> Mapping[str, float]:
        """For each folder the sum of the similarities of the file's definitions to it."""
        sums: dict[str, float] = defaultdict(float)
        for definition in self.definitions:
            for folder, similarity in self._similarities_of(definition).items():
                sums[folder] += similarity
        return sums

    def _find_similar(self, query: Fragment) -> list[SimilarFragment]:
        """Return code of other models that equals a query, then the most similar code.

        For a class, these are classes; for a function, functions; for a method, methods.
        """
        index = self._parent_models.index
        query_grams = index.distinctive_grams(query)
        if query.kind == METHOD:
            # The index has no 4-grams of methods. So the classes are searched that are
            # most similar to the method, and their methods are compared with it.
            similar: list[SimilarFragment] = []
            for class_ in _most_similar(self._search_index(query_grams, CLASS)):
                similar += self._methods_of(class_, query_grams)
        else:
            similar = self._search_index(query_grams, query.kind)

        # A search for 4-grams does not find equal code that has only common ones.
        results = list(filter(self._parent_models.contains, index.find_equal(query)))
        for candidate in _most_similar(similar):
            is_equal = candidate.fragment.digest == query.digest
            if not is_equal:
                results.append(candidate)
        return results

    def _search_index(self, query_grams: set[int], kind: str) -> list[SimilarFragment]:
        """Return the classes or functions that are similar to a query.

        They share enough 4-grams, which are sequences of four tokens.

        Args:
            query_grams: The 4-grams of the query, without common ones.
            kind: CLASS or FUNCTION.
        """
        min_shared_grams = max(1, _MIN_SHARE * len(query_grams))
        similar = []
        for candidate in self._parent_models.index.find_similar(query_grams):
            if candidate.fragment.kind != kind or candidate.shared < min_shared_grams:
                continue
            if self._parent_models.contains(candidate):
                similar.append(candidate)
        return similar

    def _methods_of(
        self, class_: SimilarFragment, query_grams: set[int]
    ) -> Iterator[SimilarFragment]:
        """Yield the methods of a class, each with the number of 4-grams it shares.

        A 4-gram is a sequence of four tokens. The index has none of methods, so the
        file of the class is read again.

        Args:
            class_: The class.
            query_grams: The 4-grams of the query, without common ones.
        """
        index = self._parent_models.index
        for fragment in index.read_fragments(class_.file):
            class_name = fragment.name.partition(".")[0]
            if fragment.kind != METHOD or class_name != class_.fragment.name:
                continue
            grams = index.distinctive_grams(fragment)
            yield SimilarFragment(
                file=class_.file,
                fragment=fragment,
                shared=len(grams & query_grams),
                size=len(grams),
                query_size=len(query_grams),
            )


def _is_named(candidate: SimilarFragment, sources: Sequence[CopySource]) -> bool:
    """Return whether a copy comment names a class or function as its source."""
    path, name = candidate.file.path, candidate.fragment.name
    return any(source.is_from(path, name) for source in sources)


@lru_cache(maxsize=1_000)
def _name_similarity(model: str, other_model: str) -> float:
    """Return the similarity of two model names, or 0 if that may be by chance."""
    ratio = SequenceMatcher(None, model, other_model, autojunk=False).ratio()
    return ratio if ratio > _MIN_NAME_SIMILARITY else 0


def _most_similar(fragments: list[SimilarFragment]) -> list[SimilarFragment]:
    """Return the fragments that are most similar to a query.

    The number of different fragments is limited. Fragments with the same code count as
    one. Their similarities can differ, because these depend on the names of the
    fragments, too. Then the highest one counts.

    Args:
        fragments: Classes, functions or methods, each with its similarity to the query.
    """
    similarity_of_code: dict[str, float] = {}
    for fragment in fragments:
        digest = fragment.fragment.digest
        known_similarity = similarity_of_code.get(digest, 0)
        similarity_of_code[digest] = max(fragment.similarity, known_similarity)
    highest_similarities = sorted(similarity_of_code.values())[-_MAX_SIMILAR:]
    lowest = min(highest_similarities, default=0)
    return [fragment for fragment in fragments if fragment.similarity >= lowest]


def _share_of_equal_methods(
    methods: Mapping[str, Fragment], other_methods: Mapping[str, Fragment]
) -> float:
    """Return which part (0 to 1) of the methods of two classes is equal.

    Methods count by their size. If both classes have an equal `forward` of size 30, and
    one also has a `reset` of size 10, the part is 30 / 40.
    """
    equal_size = 0
    total_size = sum(method.size for method in other_methods.values())
    for name, method in methods.items():
        total_size += method.size
        if name in other_methods and other_methods[name].digest == method.digest:
            equal_size += method.size
    return equal_size / max(1, total_size - equal_size)
