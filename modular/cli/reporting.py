"""Prints a report, and turns it into an exit code."""

import os
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from shutil import get_terminal_size
from typing import NoReturn, Protocol, TypeVar

from modular.cli import rendering
from modular.cli.diffs import causes_of, print_changes, print_stat
from modular.cli.printing import (
    counted,
    echo,
    echo_commands,
    echo_json,
    echo_object,
    echo_painted,
    in_colour,
    one_line,
)
from modular.cli.progress import progress_bar
from modular.cli.rendering.joining import joined
from modular.cli.rendering.json import as_objects
from modular.cli.rendering.stale import stale_causes, stale_files
from modular.cli.showing import Shown
from modular.run.api import FileReport, Options, Report, Status
from modular.source import diagnostics
from modular.source.diagnostics import Diagnostic
from modular.source.diffs import Diff
from modular.source.errors import ModularError


_WRONG_USE = 2

_MOST = 20
"""Warnings, or models with stale parents, that are shown one by one."""

_Result = TypeVar("_Result")


def run(call: Callable[[], _Result]) -> _Result:
    """Call the API; what is wrong with the settings, the formatter or git ends the command with exit code 2."""
    try:
        return call()
    except ModularError as error:
        lines = [one_line(line) for line in str(error).split("\n")]
        echo("error: " + "\n  ".join(lines), err=True)
    except OSError as error:
        if error.filename is None:
            raise
        echo(f"error: {one_line(str(error.filename))}: {error.strerror}", err=True)
    sys.exit(_WRONG_USE)


def run_with_progress(call: Callable[[Options], _Result], options: Options) -> _Result:
    """Call the API likewise, with options under which a long run shows how far it is."""
    with progress_bar() as progress:
        return run(lambda: call(replace(options, progress=progress)))


def print_report(report: Report, shown: Shown, *statuses: Status) -> None:
    """Print a report.

    The text's summary counts the files with these statuses; of many warnings it gives the numbers, unless all are asked for.
    """
    if shown.output_format == "json":
        _print_json(report)
    elif shown.output_format == "text":
        _print_text(report, shown, *statuses)
    else:
        found = _by_cause(report)
        show = echo_commands if shown.output_format == "github" else echo_json
        show(rendering.render(shown.output_format, found, report.root))
        if shown.output_format == "github" and (page := os.environ.get("GITHUB_STEP_SUMMARY")):
            run(lambda: _append_summary(page, found))


def _append_summary(page: str, found: Sequence[Diagnostic]) -> None:
    """Put what is no annotation on the summary of the job, which is a file of the runner."""
    from modular.cli.rendering.github import summary

    if text := summary(found):
        with open(page, "a", encoding="utf-8") as file:
            file.write(text)


def _by_cause(report: Report) -> list[Diagnostic]:
    """What is wrong in a report, stale and missing files included, with each cause said once."""
    missing = stale_files(file for file in report.files if file.status is Status.MISSING)
    return [*joined(report.diagnostics), *missing, *stale_causes(causes_of(report), report.files)]


def _print_json(report: Report) -> None:
    objects = {"files": [_as_object(file, report) for file in report.files], "errors": as_objects(report.diagnostics)}
    echo_object(objects)


def _as_object(file: FileReport, report: Report) -> dict[str, object]:
    lines = report.lines.get(file.modular)
    return {
        "path": file.path,
        "modular": file.modular,
        "status": file.status.value,
        "lines": None if lines is None else lines.generated.get(file.path),
        "modular_lines": None if lines is None else lines.modular,
        "added": file.difference.added,
        "removed": file.difference.removed,
        "diff": file.diff,
    }


def _print_text(report: Report, shown: Shown, *statuses: Status) -> None:
    if shown.quiet:
        print_diagnostics(report, errors_only=True)
        wrong = (file.path for file in report.files if file.status in (Status.STALE, Status.MISSING))
        echo("".join(f"{one_line(path)}\n" for path in wrong), nl=False)
        return
    print_few_diagnostics(report, are_all=shown.warnings or shown.verbose)
    if shown.verbose:
        echo("".join(f"{each.path}: {each.status.value}\n" for each in report.files), nl=False)
    if shown.stat:
        print_stat(report.files)
    else:
        print_changes(report, full=shown.full)
    _print_line_ends(report.files)
    _print_stale_parents(report, are_all=shown.verbose)
    echo(report.summary(statuses))


class _Diagnosed(Protocol):
    """What came of a run: a report, or a review."""

    @property
    def root(self) -> Path: ...

    @property
    def diagnostics(self) -> Sequence[Diagnostic]: ...


def print_diagnostics(report: _Diagnosed, errors_only: bool = False) -> None:
    """Print errors and warnings, in colour where a terminal shows them and `NO_COLOR` does not forbid it."""
    shown = joined(diagnostic for diagnostic in report.diagnostics if diagnostic.is_error or not errors_only)
    colour = in_colour(sys.stderr)
    columns = get_terminal_size().columns if sys.stderr.isatty() else None
    echo_painted(diagnostics.render(shown, colour=colour, columns=columns), colour=colour)


def print_few_diagnostics(report: _Diagnosed, *, are_all: bool) -> None:
    """Print errors and warnings; of many warnings only the numbers, unless they ``are_all`` wanted."""
    found = [diagnostic for diagnostic in report.diagnostics if not diagnostic.is_error]
    are_many = len(found) > _MOST and not are_all
    print_diagnostics(report, errors_only=are_many)
    if are_many:
        numbers = Counter(each.code.id for each in found)
        listed = ", ".join(f"{number} {code}" for code, number in sorted(numbers.items()))
        echo(f"{len(found)} warnings ({listed}): `modular check --warnings` shows them all", err=True)


def _print_line_ends(files: Sequence[FileReport]) -> None:
    """Name the cause where files differ only in the line ends of Windows, which a checkout may have put there."""
    number = sum(_differs_in_line_ends(file.difference) for file in files)
    if number:
        cause = f"{counted(number, 'file')} {'differs' if number == 1 else 'differ'} only in Windows line ends (CRLF)"
        echo(f"{cause}: write `*.py text eol=lf` into .gitattributes, then `git add --renormalize .`", err=True)


def _differs_in_line_ends(difference: Diff) -> bool:
    hunks = difference.hunks
    return bool(hunks) and all(
        tuple(line.removesuffix("\r") for line in hunk.removed)
        == tuple(line.removesuffix("\r") for line in hunk.added)
        for hunk in hunks
    )


def _print_stale_parents(report: Report, *, are_all: bool) -> None:
    """Say which models were checked against fresh parents; of many models only how many, unless they ``are_all`` wanted."""
    stale = report.stale_parents
    if len(stale) > _MOST and not are_all:
        files = {parent for parents in stale.values() for parent in parents}
        what = f"{counted(len(files), 'regenerated file')}, which {_be(len(files))} stale on disk"
        echo(f"{len(stale)} models were checked against {what}: `--verbose` names them", err=True)
        return
    for modular, parents in stale.items():
        echo(
            f"{modular}: checked against the regenerated {', '.join(parents)}, which {_be(len(parents))} stale on disk",
            err=True,
        )


def _be(number: int) -> str:
    return "is" if number == 1 else "are"


def print_left_out(left_out: int, known: int = 0) -> None:
    """Say how many models and how many findings were left out."""
    if known:
        echo(f"{counted(known, 'finding')} left out: not new", err=True)
    if left_out:
        echo(f"{counted(left_out, 'model')} left out: nothing that changed affects them", err=True)


def leave(clean: bool, *, wrong_use: bool = False) -> NoReturn:
    """End the command: with 0 if all is well, 2 where it was used wrongly, else 1."""
    sys.exit(_WRONG_USE if wrong_use else 0 if clean else 1)
