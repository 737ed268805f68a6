"""Prints the report of `check` and `convert` in the chosen format."""

from dataclasses import replace

from modular.cli.options import ReportOptions
from modular.cli.printing import echo, echo_commands, echo_json, echo_lines
from modular.cli.rendering.by_cause import ONLY_IN_LINE_ENDS, by_cause
from modular.cli.rendering.diffs import print_changes
from modular.cli.rendering.json import print_object, report_values
from modular.cli.reporting import (
    print_diagnostics,
    print_few_diagnostics,
    print_left_out,
)
from modular.run.api import Report, Status
from modular.run.report import join_parent_problems
from modular.source.diagnostics import Severity
from modular.system.printable import counted, one_line


FIRST_STEPS = (
    "`modular infer MODEL` writes a modular file for a flat model, and "
    "`modular new MODEL --from PARENT` starts a new model"
)
"""How a project gets its first modular file."""


def print_report(report: Report, display: ReportOptions) -> None:
    """Print the report of a run in the format and detail that the user has chosen."""
    if display.quiet:
        errors = [problem for problem in report.diagnostics if problem.is_error]
        files = tuple(report.differing_files)
        report = replace(report, diagnostics=tuple(errors), files=files)

    if display.output_format == "text":
        _print_text(report, display)
    elif display.output_format == "json":
        print_object(report_values(report))
    elif display.output_format == "github":
        from modular.cli.rendering import github

        echo_commands(github.render(by_cause(report), report.root))
    else:
        from modular.cli.rendering import sarif

        echo_json(sarif.render(by_cause(report), report.root))

    if report.formatter_note:
        echo(report.formatter_note, err=True)
    if not display.quiet:
        _print_known_findings(report)
        print_left_out(report.unaffected_models)


def _print_text(report: Report, display: ReportOptions) -> None:
    """Print problems, changes and a summary for a person."""
    if display.quiet:
        print_diagnostics(report.diagnostics)
        echo_lines(one_line(file.path) for file in report.files)
        return
    print_few_diagnostics(
        report.diagnostics, shows_all=display.warnings or display.verbose
    )
    listed_files = report.files
    if not display.verbose:
        # Like other tools that change files, always name the changed ones.
        listed_files = tuple(
            file for file in report.files if file.status is Status.WRITTEN
        )
    echo_lines(f"{file.path}: {file.status.value}" for file in listed_files)
    print_changes(report, full=display.full)
    count = sum(file.differs_only_in_line_ends for file in report.files)
    if count:
        verb = "differs" if count == 1 else "differ"
        echo(f"{counted(count, 'file')} {verb} {ONLY_IN_LINE_ENDS}", err=True)
    echo(report.summary())
    _print_number_of_findings(report)
    if not report.project.modular_files and not report.diagnostics:
        echo(f"no model has a modular file yet: {FIRST_STEPS}")


def _print_number_of_findings(report: Report) -> None:
    """Print how many findings of each severity a report has, if it has errors."""
    if not any(problem.is_error for problem in report.diagnostics):
        return
    # The problems of a parent are printed once, whatever the number of its models.
    problems = join_parent_problems(report.diagnostics)
    counts = []
    for severity in Severity:
        count = sum(problem.severity is severity for problem in problems)
        if count:
            counts.append(counted(count, severity.value))
    echo(f"Found {', '.join(counts)}")


def _print_known_findings(report: Report) -> None:
    """Print how many findings a baseline or commit knows, and how many are new.

    Stale and missing files count as findings.
    """
    if not report.known_findings:
        return
    new_findings = len(join_parent_problems(report.diagnostics))
    new_findings += len(report.differing_files)
    known = counted(report.known_findings, "known finding")
    echo(f"{known} not shown, {new_findings} new", err=True)
