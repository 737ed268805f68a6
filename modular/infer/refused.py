"""What a linter refuses in a modular file: the findings of our own rules, and those of ruff's rules `F`."""

import json
import subprocess
from collections.abc import Iterable, Iterator

from modular.source.diagnostics import Diagnostic
from modular.source.ruff import FormatterError, ruff_executable


_COMMAND = ("check", "--isolated", "--no-cache", "--exit-zero", "--select", "F", "--output-format", "json")
_PATIENCE = 60.0


def refused_lines(modular: str, text: str, diagnostics: Iterable[Diagnostic]) -> list[int]:
    """Return the lines (from 1) of a modular file in which there is a finding, each once, sorted.

    ``diagnostics`` are those of its conversion. Raises FormatterError if ruff cannot be run.
    """
    own = (each.place.line for each in diagnostics if each.place.path == modular)
    return sorted({*own, *_of_ruff(modular, text)})


def _of_ruff(modular: str, text: str) -> Iterator[int]:
    command = [ruff_executable(), *_COMMAND, "--stdin-filename", modular, "-"]
    try:
        done = subprocess.run(command, input=text.encode(), capture_output=True, timeout=_PATIENCE, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        raise FormatterError(f"ruff could not check `{modular}`: {error}") from error
    return (each["location"]["row"] for each in json.loads(done.stdout))
