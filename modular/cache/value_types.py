"""Tells whether a value that was read from JSON has the type that the code expects."""

from collections.abc import Callable, Mapping
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints


TypeCheck = Callable[[Any], bool]
"""A function that returns whether a value has a certain type."""


@cache
def type_check(hint: Any) -> TypeCheck:
    """Return the check for a type. A check for thousands of values is made only once.

    Args:
        hint: A class, a NamedTuple, a union, `Mapping[K, V]` or `tuple[T, ...]`.
    """
    origin = get_origin(hint)
    arguments = get_args(hint)
    if origin in (Union, UnionType):
        choices = [type_check(choice) for choice in arguments]
        return lambda value: any(check(value) for check in choices)
    if origin is tuple:
        check_item = type_check(arguments[0])
        return lambda value: isinstance(value, tuple) and all(map(check_item, value))
    if origin is Mapping:
        check_key, check_item = map(type_check, arguments)
        return lambda value: (
            isinstance(value, dict)
            and all(map(check_key, value))
            and all(map(check_item, value.values()))
        )
    if hint is str:
        # No path and no text of a source contains a null character.
        return lambda value: isinstance(value, str) and "\0" not in value
    if hint is int:
        # For Python, a `bool` is an integer, too.
        return lambda value: type(value) is int and value >= 0
    if hasattr(hint, "_fields"):
        check_fields = attributes_check(hint, hint._fields)
        return lambda value: isinstance(value, hint) and check_fields(value)
    class_ = NoneType if hint is None else hint
    return lambda value: isinstance(value, class_)


@cache
def attributes_check(class_: type, names: tuple[str, ...]) -> TypeCheck:
    """Return the check whether some attributes of an object have the types of its class.

    Args:
        class_: The class, which declares the types.
        names: The attributes to check.
    """
    hints = get_type_hints(class_)
    checks = {name: type_check(hints[name]) for name in names}
    return lambda value: all(
        check(getattr(value, name)) for name, check in checks.items()
    )
