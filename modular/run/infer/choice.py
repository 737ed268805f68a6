"""Chooses parents: few parent files that save most lines."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from modular.rules.names.prefixes import of_class
from modular.run.infer.parents import Option, Pair, Parents
from modular.source.blocks import Kind


_NEW_MODEL = 4
"""Lines that another parent model has to save."""

_NEW_FILE = 2
"""Lines that another file of the same parent model has to save: it takes an import at least."""

_WHOLE = 3
"""Lines that a class is worth which may not have to be mentioned at all."""

_BY_NAME = 10
"""Files in which a class of the right name is looked for."""

_ALIKE = 4
"""Lines that an option may save less than another one and be taken all the same: for the sake of fewer parents."""

Candidate = tuple[str, str]
"""A path and a class in it."""


@dataclass
class Choice:
    """For each class the option that is taken, if any; and which (class, path) pairs are ruled out."""

    options: dict[str, Option] = field(default_factory=dict)
    prefixes: dict[str, str] = field(default_factory=dict)

    @property
    def paths(self) -> tuple[str, ...]:
        """The parent files, by the number of classes that take from them."""
        counts = Counter(each.path for each in self.options.values())
        return tuple(sorted(counts, key=lambda path: (-counts[path], path)))


def choose(
    parents: Parents,
    candidates: Mapping[str, Sequence[Candidate]],
    uses: Mapping[str, int],
    ruled_out: Iterable[tuple[str, str]],
    pinned: Collection[str],
) -> Choice:
    """Choose a parent, or none, for each class; none for those that are ``pinned``.

    ``candidates`` are the nearest classes of each, best first; ``uses`` says how many models take from those of a folder.
    """
    banned = frozenset(ruled_out)
    options = [each for each in _options(parents, candidates, banned) if each.name not in pinned]
    groups: dict[tuple[str, str], dict[str, Option]] = defaultdict(dict)
    for each in options:
        if not each.pays:
            continue
        known = groups[each.path, each.prefix].get(each.name)
        if known is None or _worth(each) > _worth(known):
            groups[each.path, each.prefix][each.name] = each
    taken = _cover(parents, groups, uses)
    _bring_imports(parents, options, taken)
    return _settle(parents, taken, banned)


def _options(
    parents: Parents, candidates: Mapping[str, Sequence[Candidate]], banned: frozenset[tuple[str, str]]
) -> list[Option]:
    pairs: dict[Pair, None] = {}
    counts: Counter[tuple[str, str]] = Counter()
    for name, found in candidates.items():
        for rank, (path, parent) in enumerate(found if name in parents.flat.names else ()):
            prefix = _prefix(parents, name, path, parent)
            pairs[name, path, parent, prefix] = None
            counts[path, prefix] += len(found) - rank
    for (path, prefix), _ in counts.most_common(_BY_NAME):
        view = parents.view(path, prefix)
        for name, statement in parents.flat.names.items():
            if statement.kind is Kind.CLASS and name in view.file.definitions.classes:
                pairs[name, path, view.original[name], prefix] = None
    by_class: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        if pair[:2] not in banned:
            by_class[pair[0]].append(pair)
    return [each for found in by_class.values() for each in _promising(parents, found)]


def _promising(parents: Parents, pairs: Sequence[Pair]) -> Iterator[Option]:
    """Yield the options of a class that may be taken: not those that save less than another one in any case."""
    best = 0
    for most, pair in sorted(((parents.most(*pair), pair) for pair in pairs), key=lambda each: -each[0]):
        if most + _WHOLE < best - _ALIKE:
            parents.put_off(pair)
        elif (option := parents.option(*pair)) is not None:
            best = max(best, _worth(option))
            yield option


def _prefix(parents: Parents, name: str, path: str, parent: str) -> str:
    cased = parents.flat.cased
    return of_class(name, parent, cased, parents.converter.parent(path).spelling.cased) or cased


def _worth(option: Option) -> int:
    whole = option.derived.is_whole
    return option.saved + (_WHOLE if whole else 0)


def _cover(
    parents: Parents, groups: Mapping[tuple[str, str], Mapping[str, Option]], uses: Mapping[str, int]
) -> dict[str, Option]:
    """Take parent files one after the other, always that which saves most of what is left."""
    taken: dict[str, Option] = {}
    paths: dict[str, str] = {}
    given: set[str] = set()
    while True:
        best, best_gain = None, 0
        for key in sorted(groups, key=lambda key: (-uses.get(_model(key[0]), 0), key)):
            if paths.get(key[0], key[1]) != key[1]:
                continue
            gain = _gain(parents, key, groups[key], taken, paths, given)
            if gain > best_gain:
                best, best_gain = key, gain
        if best is None:
            return taken
        paths[best[0]] = best[1]
        given |= _given(parents, best, groups[best])
        for name, option in groups[best].items():
            if name not in taken or _worth(option) > _worth(taken[name]) + 1:
                taken[name] = option
        groups = {key: group for key, group in groups.items() if key != best}


def _bring_imports(parents: Parents, options: Sequence[Option], taken: dict[str, Option]) -> None:
    """Take a parent for the sake of an import that its file has, and that no modular file can say by itself."""
    for wanted in parents.flat.model_imports(parents.converter.project):
        if any(parents.brings(path, wanted) for path in {each.path for each in taken.values()}):
            continue
        prefixes = {each.path: each.prefix for each in taken.values()}
        found = [each for each in options if prefixes.get(each.path, each.prefix) == each.prefix]
        found = [each for each in found if parents.brings(each.path, wanted)]
        best = max(
            found, key=lambda each: each.saved - (taken[each.name].saved if each.name in taken else 0), default=None
        )
        if best is not None:
            taken[best.name] = best


def _model(path: str) -> str:
    return path.rpartition("/")[0]


def _gain(
    parents: Parents,
    key: tuple[str, str],
    group: Mapping[str, Option],
    taken: Mapping[str, Option],
    paths: Mapping[str, str],
    given: set[str],
) -> int:
    gain = 0
    for name, option in group.items():
        before = _worth(taken[name]) if name in taken else 0
        gain += max(0, _worth(option) - before - (1 if before else 0))
    if not gain:
        return 0
    lines = parents.flat.names
    new = _given(parents, key, group) - given
    gain += sum(lines[name].own.text.count("\n") + 2 for name in new)
    if key[0] in paths:
        return gain
    return gain - (_NEW_FILE if _model(key[0]) in {_model(path) for path in paths} else _NEW_MODEL)


def _given(parents: Parents, key: tuple[str, str], group: Mapping[str, Option]) -> set[str]:
    """The functions that classes need, and that come along with them from a parent file."""
    view = parents.view(*key)
    words = set().union(*(parents.flat.names[name].code.words() for name in group))
    functions = (name for name in words if name in view.nodes and view.nodes[name].kind is Kind.FUNCTION)
    return {name for name in functions if name in parents.flat.names and parents.is_equal(name, view)}


def _settle(parents: Parents, taken: Mapping[str, Option], banned: frozenset[tuple[str, str]]) -> Choice:
    """Give each parent file the one prefix that its classes say together, and drop what cannot be with that."""
    options = dict(taken)
    while True:
        pairs: dict[str, list[tuple[str, str]]] = defaultdict(list)
        order = [name for name in parents.flat.names if name in options]
        for name in order:
            pairs[options[name].path].append((name, options[name].parent))
        prefixes = {path: parents.prefix(path, found) for path, found in pairs.items()}
        settled = {}
        for name in order:
            each = options[name]
            option = parents.option(name, each.path, each.parent, prefixes[each.path])
            if option is not None and (option.pays or not each.pays) and (name, each.path) not in banned:
                settled[name] = option
        if settled.keys() == options.keys():
            return Choice(settled, prefixes)
        options = settled
