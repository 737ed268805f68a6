"""Ruff: where it is, and whether it can read a text. It knows the newest grammar, and cannot take this process down."""

import os
import subprocess
import sys
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

SYNTAX = (
    "--isolated",
    "--target-version",
    "py314",
    "--ignore-noqa",
    "--select",
    ",".join(("E902", *NOT_PYTHON)),
)
"""The options with which `ruff check` looks for what is not Python, and nothing else."""

RUFF_VARIABLE = "MODULAR_RUFF"
"""Environment variable that names the ruff to run; a setting of a project cannot, for it could then name any program."""

_PATIENCE = 10.0
"""Seconds within which ruff has to be done with one text."""


class FormatterError(ModularError):
    """The formatter is not installed or could not be run. The message says what to do."""


def is_readable(text: str) -> bool:
    """Whether ruff finds no syntax error in a text."""
    command = [ruff_executable(), "check", "--no-cache", *SYNTAX, "--silent", "-"]
    with suppress(subprocess.TimeoutExpired):
        return not subprocess.run(
            command, input=text.encode(), capture_output=True, timeout=_PATIENCE
        ).returncode
    return False


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

    import sysconfig

    name = "ruff.exe" if sys.platform == "win32" else "ruff"
    installed = Path(sysconfig.get_path("scripts")) / name
    if installed.is_file():
        return str(installed)
    program = find_program("ruff")
    if program is None:
        raise FormatterError("ruff is not installed: run `pip install ruff`")
    return program
