"""Chooses parents: which classes could be one, and which of them are taken."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from modular.infer.cover import WHOLE, cover, worth
from modular.infer.parents import Option, Pair, Parents
from modular.rules.names.prefixes import of_class
from modular.source.blocks import Kind


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
        counts = Counter(option.path for option in self.options.values())
        return tuple(sorted(counts, key=lambda path: (-counts[path], path)))


def choose(
    parents: Parents,
    candidates: Mapping[str, Sequence[Candidate]],
    precedence: Mapping[str, tuple[int, str, str]],
    ruled_out: Iterable[tuple[str, str]],
    pinned: Collection[str],
) -> Choice:
    """Choose a parent, or none, for each class; none for those that are ``pinned``.

    ``candidates`` are the nearest classes of each, best first. Of parents that save as much that counts whose
    folder has the lower ``precedence``.
    """
    banned = frozenset(ruled_out)
    options = [option for option in _options(parents, candidates, banned) if option.name not in pinned]
    groups: dict[tuple[str, str], dict[str, Option]] = defaultdict(dict)
    for option in options:
        if not option.pays:
            continue
        known = groups[option.path, option.prefix].get(option.name)
        if known is None or worth(option) > worth(known):
            groups[option.path, option.prefix][option.name] = option
    taken = cover(parents, groups, precedence)
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
        if most + WHOLE < best - _ALIKE:
            parents.put_off(pair)
        elif (option := parents.option(*pair)) is not None:
            best = max(best, worth(option))
            yield option


def _prefix(parents: Parents, name: str, path: str, parent: str) -> str:
    cased = parents.flat.cased
    return of_class(name, parent, cased, parents.converter.parent(path).spelling.cased) or cased


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
