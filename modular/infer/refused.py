"""What a linter refuses in a modular file: the findings of our own rules, and those of ruff's rules `F`."""

import json
import subprocess
from collections.abc import Iterable
from typing import NamedTuple

from modular.source.diagnostics import Diagnostic
from modular.source.system.ruff import FormatterError, ruff_executable


_COMMAND = ("check", "--isolated", "--no-cache", "--exit-zero")
_PATIENCE = 60.0


class Refusal(NamedTuple):
    """A finding in a modular file: its line (from 1), and what is wrong."""

    line: int
    what: str


def refusals(modular: str, text: str, diagnostics: Iterable[Diagnostic]) -> list[Refusal]:
    """Return the findings in a modular file, sorted, each once. ``diagnostics`` are those of its conversion.

    Raises FormatterError if ruff cannot be run.
    """
    found = {
        Refusal(diagnostic.place.line, diagnostic.message)
        for diagnostic in diagnostics
        if diagnostic.place.path == modular
    }
    report = _ruff(modular, text, "--select", "F", "--output-format", "json")
    return sorted(found | {Refusal(load["location"]["row"], load["message"]) for load in json.loads(report)})


def without_unused_imports(modular: str, text: str) -> str:
    """Return a modular file less the imports that it does not use. Raises FormatterError if ruff cannot be run."""
    return _ruff(modular, text, "--select", "F401", "--fix", "--quiet")


def _ruff(modular: str, text: str, *arguments: str) -> str:
    command = [ruff_executable(), *_COMMAND, *arguments, "--stdin-filename", modular, "-"]
    try:
        done = subprocess.run(command, input=text.encode(), capture_output=True, timeout=_PATIENCE, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        raise FormatterError(f"ruff could not check `{modular}`: {error}") from error
    return done.stdout.decode()
