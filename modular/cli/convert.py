"""`modular convert`."""

from pathlib import Path

import click

from modular.cli.options import GroupedCommand, run_options
from modular.cli.printing import echo
from modular.cli.reporting import leave, print_left_out, print_report, run, run_with_progress
from modular.cli.showing import Shown
from modular.run import api
from modular.run.api import Options, Report, Status


@click.command("convert", cls=GroupedCommand)
@run_options
@click.option("--diff", is_flag=True, help="Print what would change and write nothing.")
@click.option("--exit-non-zero-on-write", is_flag=True, help="Exit 1 if any file was rewritten (for pre-commit).")
@click.option(
    "--depfile",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the dependencies of each generated file for Make and Ninja, relative to the current folder.",
)
def command(
    targets: tuple[str, ...],
    options: Options,
    shown: Shown,
    diff: bool,
    exit_non_zero_on_write: bool,
    depfile: Path | None,
) -> None:
    """Convert modular files and write what changes.

    A TARGET is a model's name, a modular file or a folder; none means the whole project.
    """
    if diff and depfile is not None:
        raise click.UsageError("--diff writes nothing, --depfile included")
    report = run_with_progress(lambda chosen: api.convert(targets, dry_run=diff, options=chosen), options)
    print_report(report, shown, Status.WRITTEN, Status.MISSING, Status.STALE, Status.UNCHANGED, Status.ERROR)
    if not shown.quiet:
        print_left_out(report.left_out, report.known)
    if not shown.quiet and not report.has_errors:
        _name_orphans(report)
    if depfile is not None and not report.has_errors:
        _write_depfile(depfile, options, report)
    wrote = exit_non_zero_on_write and report.count(Status.WRITTEN) > 0
    leave(not report.has_errors and not wrote, wrong_use=report.has_unknown_targets)


def _name_orphans(report: Report) -> None:
    """Name the files that these models have generated before and generate no longer."""
    from modular.run.orphans import OrphanSearch

    converted = {file.modular for file in report.files}
    results = {modular: result for modular, result in report.engine.results.items() if modular in converted}
    for orphan in OrphanSearch(report.engine.project, results, is_whole=False).find():
        echo(f"{orphan.place.path}: {orphan.message}; {orphan.hint}", err=True)


def _write_depfile(file: Path, options: Options, report: Report) -> None:
    from modular.run.depfile import write_depfile

    run(lambda: write_depfile(file, options.open(), report))
