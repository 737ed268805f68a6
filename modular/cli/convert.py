"""`modular convert`."""

import click

from modular import api
from modular.api import Options, Status
from modular.cli.options import run_options
from modular.cli.reporting import (
    leave,
    print_diagnostics,
    print_diffs,
    print_json,
    print_left_out,
    run,
    summarise,
)


@click.command("convert")
@run_options
@click.option("--diff", is_flag=True, help="Print what would change and write nothing.")
@click.option("--exit-non-zero-on-write", is_flag=True, help="Exit code 1 if a file was written, as hooks want it.")
def command(
    targets: tuple[str, ...], options: Options, output_format: str, diff: bool, exit_non_zero_on_write: bool
) -> None:
    """Convert modular files and write what changes.

    A TARGET is a model's name, a modular file or a folder; none means the whole project.
    """
    report = run(lambda: api.convert(targets, dry_run=diff, options=options))
    if output_format == "json":
        print_json(report)
    else:
        print_diagnostics(report)
        print_diffs(report)
        summarise(report, Status.WRITTEN, Status.MISSING, Status.STALE, Status.UNCHANGED, Status.ERROR)
    print_left_out(report)
    wrote = exit_non_zero_on_write and report.count(Status.WRITTEN) > 0
    leave(not report.has_errors and not wrote)
