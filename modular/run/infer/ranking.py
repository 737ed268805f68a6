"""Ranks what the index holds by how close it is to the classes, functions and methods of a file."""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from modular.run.infer.fragments import Fragment
from modular.run.infer.index import METHOD, Index, IndexedFile, weight_of


_USED = 0.04
"""What it counts that other models inherit from a model already, by the logarithm of their number."""

_TOGETHER = 0.1
"""What it counts that a model is close to the other classes of the file, too."""


@dataclass(frozen=True, slots=True)
class Near:
    """A fragment of the library, how similar it is (0 to 1: the share of weighted 4-grams in common), and its rank's score."""

    file: IndexedFile
    fragment: Fragment
    similarity: float
    score: float


def rank(
    index: Index, asked: Sequence[Fragment], left_out: Collection[str], uses: Mapping[str, int], most: int
) -> list[list[Near]]:
    """Return for each fragment the nearest of its kind, best first and at most so many; equal ones once.

    ``left_out`` are folders whose models do not count, ``uses`` says how many models take from those of a folder already.
    """
    hits, counts = _hits(index, asked, left_out)
    similar = _similarities(index, asked, hits, counts)
    together = _together(similar, index)
    found = []
    for number, fragment in enumerate(asked):
        scored = []
        for (file, place), similarity in similar[number].items():
            model = index.files[file].model
            bonus = _USED * math.log1p(uses.get(index.files[file].folder, 0)) + _TOGETHER * (
                together[model] - similarity / len(asked)
            )
            near = Near(index.files[file], index.files[file].fragments[place], similarity, similarity + bonus)
            if near.fragment.kind == fragment.kind:
                scored.append(near)
        found.append(_best(scored, most))
    return found


def _hits(
    index: Index, asked: Sequence[Fragment], left_out: Collection[str]
) -> tuple[dict[tuple[int, int], set[int]], Counter[int]]:
    """The grams that each fragment of the index has in common with what is asked for, and in how many classes each is."""
    kinds = {each.kind for each in asked}
    wanted: set[int] = set()
    for each in asked:
        wanted.update(each.grams)
    hits = {}
    counts: Counter[int] = Counter()
    for number, file in enumerate(index.files):
        is_left_out = file.folder in left_out
        for place, fragment in enumerate(file.fragments):
            counting = fragment.kind != METHOD
            if (counting or fragment.kind in kinds) and (common := wanted.intersection(fragment.grams)):
                if counting:
                    counts.update(common)
                if fragment.kind in kinds and not is_left_out:
                    hits[number, place] = common
    return hits, counts


def _similarities(
    index: Index, asked: Sequence[Fragment], hits: Mapping[tuple[int, int], set[int]], counts: Mapping[int, int]
) -> list[dict[tuple[int, int], float]]:
    weight = {gram: value for gram, count in counts.items() if (value := weight_of(count, index.size))}
    rare = weight_of(1, index.size)
    owners: dict[int, list[int]] = defaultdict(list)
    for number, each in enumerate(asked):
        for gram in each.grams:
            if gram in weight:
                owners[gram].append(number)
    weights = [sum(weight.get(gram, rare if gram not in counts else 0.0) for gram in each.grams) for each in asked]
    found: list[dict[tuple[int, int], float]] = [{} for _ in asked]
    for key, common in hits.items():
        own = index.weights[key[0]][key[1]]
        shared: dict[int, float] = defaultdict(float)
        for gram in common:
            for number in owners.get(gram, ()):
                shared[number] += weight[gram]
        for number, value in shared.items():
            union = weights[number] + own - value
            if union > 0:
                found[number][key] = min(1.0, value / union)
    return found


def _together(similar: Sequence[Mapping[tuple[int, int], float]], index: Index) -> dict[str, float]:
    """For each model how close its classes are to those asked for, on average."""
    found: dict[str, float] = defaultdict(float)
    for each in similar:
        best: dict[str, float] = {}
        for (file, _), value in each.items():
            model = index.files[file].model
            if value > best.get(model, 0.0):
                best[model] = value
        for model, value in best.items():
            found[model] += value / len(similar)
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
