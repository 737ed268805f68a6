"""Chooses the few parent files that save the most lines together."""

from collections import Counter, defaultdict
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
from modular.source.blocks import Kind, Statement


_MAX_FILES_BY_NAME = 3
"""The number of files in which classes with the right name are candidates, too."""

_MIN_LINES_FIRST_MODEL = 3
"""Lines that the first parent model must save if no other model inherits from it."""

MIN_LINES_MODEL = 10
"""Lines that each further parent model must save."""

_MIN_LINES_FILE = 1
"""Lines that a further file of the same model must save, since it takes an import."""

_OBSCURITY_COST = 5
"""Lines that a model with no children must save in addition.

For a model with more dependents, this is divided by their number.
"""

_COPY_BONUS = MIN_LINES_MODEL
"""Lines added to the worth of a parent class that a copy comment names."""

_CandidatesByFile = Mapping[PrefixedFile, Mapping[str, ParentCandidate]]
"""For each parent file the candidates by the name of the child class."""


@dataclass
class InferredDraft:
    """The contents of a modular file.

    Attributes:
        candidates: For each class that inherits, its parent.
        omitted: Classes that are not mentioned, because others inherit them as a
            dependency.
        verbatim: Functions and assignments that are written out.
        imported: Functions and assignments that are imported, with the parent files.
        transitive: Functions and assignments that inherited code brings with it, with
            the parent files. They are imported if the modular file mentions them.
    """

    candidates: dict[str, ParentCandidate] = field(default_factory=dict)
    omitted: set[str] = field(default_factory=set)
    verbatim: set[str] = field(default_factory=set)
    imported: dict[str, str] = field(default_factory=dict)
    transitive: dict[str, str] = field(default_factory=dict)


class RuledOut(NamedTuple):
    """A definition, and the path of a parent file that it must not come from."""

    definition: str
    path: str


class _Pairing(NamedTuple):
    """A flat class, a possible parent class, and the prefix of the parent file."""

    child: str
    parent: ParentClass
    prefix: str


def choose_parents(
    parents: ParentFiles,
    nearest: NearestClasses,
    models: ParentModels,
    ruled_out: Collection[RuledOut],
) -> InferredDraft:
    """Return a draft in which classes inherit from the few best parent files.

    A draft is the contents of a modular file. A class that cannot inherit, or would not
    save lines, has no parent in it.

    Args:
        parents: The parent files.
        nearest: The nearest classes of each flat class.
        models: The models to inherit from.
        ruled_out: The parent files that a definition must not come from.
    """
    candidates_by_file: dict[PrefixedFile, dict[str, ParentCandidate]] = {}
    for child, parent, prefix in _find_pairings(parents, nearest):
        is_ruled_out = (child, parent.path) in ruled_out
        is_copy_of_this_model = parent in models.copies
        if is_ruled_out or is_copy_of_this_model:
            continue
        candidate = parents.find_candidate(child, parent, prefix)
        if candidate is None:
            continue
        if _is_copy(parents.flat.definitions[child], parent):
            candidate = replace(candidate, worth=candidate.worth + _COPY_BONUS)

        # One file can have several candidates for a class; the most valuable one stays.
        candidates_by_child = candidates_by_file.setdefault(candidate.file, {})
        best = candidates_by_child.setdefault(child, candidate)
        if candidate.worth > best.worth:
            candidates_by_child[child] = candidate

    chosen = _choose_files(candidates_by_file, models)
    return _with_common_prefixes(parents, chosen)


def _is_copy(child: Statement, parent: ParentClass) -> bool:
    """Return whether the comment above a class says that it is a copy of another."""
    copied_from = copy_source_of(child.lead)
    if not copied_from:
        return False
    return parse_copy_source(copied_from).is_definition(parent.path, parent.name)


def _find_pairings(parents: ParentFiles, nearest: NearestClasses) -> Iterator[_Pairing]:
    """Yield pairs of a flat class and a possible parent class.

    The nearest classes of each flat class come first. Then come classes whose renamed
    name is that of the flat class, from the files with the most near classes.
    """
    points: Counter[PrefixedFile] = Counter()
    for child, near_classes in nearest.items():
        if child not in parents.flat.definitions:
            continue
        for rank, parent in enumerate(near_classes):
            prefix = parents.prefix_of(child, parent)
            # A file gets most points for the nearest class, and one for the last.
            points[PrefixedFile(parent.path, prefix)] += len(near_classes) - rank
            yield _Pairing(child, parent, prefix)

    for file, _ in points.most_common(_MAX_FILES_BY_NAME):
        # With the prefix `Olmo`, a class `LlamaMLP` is called `OlmoMLP` in this file.
        renamed = parents.rename(file)
        for child, statement in parents.flat.definitions.items():
            has_class = child in renamed.file.definitions.classes
            if statement.kind is Kind.CLASS and has_class:
                parent = ParentClass(file.path, renamed.original_names[child])
                yield _Pairing(child, parent, file.prefix)


def _with_common_prefixes(
    parents: ParentFiles, chosen: Mapping[str, ParentCandidate]
) -> InferredDraft:
    """Return a draft in which all classes of a parent file have the same prefix.

    The converter renames a parent file under one prefix: if `LlamaMLP` becomes
    `OlmoTextMLP`, `LlamaAttention` becomes `OlmoTextAttention`. A class that cannot
    inherit with the common prefix is left out.

    Args:
        parents: The parent files.
        chosen: The chosen parent of each class, each with a prefix of its own.
    """
    children_and_parents: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for child in parents.flat.definitions:
        if child in chosen:
            parent = chosen[child].parent
            children_and_parents[parent.path].append((child, parent.name))
    prefixes = {}
    for path, pairs in children_and_parents.items():
        prefixes[path] = parents.common_prefix(path, pairs)

    draft = InferredDraft()
    for child, candidate in chosen.items():
        prefix = prefixes[candidate.parent.path]
        prefixed = parents.find_candidate(child, candidate.parent, prefix)
        if prefixed is not None:
            draft.candidates[child] = prefixed
    return draft


def _choose_files(
    candidates: _CandidatesByFile, models: ParentModels
) -> dict[str, ParentCandidate]:
    """Choose the parent files that save most lines, and return their candidates.

    Each step adds or removes one file, whichever saves most lines, until no step saves
    any. If two files save as many lines, the one whose folder comes first in
    `ParentModels.rank` is added.

    Args:
        candidates: The candidates of all parent files.
        models: The models to inherit from.

    Returns:
        The best candidate of each class, by the name of the class.
    """
    model_home = models.index.project.model_home
    ranks = {file: models.rank(model_home(file.path)) for file in candidates}
    files = sorted(candidates, key=lambda file: (ranks[file], file))
    # The folder of each file's model, and what each folder costs in lines.
    homes = {}
    costs = {}
    for file, rank in ranks.items():
        homes[file] = rank.folder
        # A model on which few others depend is a less obvious parent, and costs more.
        dependents = -rank.minus_dependents
        costs[rank.folder] = MIN_LINES_MODEL + _OBSCURITY_COST / dependents

    def saved_lines(choice: Sequence[PrefixedFile]) -> float:
        return _saved_lines(choice, candidates, homes, costs)

    chosen: Sequence[PrefixedFile] = []
    while True:
        choices = _choices_with_one_change(chosen, files)
        # Of several that save as many lines, `max` takes the first one.
        best = max(choices, key=saved_lines, default=chosen)
        if saved_lines(best) <= saved_lines(chosen):
            break
        chosen = best

    def total_worth(file: PrefixedFile) -> int:
        return sum(candidate.worth for candidate in candidates[file].values())

    most_lines_first = sorted(chosen, key=total_worth, reverse=True)
    return _best_candidates(most_lines_first, candidates)


def _choices_with_one_change(
    chosen: Sequence[PrefixedFile], files: Sequence[PrefixedFile]
) -> Iterator[Sequence[PrefixedFile]]:
    """Yield the chosen files without one of them, then with one more.

    A parent file is never chosen with two different prefixes.
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
    homes: Mapping[PrefixedFile, str],
    costs: Mapping[str, float],
) -> float:
    """Return the lines that parent files save together, minus what they cost.

    A modular file with few parent models is easier to read. So each model costs the
    lines that it must save at least, and each further file of a model its import.

    Args:
        chosen: The parent files.
        candidates: The candidates of all parent files.
        homes: The path that stands for the model of each file.
        costs: The cost in lines of each model, by this path.
    """
    if not chosen:
        return 0
    best_candidates = _best_candidates(chosen, candidates).values()
    saved = sum(candidate.worth for candidate in best_candidates)

    models = {homes[file] for file in chosen}
    further_files = len(chosen) - len(models)
    cost = sum(costs[model] for model in sorted(models))
    cost += _MIN_LINES_FILE * further_files
    # The first model need not save as many lines as a further one.
    cost -= MIN_LINES_MODEL + _OBSCURITY_COST - _MIN_LINES_FIRST_MODEL
    return saved - cost


def _best_candidates(
    files: Sequence[PrefixedFile], candidates: _CandidatesByFile
) -> dict[str, ParentCandidate]:
    """Return for each class the candidate that is worth most lines.

    If two are worth as many, the one from the file that comes first wins. A candidate
    that is worth no lines is left out.
    """
    best: dict[str, ParentCandidate] = {}
    for file in files:
        for child, candidate in candidates[file].items():
            best_worth = best[child].worth if child in best else 0
            if candidate.worth > best_worth:
                best[child] = candidate
    return best
