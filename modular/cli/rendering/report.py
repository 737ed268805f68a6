"""Prints the report of `check` and `convert` in the format that is asked for."""

import os
from collections.abc import Sequence

from modular.cli.options import ReportOptions
from modular.cli.printing import echo, echo_commands, echo_json, echo_lines
from modular.cli.rendering.by_cause import ONLY_IN_LINE_ENDS, by_cause
from modular.cli.rendering.diffs import print_changes
from modular.cli.rendering.json import print_object, report_values
from modular.cli.reporting import (
    MOST,
    print_diagnostics,
    print_few_diagnostics,
    print_left_out,
)
from modular.run.api import FileReport, Report, Status
from modular.system.printable import one_line
from modular.system.terminal import counted


def print_report(report: Report, shown: ReportOptions) -> None:
    """Print a report; of many warnings the text gives the numbers, unless all are asked for."""
    if shown.output_format == "json":
        print_object(report_values(report))
    elif shown.output_format == "github":
        _print_github(report)
    elif shown.output_format == "sarif":
        from modular.cli.rendering import sarif

        echo_json(sarif.render(by_cause(report), report.root))
    elif shown.quiet:
        print_diagnostics(report.diagnostics, errors_only=True)
        echo_lines(
            one_line(file.path)
            for file in report.files
            if file.status in (Status.STALE, Status.MISSING)
        )
    else:
        _print_text(report, shown)
    if not shown.quiet:
        if report.formatter_note:
            echo(report.formatter_note, err=True)
        print_left_out(report.unaffected_models, report.known_findings)


def _print_github(report: Report) -> None:
    """Print annotations; what is too much for them goes to the summary of the job, which is a file of the runner."""
    from modular.cli.rendering import github

    diagnostics = by_cause(report)
    echo_commands(github.render(diagnostics, report.root))
    page = os.environ.get("GITHUB_STEP_SUMMARY")
    if page and (summary := github.summary(diagnostics)):
        with open(page, "a", encoding="utf-8") as file:
            file.write(summary)


def _print_text(report: Report, shown: ReportOptions) -> None:
    print_few_diagnostics(report.diagnostics, are_all=shown.warnings or shown.verbose)
    if shown.verbose:
        echo_lines(f"{file.path}: {file.status.value}" for file in report.files)
    print_changes(report, full=shown.full)
    _print_line_ends(report.files)
    _print_stale_parents(report, are_all=shown.verbose)
    echo(report.summary(Status))


def _print_line_ends(files: Sequence[FileReport]) -> None:
    """Name the cause where files differ only in the line ends of Windows."""
    number = sum(file.differs_only_in_line_ends for file in files)
    if number:
        echo(
            f"{counted(number, 'file')} {'differs' if number == 1 else 'differ'} {ONLY_IN_LINE_ENDS}",
            err=True,
        )


def _print_stale_parents(report: Report, *, are_all: bool) -> None:
    """Name the models that were checked against regenerated parents; count them if they are many, unless ``are_all`` is set."""
    stale = report.stale_parents
    if len(stale) > MOST and not are_all:
        number = len({parent for parents in stale.values() for parent in parents})
        what = f"{counted(number, 'regenerated file')}, stale on disk"
        echo(
            f"{len(stale)} models were checked against {what}: `--verbose` names them",
            err=True,
        )
        return
    for modular, parents in stale.items():
        echo(
            f"{modular}: checked against the regenerated {', '.join(parents)}, stale on disk",
            err=True,
        )
