"""Compares the formatter that runs with the version that a project pins.

Another version formats some code differently, so correct files can seem stale.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from configparser import Error as ConfigParserError
from configparser import RawConfigParser
from pathlib import Path
from typing import Any, NamedTuple

from modular.format.formatter_config import CONFIGS, PYPROJECT, read_table
from modular.settings.settings import SettingsError
from modular.source import scan
from modular.system.reading import read_bytes
from modular.system.ruff import (
    identify_ruff,
    installed_version,
    ruff_executable,
    ruff_version,
)


PRE_COMMIT = ".pre-commit-config.yaml"
SETUP_CFG = "setup.cfg"
SETUP_PY = "setup.py"

MAX_PIN_FILE_BYTES = 5_000_000
"""Longer files are not searched. Lock files of large projects have up to 2,000,000."""

_VERSION = r"\d+(?:\.\d+)*(?:(?:a|b|rc|\.post|\.dev)\d+)?"
_HOOK_REPOSITORIES = {
    "ruff": ("ruff-pre-commit",),
    "black": ("black", "black-pre-commit-mirror"),
}
_LOCK_FILES = ("uv.lock", "poetry.lock", "pdm.lock", "pylock.toml")
_REQUIREMENT_FILES = ("requirements*.txt", "requirements/*.txt")


class FormatterPin(NamedTuple):
    """The exact version of a formatter that a project pins.

    Attributes:
        version: The version.
        path: The path of the file that pins it, relative to the root.
    """

    version: str
    path: str


def find_pin(root: Path, formatter: str) -> FormatterPin | None:
    """Return the version of a formatter that a project pins.

    These files are searched in this order: the formatter's settings with their
    `required-version`, `setup.py` (which is never executed), `pyproject.toml`, the
    configuration of pre-commit, lock files, `setup.cfg` and requirements files.

    Args:
        root: The root of the project.
        formatter: `ruff`, `black` or `none`.

    Returns:
        The first exact pin, or None. Ranges such as `>=0.9` are skipped.
    """
    if formatter not in _HOOK_REPOSITORIES:
        return None
    for path, version in _search_files(root, formatter):
        if version:
            return FormatterPin(version, path)
    return None


def running_version(formatter: str) -> str:
    """Return the version of the formatter that runs.

    Returns:
        The version; `unknown` if the formatter is not ruff and is not installed.

    Raises:
        modular.system.ruff.FormatterError: Ruff is not installed or cannot be run.
    """
    if formatter == "ruff":
        return ruff_version(ruff_executable())
    return installed_version(formatter)


def identify_formatter(formatter: str) -> str:
    """Return a text that differs for formatters that may format differently.

    Raises:
        modular.system.ruff.FormatterError: Ruff is not installed or cannot be read.
    """
    if formatter == "ruff":
        return f"ruff {identify_ruff(ruff_executable())}"
    return f"{formatter} {installed_version(formatter)}"


def describe_mismatch(root: Path, formatter: str, usual_version: str = "") -> str:
    """Explain that another version of the formatter runs than the project pins.

    Args:
        root: The root of the project.
        formatter: `ruff`, `black` or `none`.
        usual_version: The version for which the project is known to be formatted. It
            counts if no file pins one; empty if it is unknown.

    Returns:
        One line with the command to run; empty if the versions agree, or if none is
        known.

    Raises:
        modular.system.ruff.FormatterError: Ruff is not installed or cannot be run.
    """
    pin = find_pin(root, formatter)
    if pin is not None:
        right_version = pin.version
        reason = f"the project pins {formatter} {right_version} ({pin.path})"
    elif usual_version:
        right_version = usual_version
        reason = f"the files of this project are those of {formatter} {right_version}"
    else:
        return ""
    running = running_version(formatter)
    if _strip_zeros(right_version) == _strip_zeros(running):
        return ""
    command = f"run `pip install {formatter}=={right_version}`"
    if formatter == "ruff":
        command += ", or name that ruff with `--ruff`"
    return f"{reason}, but {formatter} {running} formats the files: {command}"


def _search_files(root: Path, formatter: str) -> Iterator[tuple[str, str | None]]:
    """Yield the path of each file that can pin a formatter, and the pinned version."""
    for name in CONFIGS:
        yield name, _read_required_version(root / name, formatter)

    yield SETUP_PY, _read_python(_read_text(root / SETUP_PY), formatter)
    yield PYPROJECT, _read_pyproject(root / PYPROJECT, formatter)
    yield PRE_COMMIT, _read_hook_version(_read_text(root / PRE_COMMIT), formatter)

    # Programs write lock files: a line `version = "0.14.10"` is below `name = "ruff"`.
    # To parse a large one would take seconds.
    locked = re.compile(
        rf'^name = "{formatter}"\r?\nversion = "({_VERSION})"', re.MULTILINE
    )
    for name in _LOCK_FILES:
        match = locked.search(_read_text(root / name))
        yield name, None if match is None else match[1]

    yield SETUP_CFG, _read_configuration(_read_text(root / SETUP_CFG), formatter)
    for pattern in _REQUIREMENT_FILES:
        for file in sorted(root.glob(pattern)):
            path = file.relative_to(root).as_posix()
            lines = _read_text(file).split("\n")
            yield path, _find_pinned_version(lines, formatter)


def _requirement_of(formatter: str) -> str:
    """Return the pattern of a requirement that pins a formatter, such as `ruff==0.14.10`."""
    return rf"""
        [ \t]* {formatter} [ \t]*
        (?: \[ [^]\n]{{0,100}} \] )?    # extras, such as `[jupyter]`
        [ \t]* ===? [ \t]*
        ({_VERSION})
        (?= $ | [\s;,#\\"'] )    # the end, or `; python_version > "3.9"`
        """


def _find_pinned_version(requirements: Iterable[object], formatter: str) -> str | None:
    """Return the version in the first requirement that pins a formatter; None without any.

    Values that are no text are left out.
    """
    pattern = re.compile(_requirement_of(formatter), re.VERBOSE)
    for requirement in requirements:
        if isinstance(requirement, str):
            match = pattern.match(requirement)
            if match is not None:
                return match[1]
    return None


def _read_python(text: str, formatter: str) -> str | None:
    """Return the version that a string in `setup.py` pins. The file is never executed."""
    quoted = re.compile(rf"[\"'] {_requirement_of(formatter)}", re.VERBOSE)
    matches = list(quoted.finditer(text))
    # Most files have no such text, and need no mask.
    masked_text = scan.mask_text(text) if matches else ""
    for match in matches:
        # A comment can have the same text.
        is_string = masked_text.startswith(scan.STRING, match.start())
        if is_string:
            return match[1]
    return None


def _read_pyproject(file: Path, formatter: str) -> str | None:
    """Return the version that a list or a table of `pyproject.toml` pins.

    A list has requirements such as `ruff==0.14.10`. Poetry writes `ruff = "0.14.10"` or
    `ruff = {version = "0.14.10"}`.
    """
    try:
        waiting: list[object] = [read_table(file)]
    except SettingsError:
        return None
    while waiting:
        value = waiting.pop()
        version = None
        if isinstance(value, list):
            version = _find_pinned_version(value, formatter)
            waiting += reversed(value)
        elif isinstance(value, dict):
            version = _read_poetry_version(value, formatter)
            waiting += reversed(value.values())
        if version is not None:
            return version
    return None


def _read_poetry_version(table: Mapping[str, Any], formatter: str) -> str | None:
    """Return the exact version in Poetry's entry of a formatter; None without any."""
    pinned = table.get(formatter)
    if isinstance(pinned, dict):
        pinned = pinned.get("version")
    return _parse_exact_version(pinned) if isinstance(pinned, str) else None


def _read_configuration(text: str, formatter: str) -> str | None:
    """Return the version that an option of `setup.cfg` pins."""
    parser = RawConfigParser(strict=False, allow_no_value=True)
    try:
        parser.read_string(text)
    except ConfigParserError:
        return None
    for section in parser.sections():
        for _, value in parser.items(section):
            requirements = (value or "").split("\n")
            version = _find_pinned_version(requirements, formatter)
            if version is not None:
                return version
    return None


def _read_required_version(file: Path, formatter: str) -> str | None:
    """Return the `required-version` in a settings file, if it is an exact version.

    In `pyproject.toml`, the key is in the table of the formatter. Other settings files,
    such as `ruff.toml`, are ruff's alone.
    """
    is_pyproject = file.name == PYPROJECT
    if not is_pyproject and formatter != "ruff":
        return None
    keys = ("tool", formatter) if is_pyproject else ()
    try:
        required = read_table(file, *keys).get("required-version")
    except SettingsError:
        return None
    return _parse_exact_version(required) if isinstance(required, str) else None


def _parse_exact_version(specifier: str) -> str | None:
    """Return the version in `1.2.3` or `==1.2.3`, and None for other specifiers."""
    match = re.fullmatch(rf"\s*(?:={{2,3}})?\s*({_VERSION})\s*", specifier)
    return match[1] if match else None


def _read_hook_version(text: str, formatter: str) -> str | None:
    """Return the version of a formatter's hook in a pre-commit configuration.

    For these lines and `ruff`, it is `0.14.10`:

        - repo: https://github.com/astral-sh/ruff-pre-commit
          rev: v0.14.10

    Args:
        text: The configuration.
        formatter: The name of the formatter.
    """
    repository = ""
    for line in text.split("\n"):
        entry = line.partition("#")[0].strip().removeprefix("- ")
        key, _, value = entry.partition(": ")
        value = value.strip().strip("\"'")
        if key == "repo":
            address = value.removesuffix("/").removesuffix(".git")
            repository = address.rpartition("/")[2]
        elif key == "rev" and repository in _HOOK_REPOSITORIES[formatter]:
            return _parse_exact_version(value.removeprefix("v"))
    return None


def _read_text(file: Path) -> str:
    """Return a text; empty if it is missing, too long or not UTF-8."""
    try:
        return read_bytes(file, MAX_PIN_FILE_BYTES).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return ""


def _strip_zeros(version: str) -> str:
    """Return the shortest form of a version: `24.1` for `24.1.0`."""
    while version.endswith(".0"):
        version = version.removesuffix(".0")
    return version
