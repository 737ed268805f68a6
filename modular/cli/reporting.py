"""Prints a report, and turns it into an exit code."""

import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NoReturn, Protocol, TextIO, TypeVar

from modular.cli import rendering
from modular.cli.printing import echo, echo_commands, echo_json, echo_painted, one_line
from modular.cli.progress import progress_bar
from modular.cli.rendering import text
from modular.cli.rendering.joining import joined
from modular.cli.rendering.json import as_objects
from modular.cli.rendering.stale import stale_files
from modular.run.api import Options, Report, Status
from modular.source.diagnostics import Diagnostic


_MOST_WARNINGS = 20
"""Warnings that are shown one by one."""

_Result = TypeVar("_Result")


def run(call: Callable[[], _Result]) -> _Result:
    """Call the API; what is wrong with the settings, the formatter or git ends the command with exit code 2."""
    from modular.rules.settings import SettingsError
    from modular.run.git import ChangesError
    from modular.run.known import BaselineError
    from modular.source.ruff import FormatterError

    try:
        return call()
    except (SettingsError, ChangesError, BaselineError) as error:
        echo(f"error: {one_line(str(error))}", err=True)
    except FormatterError as error:
        echo(f"error: {error}", err=True)
    except OSError as error:
        if error.filename is None:
            raise
        echo(f"error: {one_line(str(error.filename))}: {error.strerror}", err=True)
    sys.exit(2)


def run_with_progress(call: Callable[[Options], _Result], options: Options) -> _Result:
    """Call the API likewise, with options under which a long run shows how far it is."""
    with progress_bar() as progress:
        return run(lambda: call(replace(options, progress=progress)))


def print_report(report: Report, output_format: str, warnings: bool, *statuses: Status) -> None:
    """Print a report in one of the output formats.

    The text's summary counts the files with these statuses; of many warnings it gives the numbers, unless ``warnings``
    asks for all.
    """
    if output_format == "json":
        _print_json(report)
    elif output_format == "text":
        _print_text(report, warnings, *statuses)
    else:
        found = [*report.diagnostics, *stale_files(report.files)]
        shown = rendering.render(output_format, found, report.root)
        echo_commands(shown) if output_format == "github" else echo_json(shown)


def _print_json(report: Report) -> None:
    files = [{"path": each.path, "modular": each.modular, "status": each.status.value} for each in report.files]
    echo_json(json.dumps({"files": files, "errors": as_objects(report.diagnostics)}, indent=2) + "\n")


def _print_text(report: Report, warnings: bool, *statuses: Status) -> None:
    found = [each for each in report.diagnostics if not each.is_error]
    are_many = len(found) > _MOST_WARNINGS and not warnings
    print_diagnostics(report, errors_only=are_many)
    if are_many:
        numbers = Counter(each.code.id for each in found)
        listed = ", ".join(f"{number} {code}" for code, number in sorted(numbers.items()))
        echo(f"{len(found)} warnings ({listed}): `--warnings` or a model's name shows them", err=True)
    _print_diffs(report)
    _print_stale_parents(report)
    _summarise(report, *statuses)


class _Diagnosed(Protocol):
    """What came of a run: a report, or a review."""

    @property
    def root(self) -> Path: ...

    @property
    def diagnostics(self) -> Sequence[Diagnostic]: ...


def print_diagnostics(report: _Diagnosed, errors_only: bool = False) -> None:
    """Print errors and warnings, in colour where a terminal shows them and `NO_COLOR` does not forbid it."""
    shown = joined(each for each in report.diagnostics if each.is_error or not errors_only)
    colour = in_colour(sys.stderr)
    echo_painted(text.render(shown, report.root, colour=colour), colour=colour)


def in_colour(stream: TextIO) -> bool:
    """Whether a stream is a terminal that shows colours, and `NO_COLOR` does not forbid it."""
    return stream.isatty() and not os.environ.get("NO_COLOR")


def _print_diffs(report: Report) -> None:
    """Print the diff of each file that differs."""
    for each in report.files:
        if each.diff:
            echo(each.diff, nl=False)


def _print_stale_parents(report: Report) -> None:
    """Say which models were checked against fresh parents."""
    for modular, parents in report.stale_parents.items():
        echo(f"{modular}: checked against the fresh {', '.join(parents)}, which is stale on disk", err=True)


def print_left_out(left_out: int, known: int = 0) -> None:
    """Say how many models and how many findings were left out."""
    if known:
        findings = "1 finding is" if known == 1 else f"{known} findings are"
        echo(f"{findings} left out: known before", err=True)
    if left_out:
        models = "1 model" if left_out == 1 else f"{left_out} models"
        echo(f"{models} left out: nothing that changed affects them", err=True)


def _summarise(report: Report, *statuses: Status) -> None:
    """Print the one-line summary: how many files have each status, and the lines of modular code against those generated."""
    counts = [f"{report.count(status)} {status.value}" for status in statuses if report.count(status)]
    files = ", ".join(counts) or "no files"
    ratio = report.generated_lines / report.modular_lines if report.modular_lines else 0
    lines = f"{report.modular_lines} lines of modular code, {report.generated_lines} generated (x{ratio:.1f})"
    echo(f"{files}; {lines}")


def leave(clean: bool) -> NoReturn:
    """End the command."""
    sys.exit(0 if clean else 1)
