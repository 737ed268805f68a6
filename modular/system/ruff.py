"""Ruff: where it is, and whether it can read a text. It knows the newest grammar, and cannot take this process down."""

import os
import re
import subprocess
import sys
import sysconfig
from contextlib import suppress
from functools import cache
from pathlib import Path

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
"""Ruff's rules that find what parsers accept and Python does not compile, such as `return` outside of a function.

To compile is no alternative: `finally` in `finally`, twenty deep, takes 3 GB of memory.
"""

_FIRST_RUFF_WITH_PYTHON_3_14 = (0, 11, 8)

RUFF_VARIABLE = "MODULAR_RUFF"
"""Environment variable that names the ruff to run; a setting of a project cannot, for it could then name any program."""

_PATIENCE = 10.0
"""Seconds within which ruff has to be done with one text."""


class FormatterError(ModularError):
    """The formatter is not installed or could not be run. The message says what to do."""


def is_readable(text: str) -> bool:
    """Whether ruff finds no syntax error in a text."""
    options = ("--no-cache", *syntax_options(), "--silent", "-")
    command = [ruff_executable(), "check", *options]
    with suppress(subprocess.TimeoutExpired):
        return not subprocess.run(
            command, input=text.encode(), capture_output=True, timeout=_PATIENCE
        ).returncode
    return False


def syntax_options() -> tuple[str, ...]:
    """Return the options with which `ruff check` reports nothing but invalid Python.

    The target is the newest version of Python that the ruff knows.

    Raises:
        FormatterError: Ruff is not installed or cannot be run.
    """
    numbers = re.findall(r"\d+", ruff_version(ruff_executable()))
    release = tuple(int(number) for number in numbers[:3])
    is_old = (0,) < release < _FIRST_RUFF_WITH_PYTHON_3_14
    return (
        "--isolated",
        "--target-version",
        "py313" if is_old else "py314",
        "--ignore-noqa",
        "--select",
        ",".join(("E902", *NOT_PYTHON)),
    )


@cache
def ruff_version(executable: str) -> str:
    """Return the version of a ruff, `unknown` if it does not tell.

    Only a ruff of another environment has to be asked.

    Raises:
        FormatterError: Ruff cannot be run.
    """
    if Path(executable).parent == Path(sysconfig.get_path("scripts")):
        return installed_version("ruff")
    try:
        done = subprocess.run(
            [executable, "--version"],
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_PATIENCE,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise FormatterError(f"{executable}: {error}") from error
    return done.stdout.removeprefix("ruff").strip() or "unknown"


@cache
def installed_version(package: str) -> str:
    """Return the version of an installed package, `unknown` if it is not installed."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"


def ruff_executable() -> str:
    """Return the ruff to run: the one that the user names, else that of this environment, else the first on the path.

    Raises:
        FormatterError: There is none, or the user names something that cannot be run.
    """
    return _find_ruff(os.environ.get(RUFF_VARIABLE, ""))


@cache
def _find_ruff(wanted: str) -> str:
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
