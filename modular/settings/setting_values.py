"""Which values settings may have: a project's settings come from whoever wrote the project, and are not to be trusted."""

import posixpath
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from modular.system import safe_paths


_LONGEST_NAME = 100
_LONGEST_BANNER = 10_000
"""Characters. It is in every file, with a path in it."""

_MODULAR = "modular_"
"""What no generated file may be named like: it would replace a source."""

_Problem = Callable[[str], str]
"""Says what is wrong with a value; nothing if nothing is."""


def problem(table: Mapping[str, Any]) -> str:
    """Return the first thing that is wrong with a whole table of settings, with its key; nothing if nothing is."""
    return next(
        (
            f"{key}: {message}"
            for key, message in _problems(table, "tool.modular")
            if message
        ),
        "",
    )


def _problems(table: Mapping[str, Any], where: str) -> Iterator[tuple[str, str]]:
    """Yield each key, and what is wrong with its value."""
    for name, value in table.items():
        key = f"{where}.{name}"
        if isinstance(value, str):
            yield key, _quoted(value, _VALUES.get(key, _VALUES.get(where, _text)))
        elif isinstance(value, dict):
            yield from (
                (key, _quoted(entry, _KEYS[key])) for entry in value if key in _KEYS
            )
            yield from _problems(value, key)
        elif isinstance(value, list):
            yield from (
                (key, _quoted(entry, _VALUES.get(key, _text))) for entry in value
            )


def _quoted(value: str, what: _Problem) -> str:
    message = what(value)
    return f"`{value[:_LONGEST_NAME]}` {message}" if message else ""


def _text(value: str) -> str:
    return "" if value.isprintable() else "has characters that cannot be printed"


def _banner(value: str) -> str:
    return (
        f"is too long: {_LONGEST_BANNER} characters are the most"
        if len(value) > _LONGEST_BANNER
        else ""
    )


def _identifier(value: str) -> str:
    return (
        "" if value.isidentifier() and len(value) <= _LONGEST_NAME else "is not a name"
    )


def _file_type(value: str) -> str:
    return (
        "is the beginning of modular files' names"
        if f"{value}_".startswith(_MODULAR)
        else _identifier(value)
    )


def _module(value: str) -> str:
    """A module's dotted name."""
    return _text(value) or (
        ""
        if all(part.isidentifier() for part in value.split("."))
        else "is not a module's name"
    )


def _any_module(value: str) -> str:
    """A module's dotted name, which may be relative."""
    return _module(value.lstrip("."))


def _path(value: str) -> str:
    """A path below the root."""
    return _text(value) or safe_paths.problem(posixpath.normpath(value))


def _folder(value: str) -> str:
    return _path(value) if value else "is not a path"


_VALUES: Mapping[str, _Problem] = {
    "tool.modular.models": _folder,
    "tool.modular.package": _module,
    "tool.modular.output": _path,
    "tool.modular.file-types": _file_type,
    "tool.modular.soft-dependencies.file-types": _identifier,
    "tool.modular.soft-dependencies.utils": _any_module,
    "tool.modular.soft-dependencies.guards": _identifier,
    "tool.modular.copied-instead-of-imported": _identifier,
    "tool.modular.model-types.variable": _identifier,
    "tool.modular.model-types.files": _folder,
    "tool.modular.infer.leave-out": _identifier,
    "tool.modular.banner.text": _banner,
    "tool.modular.banner.elsewhere": _banner,
}
"""What the values of a key have to be, those in its list or table included; of all others, text that can be printed."""

_KEYS: Mapping[str, _Problem] = {
    "tool.modular.package": _folder,
    "tool.modular.file-types": _identifier,
    "tool.modular.soft-dependencies.guards": _module,
    "tool.modular.copied-instead-of-imported": _identifier,
}
"""What the keys of a table that a project fills have to be."""
