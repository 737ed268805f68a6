"""The command `modular convert`."""

from dataclasses import replace

import click

from modular.cli.help import GroupedCommand
from modular.cli.options import (
    ReportOptions,
    diff_option,
    force_option,
    report_options,
)
from modular.cli.printing import echo
from modular.cli.rendering.report import print_report
from modular.cli.reporting import exit_with, with_progress
from modular.run import api
from modular.run.api import Options, Report, Status
from modular.run.orphans import find_orphans


@click.command(
    "convert",
    cls=GroupedCommand,
    examples={
        "modular convert": "Convert the whole project.",
        "modular convert olmo2 --diff": "Show how a model's files would change.",
    },
)
@report_options
@diff_option
@force_option
@click.option(
    "--exit-non-zero-on-write",
    is_flag=True,
    help="Exit 1 if any file was rewritten (for pre-commit).",
)
def command(
    targets: tuple[str, ...],
    options: Options,
    display: ReportOptions,
    diff: bool,
    force: bool,
    exit_non_zero_on_write: bool,
) -> None:
    """Convert modular files and write the generated files that change.

    If somebody wrote or edited a generated file by hand, the command keeps the file and
    exits with 1. To replace the file, pass --force.

    A TARGET is the name of a model, a modular file or a folder. By default, the command
    processes the whole project.
    """
    with with_progress(replace(options, force=force)) as options:
        report = api.convert(targets, dry_run=diff, options=options)
    if diff and display.output_format == "text" and not display.quiet:
        # Conversions that write do not load this module.
        from modular.cli.rendering.classes import print_classes_of_report

        print_classes_of_report(report)
    print_report(report, display)
    if not report.has_errors and not display.quiet:
        _print_orphans(report)
    # A pre-commit hook has to fail if it changes a file.
    fails_on_write = exit_non_zero_on_write and report.count(Status.WRITTEN) > 0
    would_change = diff and bool(report.differing_files)
    is_clean = not (report.has_errors or fails_on_write or would_change)
    exit_with(is_clean, wrong_use=report.has_unknown_targets)


def _print_orphans(report: Report) -> None:
    """Print the files that the models used to generate and no longer do."""
    results = {file.modular: report.results[file.modular] for file in report.files}
    for orphan in find_orphans(report.project, results):
        echo(f"{orphan.place.path}: {orphan.message}; {orphan.hint}", err=True)
