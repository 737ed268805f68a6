"""Compares the formatter that runs with the version that a project pins.

Another version of a formatter formats some code differently, so correct generated files seem stale.
"""

import ast
import re
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from modular.format.formatter_config import CONFIGS, PYPROJECT
from modular.source.loading import load
from modular.system.reading import parse_toml, read_bytes
from modular.system.ruff import installed_version, ruff_executable, ruff_version


PRE_COMMIT = ".pre-commit-config.yaml"
SETUP_PY = "setup.py"

MAX_PIN_FILE_BYTES = 5_000_000
"""Longer files are not searched; lock files of large projects have one to two million bytes."""

_VERSION = r"\d+(?:\.\d+)*(?:(?:a|b|rc|\.post|\.dev)\d+)?"
_HOOK_REPOSITORIES = {
    "ruff": ("ruff-pre-commit",),
    "black": ("black", "black-pre-commit-mirror"),
}
_LOCK_FILES = ("uv.lock", "poetry.lock", "pdm.lock", "pylock.toml")
_REQUIREMENT_FILES = ("setup.cfg", "requirements*.txt", "requirements/*.txt")


class FormatterPin(NamedTuple):
    """The exact version of a formatter that a project pins, and the file that does so."""

    version: str
    path: str


def find_pin(root: Path, formatter: str) -> FormatterPin | None:
    """Return the version of a formatter that a project pins.

    These files are searched in this order: the formatter's own settings (`required-version`), `setup.py`, which is
    never executed, `pyproject.toml`, the hooks of pre-commit, lock files, `setup.cfg` and files of requirements.

    Args:
        root: The project's root.
        formatter: `ruff`, `black` or `none`.

    Returns:
        The first exact pin; None if there is none. Ranges such as `>=0.9` do not count.
    """
    if formatter not in _HOOK_REPOSITORIES:
        return None
    for path, version in _pins(root, formatter):
        if version is not None:
            return FormatterPin(version, path)
    return None


def running_version(formatter: str) -> str:
    """Return the version of the formatter that runs, `unknown` if it is not installed.

    Raises:
        modular.system.ruff.FormatterError: Ruff is not installed or cannot be run.
    """
    if formatter == "ruff":
        return ruff_version(ruff_executable())
    return installed_version(formatter)


def describe_mismatch(root: Path, formatter: str) -> str:
    """Explain in one line that another version of the formatter runs than the project pins.

    Args:
        root: The project's root.
        formatter: `ruff`, `black` or `none`.

    Returns:
        One line that ends with the command to run; empty if the versions agree or nothing is pinned.

    Raises:
        modular.system.ruff.FormatterError: Ruff is not installed or cannot be run.
    """
    pin = find_pin(root, formatter)
    if pin is None:
        return ""
    running = running_version(formatter)
    if _same_version(pin.version, running):
        return ""
    command = f"run `pip install {formatter}=={pin.version}`"
    if formatter == "ruff":
        command += ", or name that ruff with `--ruff`"
    return (
        f"the project pins {formatter} {pin.version} ({pin.path}), "
        f"but {formatter} {running} formats the files: {command}"
    )


def _pins(root: Path, formatter: str) -> Iterator[tuple[str, str | None]]:
    """Yield each file that may pin a formatter, with the version, None if it pins none."""
    for name in CONFIGS:
        yield name, _exact(_required_version(root / name, formatter))
    yield SETUP_PY, _pin_in_strings(_python_strings(root / SETUP_PY), formatter)
    strings = _toml_strings(_read_toml(root / PYPROJECT))
    yield PYPROJECT, _pin_in_strings(strings, formatter)
    yield PRE_COMMIT, _pin_of_hook(_read_text(root / PRE_COMMIT), formatter)

    locked = re.compile(
        rf'^name = "{formatter}"\r?\nversion = "({_VERSION})"', re.MULTILINE
    )
    for name in _LOCK_FILES:
        match = locked.search(_read_text(root / name))
        yield name, match[1] if match else None
    for pattern in _REQUIREMENT_FILES:
        for file in sorted(root.glob(pattern)):
            path = file.relative_to(root).as_posix()
            yield path, _pin_in_strings(_read_text(file).split("\n"), formatter)


def _required_version(file: Path, formatter: str) -> object:
    """Return the `required-version` in a settings file of a formatter."""
    settings: Any = _read_toml(file)
    if file.name == PYPROJECT:
        for key in ("tool", formatter):
            settings = settings.get(key) if isinstance(settings, dict) else None
    elif formatter != "ruff":
        return None
    return settings.get("required-version") if isinstance(settings, dict) else None


def _exact(specifier: object) -> str | None:
    """Return the version that `1.2.3` or `==1.2.3` stands for; None for anything else."""
    if not isinstance(specifier, str):
        return None
    match = re.fullmatch(rf"\s*(?:={{2,3}})?\s*({_VERSION})\s*", specifier)
    return match[1] if match else None


def _pin_in_strings(strings: Iterable[str], formatter: str) -> str | None:
    """Return the version that the first string of the form `ruff==1.2.3` pins."""
    requirement = re.compile(
        rf"\s*{formatter}\s*(?:\[[^\]]*\])?\s*={{2,3}}\s*({_VERSION})(?=$|[\s;,#\\])"
    )
    for string in strings:
        if match := requirement.match(string):
            return match[1]
    return None


def _python_strings(file: Path) -> Iterator[str]:
    """Yield the string literals of a Python file, which is not executed; none if it cannot be parsed."""
    text = load(file, file.name).text
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _toml_strings(value: object, key: str = "") -> Iterator[str]:
    """Yield the strings in a table, at any depth; `ruff = "1.2.3"`, as Poetry has it, as `ruff==1.2.3`."""
    if isinstance(value, str):
        yield value
        yield f"{key}=={value.removeprefix('==')}"
    elif isinstance(value, list):
        for entry in value:
            yield from _toml_strings(entry)
    elif isinstance(value, dict):
        for name, entry in value.items():
            yield from _toml_strings(entry, name)


def _pin_of_hook(text: str, formatter: str) -> str | None:
    """Return the `rev` of the formatter's repository in a configuration of pre-commit."""
    repository = ""
    for line in text.split("\n"):
        key, _, value = (
            line.partition("#")[0].strip().removeprefix("- ").partition(": ")
        )
        value = value.strip().strip("\"'")
        if key == "repo":
            repository = value.removesuffix("/").removesuffix(".git").rpartition("/")[2]
        elif key == "rev" and repository in _HOOK_REPOSITORIES[formatter]:
            return _exact(value.removeprefix("v"))
    return None


def _read_toml(file: Path) -> dict[str, Any]:
    """Read a TOML file; one that is missing or damaged counts as empty."""
    try:
        return parse_toml(_read_text(file).encode())
    except ValueError:
        return {}


def _read_text(file: Path) -> str:
    """Read a text; one that is missing, too long or not UTF-8 counts as empty."""
    try:
        return read_bytes(file, MAX_PIN_FILE_BYTES).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return ""


def _same_version(one: str, other: str) -> bool:
    """Whether two versions are the same release: `24.1` is `24.1.0`."""
    return _without_zeros(one) == _without_zeros(other)


def _without_zeros(version: str) -> str:
    while version.endswith(".0"):
        version = version.removesuffix(".0")
    return version
