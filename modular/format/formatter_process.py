"""Runs ruff or black over many files, without the settings of the user's environment."""

import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from modular.system.ruff import FormatterError


FORMATTER_TIMEOUT_S = 10.0
FORMATTER_TIMEOUT_PER_FILE_S = 0.2

MAX_FILES_PER_CALL = 400
"""More paths may not fit on a command line."""

_EXIT_CODES = (0, 1, 2, 123)
"""Exit codes that ruff and black document."""

_REMOVED_VARIABLES = ("RUFF_", "BLACK_", "FORCE_COLOR", "CLICOLOR")
"""Prefixes of environment variables that change formatting or messages."""


def run_formatter(
    command: Sequence[str], paths: Sequence[str], folder: Path
) -> subprocess.CompletedProcess[str]:
    """Run a command with paths as arguments.

    Args:
        command: The program and its options.
        paths: The files, relative to the folder.
        folder: The working directory.

    Raises:
        modular.system.ruff.FormatterError: The command cannot be run, takes too long,
            or ends with an undocumented exit code, for example after a signal.
    """
    arguments = list(command)
    if paths:
        # Without `--` and `./`, names such as `--fix` or `@file` would be options.
        arguments.append("--")
        arguments += [f".{os.sep}{path}" for path in paths]

    name = Path(command[0]).stem
    timeout = FORMATTER_TIMEOUT_S + FORMATTER_TIMEOUT_PER_FILE_S * len(paths)
    try:
        process = subprocess.run(
            arguments,
            cwd=folder,
            env=_make_environment(folder),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
            timeout=timeout,
        )
    except subprocess.TimeoutExpired as error:
        raise FormatterError(
            f"{name} did not end within {timeout:.0f} seconds ({len(paths)} files)"
        ) from error
    except OSError as error:
        raise FormatterError(f"{command[0]}: {error}") from error
    if process.returncode not in _EXIT_CODES:
        raise FormatterError(
            f"{name} failed with exit code {process.returncode} ({len(paths)} files)"
        )
    return process


def split_into_batches(paths: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield the paths in batches that fit on one command line."""
    for start in range(0, len(paths), MAX_FILES_PER_CALL):
        yield paths[start : start + MAX_FILES_PER_CALL]


def _make_environment(folder: Path) -> dict[str, str]:
    """Return an environment in which formatters find no settings or caches of the user.

    The result of formatting must depend on the project alone.

    Args:
        folder: The folder in which the formatter runs. The formatter also searches it in
            place of the user's folder of settings.
    """
    environment = {}
    for name, value in os.environ.items():
        if not name.startswith(_REMOVED_VARIABLES):
            environment[name] = value
    # Linux and macOS have the first variable, and Windows has the second one.
    environment["XDG_CONFIG_HOME"] = str(folder)
    environment["APPDATA"] = str(folder)
    # Black runs in the copy of a project inside a temporary folder. The parent is also in
    # the temporary folder, so the cache is deleted with the copy.
    environment["BLACK_CACHE_DIR"] = str(folder.parent)
    return environment
