"""Chooses parents: which classes could be one, and which few parent files save most lines together."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from modular.infer.parents import Pair, ParentCandidate, ParentFiles
from modular.source.blocks import Kind


_BY_NAME = 3
"""Files in which a class of the right name is looked for."""

_FIRST_MODEL = 3
"""Lines that the first parent model has to save, if no other inherits from it."""

NEW_MODEL = 10
"""Lines that each further one has to save, by classes or by a function: what a class is worth."""

_NEW_FILE = 1
"""Lines that another file of the same parent model has to save: it takes an import at least."""

_OBSCURE = 5
"""Lines that a model has to save more from which no other inherits; one from which two inherit a third of that, and so on."""

Key = tuple[str, str]
"""The path of a parent file, and the prefix under which it is seen."""

Candidate = tuple[str, str]
"""A path and a class in it."""


@dataclass
class InferredDraft:
    """What a modular file is to hold: for each class the option that is taken, if any.

    ``implicit`` are classes that are not mentioned, because others bring them along; ``written`` functions and assignments
    that are in it, ``taken`` those that are imported from parent files, by path, and ``brought`` those that come with classes
    and are imported where its own code uses them.
    """

    options: dict[str, ParentCandidate] = field(default_factory=dict)
    implicit: set[str] = field(default_factory=set)
    written: set[str] = field(default_factory=set)
    taken: dict[str, str] = field(default_factory=dict)
    brought: dict[str, str] = field(default_factory=dict)


def choose(
    parents: ParentFiles,
    candidates: Mapping[str, Sequence[Candidate]],
    precedence: Mapping[str, tuple[int, str, str]],
    ruled_out: Collection[tuple[str, str]],
) -> InferredDraft:
    """Choose a parent, or none, for each class.

    ``candidates`` are the nearest classes of each, best first. Of parents that save as much that counts whose
    folder has the lower ``precedence``.
    """
    groups: dict[tuple[str, str], dict[str, ParentCandidate]] = defaultdict(dict)
    for pair in _pairs(parents, candidates):
        if pair[:2] in ruled_out or (option := parents.option(*pair)) is None:
            continue
        known = groups[option.path, option.prefix].get(option.name)
        if known is None or option.worth > known.worth:
            groups[option.path, option.prefix][option.name] = option
    return _settle(parents, _cover(groups, precedence))


def _pairs(
    parents: ParentFiles, candidates: Mapping[str, Sequence[Candidate]]
) -> Iterator[Pair]:
    """Yield the classes with their candidates, then with the classes that have the right name in files with many candidates."""
    counts: Counter[tuple[str, str]] = Counter()
    for name, near in candidates.items():
        for rank, (path, parent) in enumerate(
            near if name in parents.flat.names else ()
        ):
            prefix = parents.prefix_of(name, path, parent)
            counts[path, prefix] += len(near) - rank
            yield name, path, parent, prefix
    for (path, prefix), _ in counts.most_common(_BY_NAME):
        view = parents.view(path, prefix)
        for name, statement in parents.flat.names.items():
            if statement.kind is Kind.CLASS and name in view.file.definitions.classes:
                yield name, path, view.original[name], prefix


def _settle(
    parents: ParentFiles, taken: Mapping[str, ParentCandidate]
) -> InferredDraft:
    """Give each parent file the one prefix that its classes say together, and drop what cannot be with that."""
    pairs: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for name in (name for name in parents.flat.names if name in taken):
        pairs[taken[name].path].append((name, taken[name].parent))
    prefixes = {path: parents.prefix(path, names) for path, names in pairs.items()}
    options = {
        name: parents.option(name, old.path, old.parent, prefixes[old.path])
        for name, old in taken.items()
    }
    return InferredDraft(
        {name: option for name, option in options.items() if option is not None}
    )


def _cover(
    groups: Mapping[Key, Mapping[str, ParentCandidate]],
    precedence: Mapping[str, tuple[int, str, str]],
) -> dict[str, ParentCandidate]:
    """Choose for each class an option, if any is worth it. ``groups`` has the options of each parent file by class.

    A parent file is added, or exchanged for another one, as long as that saves more than it costs; of those that save as much the
    one whose folder has the lower ``precedence``.
    """
    keys = sorted(groups, key=lambda key: (precedence[_model(key)], key))
    costs = {
        _model(key): NEW_MODEL - _OBSCURE / precedence[_model(key)][0] for key in keys
    }
    chosen: tuple[Key, ...] = ()
    while True:
        kept = [
            chosen,
            *(tuple(key for key in chosen if key != gone) for gone in chosen),
        ]
        others = [
            *kept,
            *(
                (*some, key)
                for some in kept
                for key in keys
                if key[0] not in {path for path, _ in some}
            ),
        ]
        best = max(others, key=lambda some: _saved(some, groups, costs))
        if _saved(best, groups, costs) <= _saved(chosen, groups, costs):
            break
        chosen = best
    by_lines = sorted(
        chosen, key=lambda key: -sum(option.worth for option in groups[key].values())
    )
    return _options(by_lines, groups)


def _saved(
    chosen: Sequence[Key],
    groups: Mapping[Key, Mapping[str, ParentCandidate]],
    costs: Mapping[str, float],
) -> float:
    """The lines that some parent files save together, less what they cost."""
    saved = sum(option.worth for option in _options(chosen, groups).values())
    models = set(map(_model, chosen))
    cost = sum(costs[model] for model in models) + _NEW_FILE * (
        len(chosen) - len(models)
    )
    return saved - cost + (NEW_MODEL + _OBSCURE - _FIRST_MODEL if chosen else 0)


def _options(
    chosen: Sequence[Key], groups: Mapping[Key, Mapping[str, ParentCandidate]]
) -> dict[str, ParentCandidate]:
    """Each class with its best option; of equal ones the first."""
    taken: dict[str, ParentCandidate] = {}
    for key in chosen:
        for name, option in groups[key].items():
            if option.worth > (taken[name].worth if name in taken else 0):
                taken[name] = option
    return taken


def _model(key: Key) -> str:
    """The folder of a parent file."""
    return key[0].rpartition("/")[0]
