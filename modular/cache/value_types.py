"""Tells whether a value that was read from JSON has the type that the code expects."""

from collections.abc import Iterable, Mapping
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints


def has_type(value: object, hint: Any) -> bool:
    """Return whether a value has a type.

    Args:
        value: The value.
        hint: A class, a NamedTuple, a union, `Mapping[K, V]` or `tuple[T, ...]`.
    """
    origin, arguments = _split_hint(hint)
    if origin in (Union, UnionType):
        return any(has_type(value, choice) for choice in arguments)
    if origin is tuple:
        return isinstance(value, tuple) and _have_type(value, arguments[0])
    if origin is Mapping:
        if not isinstance(value, dict):
            return False
        key_hint, value_hint = arguments
        return _have_type(value, key_hint) and _have_type(value.values(), value_hint)
    if hint in (None, NoneType):
        return value is None
    if hint is str:
        # No path and no text of a source contains a null character.
        return isinstance(value, str) and "\0" not in value
    if hint is int:
        # For Python, a `bool` is an integer, too.
        return type(value) is int and value >= 0
    if not isinstance(value, hint):
        return False
    if hasattr(hint, "_fields"):
        hints = hints_of(hint)
        return all(has_type(getattr(value, name), hints[name]) for name in hint._fields)
    return True


def _have_type(values: Iterable[object], hint: Any) -> bool:
    """Return whether all values have a type."""
    return all(has_type(value, hint) for value in values)


@cache
def hints_of(class_: type) -> Mapping[str, Any]:
    """Return the types of the fields of a class."""
    return get_type_hints(class_)


@cache
def _split_hint(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    """Return the class of a type and its arguments: `tuple` and `(int, ...)`."""
    return get_origin(hint), get_args(hint)
