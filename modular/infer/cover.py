"""Few parent files that save most lines together."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from modular.infer.parents import Option, Parents
from modular.source.blocks import Kind


_FIRST_MODEL = 3
"""Lines that the first parent model has to save."""

_NEW_MODEL = 10
"""Lines that each further one has to save: what a class is worth."""

_NEW_FILE = 1
"""Lines that another file of the same parent model has to save: it takes an import at least."""

WHOLE = 3
"""Lines that a class is worth which may not have to be mentioned at all."""

_LITTLE = 1
"""Lines for which a class does not go to another parent file than most others."""

_ORDER = 12
"""Lines that an option has to save more if lines would come in another order."""

_ROUNDS = 20
"""How often a parent file is exchanged for another one, at most."""

Key = tuple[str, str]
"""The path of a parent file, and the prefix under which it is seen."""


def worth(option: Option) -> int:
    """How many lines an option saves: more where a class may not have to be mentioned, less where lines change their order."""
    return option.saved + (WHOLE if option.derived.is_whole else 0) - (_ORDER if option.moved else 0)


def cover(
    parents: Parents, groups: Mapping[Key, Mapping[str, Option]], precedence: Mapping[str, tuple[int, str, str]]
) -> dict[str, Option]:
    """Return for each class the option that is taken, if any. ``groups`` has the options of each parent file by class."""
    return _Cover(parents, groups, precedence).taken()


@dataclass
class _Cover:
    """The search for parent files: those that save most are added, then single ones left out or exchanged."""

    parents: Parents
    groups: Mapping[Key, Mapping[str, Option]]
    precedence: Mapping[str, tuple[int, str, str]]
    _given: dict[Key, dict[str, int]] = field(default_factory=dict)

    @cached_property
    def keys(self) -> Sequence[Key]:
        """The parent files, those of the ancestors of many models first, then those of old ones."""
        return sorted(self.groups, key=lambda key: (self.precedence[_model(key[0])], key))

    @cached_property
    def worths(self) -> dict[Key, dict[str, int]]:
        """What each class is worth with each parent file."""
        return {key: {name: worth(each) for name, each in group.items()} for key, group in self.groups.items()}

    def taken(self) -> dict[str, Option]:
        """Return the options of the parent files that are best together."""
        chosen = self._extended([])
        value = self._value(chosen)
        for _ in range(_ROUNDS):
            others = (self._extended([key for key in chosen if key != gone]) for gone in chosen)
            best = max(others, key=self._value, default=chosen)
            if self._value(best) <= value:
                break
            chosen, value = best, self._value(best)
        return self._options(chosen)

    def _extended(self, chosen: list[Key]) -> list[Key]:
        """Add parent files as long as one saves more than it costs, always that which saves most."""
        while True:
            now = self._worth_now(chosen)
            given = self._given_now(chosen)
            paths = {path for path, _ in chosen}
            models = {_model(path) for path in paths}
            best, most = None, 0
            for key in self.keys:
                if key[0] not in paths:
                    another = _NEW_MODEL if models else _FIRST_MODEL
                    gain = self._gain(key, now, given) - (_NEW_FILE if _model(key[0]) in models else another)
                    if gain > most:
                        best, most = key, gain
            if best is None:
                return chosen
            chosen = [*chosen, best]

    def _gain(self, key: Key, now: Mapping[str, int], given: Mapping[str, int]) -> int:
        gain = 0
        for name, value in self.worths[key].items():
            before = now.get(name, 0)
            gain += max(0, value - before - (_LITTLE if before else 0))
        return gain + sum(lines for name, lines in self._gives(key).items() if name not in given) if gain else 0

    def _value(self, chosen: Iterable[Key]) -> int:
        """How many lines some parent files save together, less what they cost."""
        paths = [path for path, _ in chosen]
        models = {_model(path) for path in paths}
        cost = _NEW_MODEL * len(models) + _NEW_FILE * (len(paths) - len(models))
        cost += _FIRST_MODEL - _NEW_MODEL if models else 0
        return sum(self._worth_now(chosen).values()) + sum(self._given_now(chosen).values()) - cost

    def _worth_now(self, chosen: Iterable[Key]) -> dict[str, int]:
        found: dict[str, int] = {}
        for key in chosen:
            for name, value in self.worths[key].items():
                found[name] = max(value, found.get(name, 0))
        return found

    def _given_now(self, chosen: Iterable[Key]) -> dict[str, int]:
        found: dict[str, int] = {}
        for key in chosen:
            found.update(self._gives(key))
        return found

    def _gives(self, key: Key) -> dict[str, int]:
        """The functions that classes need and that come along with them from a parent file, and their lines."""
        if key not in self._given:
            names, view = self.parents.flat.names, self.parents.view(*key)
            words = set[str]().union(*(names[name].code.words() for name in self.groups[key]))
            found = (name for name in sorted(words & names.keys()) if name in view.nodes)
            functions = (name for name in found if view.nodes[name].kind is Kind.FUNCTION)
            self._given[key] = {
                name: names[name].own.text.count("\n") + 2 for name in functions if self.parents.is_equal(name, view)
            }
        return self._given[key]

    def _options(self, chosen: Sequence[Key]) -> dict[str, Option]:
        """Each class with its best option; where it is nearly the same, with that from which most is taken."""
        taken: dict[str, Option] = {}
        for key in sorted(chosen, key=lambda key: -sum(self.worths[key].values())):
            for name, option in self.groups[key].items():
                if name not in taken or worth(option) > worth(taken[name]) + _LITTLE:
                    taken[name] = option
        return taken


def _model(path: str) -> str:
    return path.rpartition("/")[0]
