"""Tells whether a value that was read from JSON has the type that the code expects."""

from collections.abc import Mapping
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
        if not isinstance(value, tuple):
            return False
        return all(has_type(item, arguments[0]) for item in value)
    if origin is Mapping:
        if not isinstance(value, dict):
            return False
        key_hint, value_hint = arguments
        has_right_keys = all(has_type(key, key_hint) for key in value)
        return has_right_keys and all(
            has_type(entry, value_hint) for entry in value.values()
        )
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


@cache
def hints_of(class_: type) -> Mapping[str, Any]:
    """Return the types of the fields of a class."""
    return get_type_hints(class_)


@cache
def _split_hint(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    """Return the class of a type and its arguments: `tuple` and `(int, ...)`."""
    return get_origin(hint), get_args(hint)
