"""`modular check`."""

import click

from modular.cli.options import run_options
from modular.cli.reporting import leave, print_left_out, print_report, run_with_progress
from modular.run import api
from modular.run.api import Options, Status


@click.command("check")
@run_options
@click.option("--fix", is_flag=True, help="Write the files that differ or are missing.")
def command(targets: tuple[str, ...], options: Options, output_format: str, warnings: bool, fix: bool) -> None:
    """Check that generated files are what their modular files say.

    A TARGET is a model's name, a modular file or a folder; none means the whole project. Exit code 1 if a file is stale
    or missing, or a model has an error.
    """
    report = run_with_progress(lambda chosen: api.check(targets, fix=fix, options=chosen), options)
    print_report(
        report, output_format, warnings, Status.IDENTICAL, Status.STALE, Status.MISSING, Status.WRITTEN, Status.ERROR
    )
    print_left_out(report.left_out)
    leave(report.is_clean)
