"""Runs ruff and black: over many files at once, with nothing of the user's own settings, and never for ever."""

import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from modular.system.ruff import FormatterError


_KNOWN_CODES = (0, 1, 2, 123)
_PATIENCE = 10.0
_PATIENCE_PER_FILE = 0.2
"""Seconds within which a formatter has to be done."""

_UNWANTED = ("RUFF_", "BLACK_", "FORCE_COLOR", "CLICOLOR")
"""What variables begin with that would change what a formatter does, or how it reports."""

_BATCH = 400
"""Files in one call: their paths have to fit on a command line."""


def run_over(
    command: Sequence[str], paths: Sequence[str], place: Path
) -> subprocess.CompletedProcess[str]:
    """Run a command over files, or over one that it reads.

    Raises FormatterError if it cannot be run, was ended by a signal or takes too long: there is something in the files, or
    in the settings, that it does not survive.
    """
    # No program takes these for options or, which `@` would begin, for a file of options.
    operands = ["--", *(f".{os.sep}{path}" for path in paths)] if paths else []
    patience = _PATIENCE + _PATIENCE_PER_FILE * len(paths)
    name = Path(command[0]).stem
    try:
        done = subprocess.run(
            [*command, *operands],
            cwd=place,
            env=_environment(place),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
            timeout=patience,
        )
    except subprocess.TimeoutExpired as error:
        raise FormatterError(
            f"{name} did not end within {patience:.0f} seconds ({len(paths)} files)"
        ) from error
    except OSError as error:
        raise FormatterError(f"{command[0]}: {error}") from error
    if done.returncode not in _KNOWN_CODES:
        raise FormatterError(
            f"{name} broke down with exit code {done.returncode} ({len(paths)} files)"
        )
    return done


def _environment(place: Path) -> dict[str, str]:
    """The environment of a formatter: without what the user has set for all projects, and with no cache that it fills."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(_UNWANTED)
    }
    return {
        **kept,
        "XDG_CONFIG_HOME": str(place),
        "APPDATA": str(place),
        "BLACK_CACHE_DIR": str(place.parent),
    }


def batches(paths: Sequence[str]) -> Iterator[Sequence[str]]:
    """Split paths into batches that one call of a formatter takes."""
    for start in range(0, len(paths), _BATCH):
        yield paths[start : start + _BATCH]
