"""Checks the values of settings, which are as untrusted as the project."""

import posixpath
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from modular.settings import file_names
from modular.system import safe_paths


_MAX_NAME_CHARS = 100
_MAX_BANNER_CHARS = 10_000
"""Maximum length of a banner, which is a part of each generated file."""

_MODULAR_PREFIX = "modular_"
"""Prefix of modular files. A generated file with this prefix would replace a source."""

_Check = Callable[[str], str]
"""Returns what is wrong with a text, or an empty text if it is valid."""


def problem(table: Mapping[str, Any]) -> str:
    """Return a message about the first invalid value of a table `[tool.modular]`.

    Returns:
        A message such as "tool.modular.output: `../x` ..."; empty if all is valid.
    """
    for key, text, check in _texts(table, "tool.modular"):
        message = check(text)
        if message:
            return f"{key}: `{text[:_MAX_NAME_CHARS]}` {message}"
    return ""


class _Text(NamedTuple):
    """A text in the settings: its dotted key, or that of its table or list, and its check."""

    key: str
    text: str
    check: _Check


def _texts(table: Mapping[str, Any], table_key: str) -> Iterator[_Text]:
    """Yield each text in a table, at any depth, with the function that checks it.

    Args:
        table: The table.
        table_key: Its dotted key, such as `tool.modular`.
    """
    # Projects choose the keys of some tables, such as `tool.modular.package`.
    if table_key in _KEY_CHECKS:
        for name in table:
            yield _Text(table_key, name, _KEY_CHECKS[table_key])

    # In `tool.modular.file-types`, all values have the check of the table. Elsewhere, a
    # value such as `tool.modular.output` has a check of its own, or must be printable.
    check_of_table = _VALUE_CHECKS.get(table_key, _check_text)
    for name, value in table.items():
        key = f"{table_key}.{name}"
        if isinstance(value, dict):
            yield from _texts(value, key)
            continue
        check = _VALUE_CHECKS.get(key, check_of_table)
        texts = value if isinstance(value, list) else [value]
        for text in texts:
            if isinstance(text, str):
                yield _Text(key, text, check)


def _check_text(value: str) -> str:
    """Return what is wrong with a text that is printed; empty if nothing is."""
    if value.isprintable():
        return ""
    return "has characters that cannot be printed"


def _check_banner(value: str) -> str:
    """Check the length of a banner."""
    if len(value) <= _MAX_BANNER_CHARS:
        return ""
    return f"is too long: at most {_MAX_BANNER_CHARS} characters are allowed"


def _check_identifier(value: str) -> str:
    """Check that a text is a Python name of bearable length."""
    if value.isidentifier() and len(value) <= _MAX_NAME_CHARS:
        return ""
    return "is not a name"


def _check_file_type(value: str) -> str:
    """Check the type of a file, such as `modeling`, which can contain `{model}`."""
    if f"{value}_".startswith(_MODULAR_PREFIX):
        return "is reserved for modular files"
    return _check_identifier(value.replace(file_names.MODEL, "m", 1))


def _check_ending(value: str) -> str:
    """Check the ending of the names of some classes; all names have the empty one."""
    return _check_identifier(value) if value else ""


def _check_module(value: str) -> str:
    """Check the dotted name of a module."""
    problem = _check_text(value)
    if not problem and not all(part.isidentifier() for part in value.split(".")):
        problem = "is not a module's name"
    return problem


def _check_package(value: str) -> str:
    """Check the dotted name of a package; an empty one stands for no package."""
    return _check_module(value) if value else ""


def _check_release(value: str) -> str:
    """Check the number of a release; empty for none."""
    if not value or value[0].isdigit():
        return _check_text(value)
    return "is not the number of a release"


def _check_relative_module(value: str) -> str:
    """Check the dotted name of a module, which may begin with dots."""
    return _check_module(value.lstrip("."))


def _check_path(value: str) -> str:
    """Check a path below the root; the empty path is the root."""
    return _check_text(value) or safe_paths.problem(posixpath.normpath(value))


def _check_folder(value: str) -> str:
    """Check a path below the root that is not empty."""
    return _check_path(value) if value else "is not a path"


_VALUE_CHECKS: Mapping[str, _Check] = {
    "tool.modular.models": _check_folder,
    "tool.modular.package": _check_package,
    "tool.modular.file-names": file_names.problem,
    "tool.modular.source-release": _check_release,
    "tool.modular.output": _check_path,
    "tool.modular.file-types": _check_file_type,
    "tool.modular.soft-dependencies.file-types": _check_identifier,
    "tool.modular.soft-dependencies.utils": _check_relative_module,
    "tool.modular.soft-dependencies.guards": _check_identifier,
    "tool.modular.copied-instead-of-imported": _check_identifier,
    "tool.modular.added-decorators": _check_identifier,
    "tool.modular.model-types.variable": _check_identifier,
    "tool.modular.model-types.files": _check_folder,
    "tool.modular.infer.leave-out": _check_identifier,
    "tool.modular.banner.text": _check_banner,
    "tool.modular.banner.elsewhere": _check_banner,
}
"""Checks of the value of a key, or of the values in its list or table.

All other texts must be printable.
"""

_KEY_CHECKS: Mapping[str, _Check] = {
    "tool.modular.package": _check_folder,
    "tool.modular.file-types": _check_ending,
    "tool.modular.soft-dependencies.guards": _check_module,
    "tool.modular.copied-instead-of-imported": _check_identifier,
}
"""Checks of the keys of tables to which a project can add keys."""
