"""Orders the classes that a class inherits from as Python searches them."""

import builtins
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, NamedTuple, Protocol

from modular.semantics.meanings import (
    Builtin,
    Definition,
    ForeignName,
    Meaning,
    Reason,
    Unknown,
)


OBJECT = Builtin("object")

_OBJECT_MEMBERS = frozenset(dir(object))
_TORCH_MODULE_MEMBERS = _OBJECT_MEMBERS.union(
    Path(__file__).with_name("torch_module.txt").read_text(encoding="utf-8").split()
)
_FOREIGN_MEMBERS = {
    "abc.ABC": _OBJECT_MEMBERS,
    "collections.OrderedDict": frozenset(dir(OrderedDict)),
    "torch.nn.Module": _TORCH_MODULE_MEMBERS,
    "typing.Generic": frozenset(dir(Generic)),
    "typing.Protocol": frozenset(dir(Protocol)),
}
"""The members of foreign classes. The `forward` of `nn.Module` only raises, so it is none."""

_MAX_DEPTH = 50
"""Number of classes that inherit from each other, one from the next."""

_MAX_CLASSES = 500
"""Number of ancestors of one class that are ordered as Python does."""


@dataclass(frozen=True)
class Ancestors:
    """The classes that a class inherits from.

    Attributes:
        classes: The classes, without the class itself, in the order in which Python
            searches them. `object` is the last one. Classes whose bases are unknown are
            among them, and an `Unknown` for each base that is unknown itself. If there
            are any, or if Python rejects the bases, each class only comes before its own
            bases.
        unknown: The first base that is unknown, with the reason; None if all are known.
    """

    classes: tuple[Meaning, ...]
    unknown: Unknown | None = None


def order_ancestors(
    class_: Definition, find_bases: Callable[[Definition], Sequence[Meaning]]
) -> Ancestors:
    """Return the classes that a class inherits from.

    Args:
        class_: The class.
        find_bases: Returns the bases of a class.
    """
    line = _Linearizer(find_bases).linearize(class_)
    return Ancestors(line.classes[1:], line.unknown)


def known_members(class_: Meaning) -> frozenset[str] | None:
    """Return the members of a class that is in no file of the project.

    Returns:
        The names of the members, or None if they are not known.
    """
    match class_:
        case Builtin(name):
            return frozenset(dir(getattr(builtins, name)))
        case ForeignName(name):
            return _FOREIGN_MEMBERS.get(name)
    return None


class _Line(NamedTuple):
    """A class and its ancestors in their order, and the first unknown base."""

    classes: tuple[Meaning, ...]
    unknown: Unknown | None = None


class _Linearizer:
    """Orders classes and their ancestors as Python searches them."""

    def __init__(self, find_bases: Callable[[Definition], Sequence[Meaning]]) -> None:
        self._find_bases = find_bases
        self._lines: dict[Meaning, _Line] = {}
        # The classes whose bases are being ordered, each a base of the one before it.
        self._open: list[Meaning] = []

    def linearize(self, class_: Meaning) -> _Line:
        """Return a class and its ancestors."""
        if class_ == OBJECT:
            return _Line((OBJECT,))
        if class_ not in self._lines:
            if class_ in self._open:
                return self._end(class_, Reason.CYCLE)
            if len(self._open) > _MAX_DEPTH:
                return self._end(class_, Reason.TOO_DEEP)
            self._open.append(class_)
            self._lines[class_] = self._linearize(class_)
            self._open.pop()
        return self._lines[class_]

    def _linearize(self, class_: Meaning) -> _Line:
        match class_:
            case Unknown():
                return _Line((class_, OBJECT), class_)
            case Definition(is_class=True):
                return self._merge_bases(class_)
            case Definition():
                return self._without_bases(class_, Reason.NOT_A_CLASS)
        if known_members(class_) is None:
            return self._without_bases(class_, Reason.FOREIGN)
        return _Line((class_, OBJECT))

    def _without_bases(self, class_: Meaning, reason: Reason) -> _Line:
        """Return a class whose bases are unknown."""
        return _Line((class_, OBJECT), _make_unknown(class_, reason))

    def _end(self, class_: Meaning, reason: Reason) -> _Line:
        """Return something unknown in place of a class at which the search ends."""
        unknown = _make_unknown(class_, reason)
        return _Line((unknown, OBJECT), unknown)

    def _merge_bases(self, class_: Definition) -> _Line:
        """Return a class and its ancestors, from those of its bases."""
        bases = self._find_bases(class_) or (OBJECT,)
        lines = [self.linearize(base) for base in bases]
        unknown = next((line.unknown for line in lines if line.unknown), None)
        merged = None
        if sum(len(line.classes) for line in lines) <= _MAX_CLASSES:
            merged = _merge([*(list(line.classes) for line in lines), list(bases)])
            reason = Reason.INCONSISTENT
        else:
            reason = Reason.TOO_DEEP
        if merged is None:
            unknown = unknown or Unknown(class_.name, class_.path, reason)
            merged = _bases_last(lines)
        return _Line((class_, *merged), unknown)


def _merge(sequences: list[list[Meaning]]) -> list[Meaning] | None:
    """Merge the ancestors of several bases as Python does (the algorithm is called C3).

    The next class is the first one that no sequence has behind another class.

    Returns:
        The classes; None if there is no such order, so that Python rejects the bases.
    """
    merged: list[Meaning] = []
    waiting = [sequence for sequence in sequences if sequence]
    while waiting:
        chosen = None
        for sequence in waiting:
            if not any(sequence[0] in other[1:] for other in waiting):
                chosen = sequence[0]
                break
        if chosen is None:
            return None
        merged.append(chosen)
        for sequence in waiting:
            if sequence[0] == chosen:
                del sequence[0]
        waiting = [sequence for sequence in waiting if sequence]
    return merged


def _bases_last(lines: Sequence[_Line]) -> list[Meaning]:
    """Return the classes of several bases, each once, where it comes last."""
    classes: dict[Meaning, None] = {}
    for line in reversed(lines):
        for class_ in reversed(line.classes):
            classes.setdefault(class_)
    return list(reversed(classes))


def _make_unknown(class_: Meaning, reason: Reason) -> Unknown:
    """Return the reason why the bases of a class are unknown."""
    match class_:
        case Definition():
            return Unknown(class_.name, class_.path, reason)
        case ForeignName(name) | Builtin(name):
            return Unknown(name, "", reason)
    return Unknown("", "", reason)
