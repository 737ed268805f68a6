"""Finds ruff, and asks it whether a text is Python.

Ruff knows the newest syntax, and a hostile text cannot crash this process with it.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from modular.system.errors import ModularError
from modular.system.machine import find_program


NOT_PYTHON = (
    "F404",
    "F406",
    "F701",
    "F702",
    "F704",
    "F706",
    "F707",
    "PLE0118",
    "PLE1142",
)
"""Ruff's rules for code that can be parsed but not compiled: `return` in a module.

Calling `compile` is not an alternative: twenty nested `finally` blocks take 3 GB of memory.
"""

_FIRST_RUFF_WITH_PYTHON_3_14 = (0, 11, 8)

RUFF_VARIABLE = "MODULAR_RUFF"
"""The environment variable that names the ruff to run.

No setting of a project does: a stranger's pull request could name any program there.
"""

_RUFF_TIMEOUT_S = 10.0
"""The time that ruff may take for one text."""


class FormatterError(ModularError):
    """The formatter cannot be run. The message says what to do."""


def is_readable(text: str) -> bool:
    """Return whether ruff accepts a text as valid Python within ten seconds.

    Raises:
        FormatterError: Ruff is not installed or cannot be run.
    """
    options = ["--no-cache", *syntax_options(), "--silent", "-"]
    command = [ruff_executable(), "check", *options]
    try:
        done = subprocess.run(
            command, input=text.encode(), capture_output=True, timeout=_RUFF_TIMEOUT_S
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def find_unsorted_files(root: Path, paths: Sequence[str]) -> set[str]:
    """Return the files whose imports ruff would sort with its default settings.

    Args:
        root: The folder of a library, whose own modules come last.
        paths: The files, relative to the root.

    Raises:
        FormatterError: Ruff is not installed or cannot be run.
    """
    options = ["--isolated", "--no-cache", "--exit-zero", "--select", "I001"]
    command = [ruff_executable(), "check", *options, "--output-format", "json", "--"]
    try:
        done = subprocess.run(
            [*command, *paths],
            cwd=root,
            capture_output=True,
            timeout=_RUFF_TIMEOUT_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise FormatterError(f"ruff could not check imports: {error}") from error
    return {entry["filename"] for entry in json.loads(done.stdout)}


def count_unformatted_files(root: Path, paths: Sequence[str]) -> int:
    """Return how many files `ruff format` would change, with the settings of a library.

    Args:
        root: The folder of the library.
        paths: The files, relative to the root.

    Raises:
        FormatterError: Ruff is not installed or cannot be run.
    """
    command = [ruff_executable(), "format", "--check", "--no-cache", "--", *paths]
    try:
        done = subprocess.run(
            command, cwd=root, capture_output=True, timeout=_RUFF_TIMEOUT_S
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise FormatterError(f"ruff could not check the format: {error}") from error
    return done.stdout.count(b"Would reformat: ")


def syntax_options() -> tuple[str, ...]:
    """Return the options with which `ruff check` reports nothing but invalid Python.

    They allow the syntax of the newest version of Python that the installed ruff knows.

    Raises:
        FormatterError: Ruff is not installed or cannot be run.
    """
    numbers = re.findall(r"\d+", ruff_version(ruff_executable()))
    release = tuple(int(number) for number in numbers[:3])
    # If the version is unknown, the release is empty, and ruff is probably new.
    is_known = bool(release)
    is_old = is_known and release < _FIRST_RUFF_WITH_PYTHON_3_14
    newest_python = "py313" if is_old else "py314"
    return (
        "--isolated",
        "--target-version",
        newest_python,
        "--ignore-noqa",
        "--select",
        ",".join(("E902", *NOT_PYTHON)),
    )


def ruff_version(executable: str) -> str:
    """Return the version of a ruff, or `unknown`.

    Raises:
        FormatterError: Ruff cannot be run.
    """
    return _ruff_version(_examine_program(executable))


def identify_ruff(executable: str) -> str:
    """Return a text that two programs have in common only if their content is the same.

    The text can be compared between machines.

    Raises:
        FormatterError: Ruff cannot be run.
    """
    program = _examine_program(executable)
    if _is_unchanged_since_installation(program):
        return f"{installed_version('ruff')}, {program.size} bytes"
    return _program_digest(program)


class _Program(NamedTuple):
    """The state of a program's file, which changes if another program replaces it."""

    path: str
    size: int
    time_ns: int
    inode: int


def _examine_program(executable: str) -> _Program:
    """Return the state of a program's file.

    Raises:
        FormatterError: The file is missing.
    """
    try:
        state = os.stat(executable)
    except OSError as error:
        raise FormatterError(f"{executable}: {error.strerror}") from error
    return _Program(executable, state.st_size, state.st_mtime_ns, state.st_ino)


@cache
def _is_unchanged_since_installation(program: _Program) -> bool:
    """Return whether a program is the ruff that pip has installed in this environment.

    The metadata of the package has the size of the program. Two releases of ruff, which
    have 20 MB or more, do not have the same size.
    """
    from importlib.metadata import PackageNotFoundError, files

    try:
        installed_files = files("ruff") or []
    except PackageNotFoundError:
        return False
    for file in installed_files:
        is_program = os.path.abspath(file.locate()) == program.path
        if is_program and file.size == program.size:
            return True
    return False


@cache
def _program_digest(program: _Program) -> str:
    """Return a digest of the content of a program.

    Raises:
        FormatterError: The file cannot be read.
    """
    try:
        with open(program.path, "rb") as file:
            return hashlib.file_digest(file, "blake2b").hexdigest()
    except OSError as error:
        raise FormatterError(f"{program.path}: {error.strerror}") from error


@cache
def _ruff_version(program: _Program) -> str:
    """Return the version of a ruff, or `unknown`.

    The metadata of this environment has the version of its own ruff. For any other ruff,
    `ruff --version` is run.

    Raises:
        FormatterError: Ruff cannot be run.
    """
    if _is_unchanged_since_installation(program):
        return installed_version("ruff")
    try:
        done = subprocess.run(
            [program.path, "--version"],
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_RUFF_TIMEOUT_S,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise FormatterError(f"{program.path}: {error}") from error
    return done.stdout.removeprefix("ruff").strip() or "unknown"


@cache
def installed_version(package: str) -> str:
    """Return the version of an installed package, or `unknown`."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"


def ruff_executable() -> str:
    """Return the path of the ruff to run.

    The user's choice comes first (`MODULAR_RUFF`), then the ruff of this environment,
    then the first ruff on the `PATH`.

    Raises:
        FormatterError: There is no ruff, or the user's choice cannot be run.
    """
    return _find_ruff(os.environ.get(RUFF_VARIABLE, ""))


@cache
def _find_ruff(wanted: str) -> str:
    """Return the path of the ruff to run.

    Args:
        wanted: The name or path of the ruff that the user wants; empty for any ruff.

    Raises:
        FormatterError: There is no such program.
    """
    if wanted:
        has_folder = os.path.dirname(wanted) != ""
        program = os.path.abspath(wanted) if has_folder else find_program(wanted)
        if program is None or not os.path.isfile(program):
            raise FormatterError(
                f"no program `{wanted}`: check `--ruff`, or the variable {RUFF_VARIABLE}"
            )
        return program

    name = "ruff.exe" if sys.platform == "win32" else "ruff"
    installed = Path(sysconfig.get_path("scripts")) / name
    if installed.is_file():
        return str(installed)
    program = find_program("ruff")
    if program is None:
        raise FormatterError("ruff is not installed: run `pip install ruff`")
    return program
