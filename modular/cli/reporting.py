"""Prints a report, and turns it into an exit code."""

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import NoReturn, TypeVar

import click

from modular.api import Options, Report, Status
from modular.diagnostics import Diagnostic
from modular.progress import progress_bar


_Result = TypeVar("_Result")


def run(call: Callable[[], _Result]) -> _Result:
    """Call the API; what is wrong with the settings, the formatter or git ends the command with exit code 2."""
    from modular.changes import ChangesError
    from modular.formatting import FormatterError
    from modular.settings import SettingsError

    try:
        return call()
    except (SettingsError, FormatterError, ChangesError) as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(2)


def run_with_progress(call: Callable[[Options], _Result], options: Options) -> _Result:
    """Call the API likewise, with options under which a long run shows how far it is."""
    with progress_bar() as progress:
        return run(lambda: call(replace(options, progress=progress)))


def print_json(report: Report) -> None:
    """Print the report as one JSON object."""
    files = [{"path": each.path, "modular": each.modular, "status": each.status.value} for each in report.files]
    errors = [_diagnostic(each) for each in report.diagnostics]
    click.echo(json.dumps({"files": files, "errors": errors}, indent=2))


def _diagnostic(diagnostic: Diagnostic) -> dict[str, object]:
    place = diagnostic.place
    return {
        "code": diagnostic.code.id,
        "severity": diagnostic.code.severity.value,
        "path": place.path,
        "line": place.line,
        "column": place.column,
        "message": diagnostic.message,
        "hint": diagnostic.hint,
    }


def print_diagnostics(report: Report) -> None:
    """Print errors and warnings."""
    for each in report.diagnostics:
        place = each.place
        click.echo(f"{place.path}:{place.line}:{place.column}: {each.code.id} {each.message}", err=True)


def print_diffs(report: Report) -> None:
    """Print the diff of each file that differs."""
    for each in report.files:
        if each.diff:
            click.echo(each.diff, nl=False)


def print_stale_parents(report: Report) -> None:
    """Say which models were checked against fresh parents."""
    for modular, parents in report.stale_parents.items():
        click.echo(f"{modular}: checked against the fresh {', '.join(parents)}, which is stale on disk", err=True)


def print_left_out(report: Report) -> None:
    """Say how many models were left out."""
    if report.left_out:
        models = "1 model" if report.left_out == 1 else f"{report.left_out} models"
        click.echo(f"{models} left out: nothing that changed affects them", err=True)


def summarise(report: Report, *statuses: Status) -> None:
    """Print the one-line summary: how many files have each status, and the lines of modular code against those generated."""
    counts = [f"{report.count(status)} {status.value}" for status in statuses if report.count(status)]
    files = ", ".join(counts) or "no files"
    ratio = report.generated_lines / report.modular_lines if report.modular_lines else 0
    lines = f"{report.modular_lines} lines of modular code, {report.generated_lines} generated (x{ratio:.1f})"
    click.echo(f"{files}; {lines}")


def leave(clean: bool) -> NoReturn:
    """End the command."""
    sys.exit(0 if clean else 1)
