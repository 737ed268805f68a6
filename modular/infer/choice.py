"""Chooses the few parent files that save the most lines together."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from modular.infer.copies import copy_source_of, parse_copy_source
from modular.infer.index import ParentModels
from modular.infer.parents import (
    NearestClasses,
    ParentCandidate,
    ParentClass,
    ParentFiles,
    PrefixedFile,
)
from modular.source.blocks import Statement


_MIN_LINES_MODEL = 10
"""Lines that each further parent model must save."""

_FURTHER_FILE_COST = 1
"""Lines that a further file of the same model costs: its import."""

_OBSCURITY_COST = 5
"""Lines that a model without dependents must save in addition.

If `n` models depend on it, this is divided by `n + 1`.
"""

_MIN_LINES_FIRST_MODEL = 3
"""Lines that the first parent model must save if no other model inherits from it."""

_FIRST_MODEL_DISCOUNT = _MIN_LINES_MODEL + _OBSCURITY_COST - _MIN_LINES_FIRST_MODEL
"""Lines that the first parent model need not save, but a further one must."""

_COPY_BONUS = _MIN_LINES_MODEL
"""Lines added to the worth of a parent class that a copy comment names."""

_CandidatesByFile = Mapping[PrefixedFile, Mapping[str, ParentCandidate]]
"""For each parent file the candidates by the name of the child class."""


@dataclass
class InferredDraft:
    """The contents of a modular file.

    Attributes:
        chosen_parents: For each class that inherits, its parent class, and its text as a
            child of it.
        omitted: Classes that are not mentioned, because others inherit them as a
            dependency.
        written_out: Functions and assignments that the modular file defines itself.
        imported: Functions and assignments that are imported, with the parent files.
        transitive: Functions and assignments that inherited code brings with it, with
            the parent files. They are imported if the modular file mentions them.
    """

    chosen_parents: dict[str, ParentCandidate] = field(default_factory=dict)
    omitted: set[str] = field(default_factory=set)
    written_out: set[str] = field(default_factory=set)
    imported: dict[str, str] = field(default_factory=dict)
    transitive: dict[str, str] = field(default_factory=dict)


class RuledOut(NamedTuple):
    """A definition, and the path of a parent file that it must not come from."""

    definition: str
    path: str


class _ParentModel(NamedTuple):
    """The folder of a parent model, and the number of lines that it must save."""

    folder: str
    cost: float


def choose_parents(
    parents: ParentFiles,
    nearest: NearestClasses,
    models: ParentModels,
    ruled_out: Collection[RuledOut],
) -> InferredDraft:
    """Return a draft of a modular file whose classes inherit from few parent files.

    The draft has the best parent class of each class. A class that cannot inherit, or
    would not get shorter by it, has no parent.

    Args:
        parents: The parent files, and the complete files of the model.
        nearest: The nearest classes of each class of the model.
        models: The models to inherit from.
        ruled_out: The parent files that a definition must not come from.
    """
    candidates_by_file: dict[PrefixedFile, dict[str, ParentCandidate]] = {}
    for candidate in _find_candidates(parents, nearest, models, ruled_out):
        # Of several parent classes in one file, the one that saves most lines counts.
        candidates_by_child = candidates_by_file.setdefault(candidate.file, {})
        best = candidates_by_child.setdefault(candidate.child, candidate)
        if candidate.worth > best.worth:
            candidates_by_child[candidate.child] = candidate

    files = _choose_files(candidates_by_file, models)

    def saved_by_all_classes(file: PrefixedFile) -> int:
        """Return the number of lines that all classes can save with a file."""
        return sum(candidate.worth for candidate in candidates_by_file[file].values())

    # If a class saves as many lines with two files, it inherits from the first. So the
    # files with which all classes save most come first.
    files.sort(key=saved_by_all_classes, reverse=True)
    chosen = _best_candidates(files, candidates_by_file)
    return _with_common_prefixes(parents, chosen)


def _find_candidates(
    parents: ParentFiles,
    nearest: NearestClasses,
    models: ParentModels,
    ruled_out: Collection[RuledOut],
) -> Iterator[ParentCandidate]:
    """Yield the possible parents of all classes of a model, with the lines that each saves.

    If `OlmoMLP` is similar to `LlamaMLP` and `GemmaMLP`, it has two possible parents.

    Args:
        parents: The parent files.
        nearest: The nearest classes of each class of the model, best first.
        models: The models to inherit from.
        ruled_out: The parent files that a definition must not come from.
    """
    for child, near_classes in nearest.items():
        statement = parents.flat.definitions.get(child)
        if statement is None:
            # The class is in a file that the modular file does not generate.
            continue
        for parent in near_classes:
            is_copy_of_this_model = parent in models.copies
            if is_copy_of_this_model or (child, parent.path) in ruled_out:
                continue
            # The prefix replaces `Llama` in the class names of the parent file.
            prefix = parents.prefix_of(child, parent)
            candidate = parents.find_candidate(child, parent, prefix)
            if candidate is None:
                continue
            if _is_copied_from(parent, statement):
                candidate = replace(candidate, worth=candidate.worth + _COPY_BONUS)
            yield candidate


def _is_copied_from(parent: ParentClass, child: Statement) -> bool:
    """Return whether the comment above a class says that it is a copy of the parent."""
    copied_from = copy_source_of(child.lead)
    if not copied_from:
        return False
    return parse_copy_source(copied_from).is_from(parent.path, parent.name)


def _with_common_prefixes(
    parents: ParentFiles, chosen: Mapping[str, ParentCandidate]
) -> InferredDraft:
    """Return a draft in which one prefix replaces the model's name in each parent file.

    The converter needs this: if `LlamaMLP` becomes `OlmoTextMLP`, `LlamaAttention` becomes
    `OlmoTextAttention`. A class that cannot inherit with the common prefix loses its
    parent.

    Args:
        parents: The parent files.
        chosen: The chosen parent of each class, each with a prefix of its own.
    """
    children_and_parents: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for child in parents.flat.definitions:
        if child in chosen:
            parent = chosen[child].parent
            children_and_parents[parent.path].append((child, parent.name))
    common_prefixes = {}
    for path, pairs in children_and_parents.items():
        common_prefixes[path] = parents.common_prefix(path, pairs)

    draft = InferredDraft()
    for child, candidate in chosen.items():
        prefix = common_prefixes[candidate.parent.path]
        with_common_prefix = parents.find_candidate(child, candidate.parent, prefix)
        if with_common_prefix is not None:
            draft.chosen_parents[child] = with_common_prefix
    return draft


def _choose_files(
    candidates: _CandidatesByFile, models: ParentModels
) -> list[PrefixedFile]:
    """Return the few parent files that together save a modular file the most lines.

    The search begins with no file. Each step adds or removes the one file with which
    the most lines are saved. The search ends when no further step saves lines.

    Args:
        candidates: For each parent file, the classes that can inherit from it, and the
            lines that this saves.
        models: The models to inherit from.
    """
    ranks = {}
    model_of_file = {}
    for file in candidates:
        folder = models.index.project.model_home(file.path)
        ranks[file] = models.rank(folder)
        # A model that few others inherit from is a surprising parent, so it must save more:
        # 15 lines if no other model depends on it, and nearly 10 if many do.
        cost = _MIN_LINES_MODEL + _OBSCURITY_COST / models.count_dependents(folder)
        model_of_file[file] = _ParentModel(folder, cost)

    def saved_lines(files: Sequence[PrefixedFile]) -> float:
        """Return how many lines some files save together, minus what they cost."""
        return _saved_lines(files, candidates, model_of_file)

    chosen: list[PrefixedFile] = []
    # If two steps save as many lines, `max` takes the first. So the files of the best
    # models, which have the lowest ranks, are tried first.
    best_ranks_first = sorted(candidates, key=lambda file: (ranks[file], file))
    while True:
        choices = _choices_with_one_change(chosen, best_ranks_first)
        best = max(choices, key=saved_lines, default=chosen)
        if saved_lines(best) <= saved_lines(chosen):
            return chosen
        chosen = best


def _choices_with_one_change(
    chosen: Sequence[PrefixedFile], files: Sequence[PrefixedFile]
) -> Iterator[list[PrefixedFile]]:
    """Yield each choice of parent files that differs from the chosen ones by one file.

    First come the choices with one file less, then the choices with one file more. A
    parent file is never chosen with two different prefixes.

    Args:
        chosen: The chosen files.
        files: All files that can be chosen.
    """
    for removed in chosen:
        yield [file for file in chosen if file != removed]
    chosen_paths = {file.path for file in chosen}
    for added in files:
        if added.path not in chosen_paths:
            yield [*chosen, added]


def _saved_lines(
    chosen: Sequence[PrefixedFile],
    candidates: _CandidatesByFile,
    model_of_file: Mapping[PrefixedFile, _ParentModel],
) -> float:
    """Return how many lines parent files save together, minus what they cost.

    A modular file with few parent models is easier to read. So each model has a cost:
    the number of lines that it must save. The first one costs less, because a modular
    file needs one. A further file of the same model costs only its import.

    Args:
        chosen: The parent files.
        candidates: The possible parent classes in all parent files.
        model_of_file: The model of each parent file.
    """
    if not chosen:
        return 0
    best_candidates = _best_candidates(chosen, candidates).values()
    saved = sum(candidate.worth for candidate in best_candidates)

    models = {model_of_file[file] for file in chosen}
    further_files = len(chosen) - len(models)
    # The order is fixed because the rounding of a sum of fractions depends on it.
    cost = sum(model.cost for model in sorted(models))
    cost += _FURTHER_FILE_COST * further_files
    cost -= _FIRST_MODEL_DISCOUNT
    return saved - cost


def _best_candidates(
    files: Sequence[PrefixedFile], candidates: _CandidatesByFile
) -> dict[str, ParentCandidate]:
    """Return for each class the parent class that saves the most lines.

    If two parent classes save the same number, that in the earlier file wins. A class that
    saves no lines with any parent class is left out.

    Args:
        files: The parent files to choose from.
        candidates: For each parent file, the possible parent class of each class.
    """
    best: dict[str, ParentCandidate] = {}
    for file in files:
        for child, candidate in candidates[file].items():
            best_worth = best[child].worth if child in best else 0
            if candidate.worth > best_worth:
                best[child] = candidate
    return best
