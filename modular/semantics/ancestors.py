"""Orders the classes that a class inherits from as Python searches them."""

import builtins
from abc import ABC
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, NamedTuple, Protocol, cast

from modular.semantics.meanings import (
    Builtin,
    Definition,
    ForeignName,
    ImportedModule,
    Meaning,
    Reason,
    Unknown,
)
from modular.source.definition_view import DefinitionView


OBJECT = Builtin("object")

TORCH_MODULE = ForeignName("torch.nn.Module")

FORWARD = "forward"
"""The method that `TORCH_MODULE` has only to raise an error."""

CALLED_METHODS = ("__call__", FORWARD)
"""The methods that run if an object itself is called: `TORCH_MODULE` calls `FORWARD`."""

MODULE_VISITORS = frozenset(
    {
        "apply",
        "buffers",
        "children",
        "cpu",
        "cuda",
        "double",
        "eval",
        "float",
        "half",
        "load_state_dict",
        "modules",
        "named_buffers",
        "named_children",
        "named_modules",
        "named_parameters",
        "parameters",
        "requires_grad_",
        "state_dict",
        "to",
        "train",
        "zero_grad",
    }
)
"""The methods of `TORCH_MODULE` that read all attributes that are modules or tensors."""

ENUMS = frozenset(
    ForeignName(f"enum.{name}")
    for name in ("Enum", "Flag", "IntEnum", "IntFlag", "ReprEnum", "StrEnum")
)
"""The enums of Python, from which all others inherit."""

_TORCH_MODULE_MEMBERS = frozenset(
    Path(__file__).with_name("torch_module.txt").read_text(encoding="utf-8").split()
)
"""The members that `TORCH_MODULE` defines, without `FORWARD`."""

_PARTS_OF_TORCH = "torch.nn."
_NO_MODULES_OF_TORCH = frozenset(
    {"Buffer", "Parameter", "UninitializedBuffer", "UninitializedParameter"}
)
"""The classes of `torch.nn` that do not inherit from `TORCH_MODULE`."""

_STANDARD_CLASSES: dict[str, type] = {
    "abc.ABC": ABC,
    "collections.OrderedDict": OrderedDict,
    "typing.Generic": cast("type", Generic),
    "typing.Protocol": cast("type", Protocol),
}

_NOT_INHERITED = frozenset({*vars(type("", (), {})), "__init_subclass__", "__slots__"})
"""Members of which a class has its own, or that call those of the next base, too."""

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


class Ancestor(NamedTuple):
    """A class, or a class that it inherits from, with its code.

    Attributes:
        meaning: The class, or why it is unknown.
        view: The class; None if it cannot be read.
    """

    meaning: Meaning
    view: DefinitionView | None

    @property
    def name(self) -> str:
        """The name of the class; the dotted name of one that is in no file of the project."""
        if isinstance(self.meaning, ForeignName):
            return self.meaning.dotted_name
        return "" if isinstance(self.meaning, ImportedModule) else self.meaning.name

    @property
    def path(self) -> str:
        """The path of the file that defines the class; empty if it is not known."""
        return self.meaning.path if isinstance(self.meaning, Definition) else ""

    def has_name(self, name: str) -> bool:
        """Whether a name means this class: `nn.Module` means the class `torch.nn.Module`."""
        return f".{self.name}".endswith(f".{name}")


def order_ancestors(
    class_: Definition, find_bases: Callable[[Definition], Sequence[Meaning]]
) -> Ancestors:
    """Return the classes that a class inherits from.

    Args:
        class_: The class.
        find_bases: Returns the bases of a class.
    """
    order = _AncestorOrdering(find_bases).order(class_)
    return Ancestors(order.classes[1:], order.unknown)


def known_members(class_: Meaning) -> frozenset[str] | None:
    """Return the members of a class that is in no file of the project.

    Returns:
        The names of the members, or None if they are not known. The `FORWARD` of
        `TORCH_MODULE` is left out.
    """
    if class_ == TORCH_MODULE:
        return _TORCH_MODULE_MEMBERS.union(dir(object))
    standard_class = _standard_class(class_)
    return None if standard_class is None else frozenset(dir(standard_class))


def known_own_members(class_: Meaning) -> frozenset[str]:
    """Return the members by which a class that is in no file hides those of later bases.

    The members of `object` are left out, unless the class or a base defines them anew, as
    `TORCH_MODULE` does with `__repr__`. Other members may exist.
    """
    if isinstance(class_, ForeignName) and _is_torch_module(class_.dotted_name):
        return _TORCH_MODULE_MEMBERS | {FORWARD}
    standard_class = _standard_class(class_)
    if standard_class is None:
        return frozenset()
    names: set[str] = set()
    for base in standard_class.__mro__:
        if base is not object:
            names.update(vars(base))
    return frozenset(names - _NOT_INHERITED)


def _is_torch_module(name: str) -> bool:
    """Whether a dotted name is `torch.nn.Module`, or a class of torch such as `torch.nn.Linear`."""
    class_name = name.removeprefix(_PARTS_OF_TORCH)
    is_public = class_name != name and class_name.isidentifier()
    is_class = class_name[:1].isupper()
    return is_public and is_class and class_name not in _NO_MODULES_OF_TORCH


def _standard_class(class_: Meaning) -> type | None:
    """Return a class of Python itself; None for other classes."""
    match class_:
        case Builtin(name):
            builtin = getattr(builtins, name)
            return builtin if isinstance(builtin, type) else None
        case ForeignName(name):
            return _STANDARD_CLASSES.get(name)
    return None


class _Order(NamedTuple):
    """A class and its ancestors in Python's order, and the first unknown base."""

    classes: tuple[Meaning, ...]
    unknown: Unknown | None = None


class _AncestorOrdering:
    """Orders classes and their ancestors as Python searches them."""

    def __init__(self, find_bases: Callable[[Definition], Sequence[Meaning]]) -> None:
        """Prepare to order classes with a function that returns the bases of a class."""
        self._find_bases = find_bases
        self._orders: dict[Meaning, _Order] = {}
        # The classes whose order is being found, each a base of the one before it.
        self._unfinished: list[Meaning] = []

    def order(self, class_: Meaning) -> _Order:
        """Return a class and its ancestors; each answer is computed once.

        A class that inherits from itself, or from very many others, counts as unknown.
        """
        if class_ == OBJECT:
            return _Order((OBJECT,))
        if class_ in self._orders:
            return self._orders[class_]
        if class_ in self._unfinished:
            return self._stop_at(class_, Reason.CYCLE)
        if len(self._unfinished) > _MAX_DEPTH:
            return self._stop_at(class_, Reason.TOO_DEEP)

        self._unfinished.append(class_)
        order = self._find_order(class_)
        self._unfinished.pop()
        self._orders[class_] = order
        return order

    def _find_order(self, class_: Meaning) -> _Order:
        """Return a class, followed by its ancestors in the order in which Python searches.

        If its bases are unknown, only `object` follows, and the order says why they are
        unknown.
        """
        match class_:
            case Unknown():
                return _Order((class_, OBJECT), unknown=class_)
            case Definition(is_class=True):
                return self._merge_bases(class_)
            case Definition():
                return self._without_bases(class_, Reason.NOT_A_CLASS)
        # Classes outside of the project cannot be read. The members of some of them are
        # listed, such as those of `nn.Module`, including all that they inherit.
        is_listed = known_members(class_) is not None
        if is_listed:
            return _Order((class_, OBJECT))
        return self._without_bases(class_, Reason.FOREIGN)

    def _without_bases(self, class_: Meaning, reason: Reason) -> _Order:
        """Return a class whose bases are unknown, as if `object` were its only base."""
        return _Order((class_, OBJECT), _make_unknown(class_, reason))

    def _stop_at(self, class_: Meaning, reason: Reason) -> _Order:
        """Return an unknown order for a class whose ancestors are not searched."""
        unknown = _make_unknown(class_, reason)
        return _Order((unknown, OBJECT), unknown)

    def _merge_bases(self, class_: Definition) -> _Order:
        """Return a class and its ancestors, which are merged from those of each base.

        If Python rejects the bases, or there are too many ancestors, the order is not
        Python's: each class only comes before its own bases, and one base is unknown.
        """
        bases = self._find_bases(class_) or (OBJECT,)
        orders = [self.order(base) for base in bases]
        unknown_bases = [order.unknown for order in orders if order.unknown]
        first_unknown = unknown_bases[0] if unknown_bases else None

        ancestors = None
        class_count = sum(len(order.classes) for order in orders)
        is_too_deep = class_count > _MAX_CLASSES
        if not is_too_deep:
            ancestors_of_bases = [list(order.classes) for order in orders]
            ancestors = _merge([*ancestors_of_bases, list(bases)])
        if ancestors is None:
            reason = Reason.TOO_DEEP if is_too_deep else Reason.INCONSISTENT
            first_unknown = first_unknown or Unknown(class_.name, class_.path, reason)
            ancestors = _put_bases_last(orders)
        return _Order((class_, *ancestors), first_unknown)


def _merge(sequences: list[list[Meaning]]) -> list[Meaning] | None:
    """Merge the ancestors of several bases as Python does, by the algorithm C3.

    The next class is always the first one of a list that comes later in no other list.

    Args:
        sequences: The ancestors of each base, and the bases. They are emptied.

    Returns:
        The classes; None if there is no such order, so that Python rejects the bases.
    """
    merged: list[Meaning] = []
    waiting = [sequence for sequence in sequences if sequence]
    while waiting:
        next_class = _find_next(waiting)
        if next_class is None:
            return None
        merged.append(next_class)
        for sequence in waiting:
            if sequence[0] == next_class:
                del sequence[0]
        waiting = [sequence for sequence in waiting if sequence]
    return merged


def _find_next(sequences: list[list[Meaning]]) -> Meaning | None:
    """Return the first class of a list that comes later in no other list, or None."""
    for sequence in sequences:
        first = sequence[0]
        if not any(first in other_sequence[1:] for other_sequence in sequences):
            return first
    return None


def _put_bases_last(orders: Sequence[_Order]) -> list[Meaning]:
    """Return the classes of several orders, each once, at the last of its places.

    So each class comes before its own bases.
    """
    classes: dict[Meaning, None] = {}
    for order in orders:
        for class_ in order.classes:
            # A class that was added before moves to the end.
            classes.pop(class_, None)
            classes[class_] = None
    return list(classes)


def _make_unknown(class_: Meaning, reason: Reason) -> Unknown:
    """Return an unknown meaning for a class whose bases are unknown, with the reason."""
    match class_:
        case Definition():
            return Unknown(class_.name, class_.path, reason)
        case ForeignName(name) | Builtin(name):
            return Unknown(name, "", reason)
    return Unknown("", "", reason)
