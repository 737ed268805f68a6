"""`modular convert`."""

from pathlib import Path

import click

from modular import api
from modular.api import Status
from modular.cli.options import options, run_options
from modular.cli.reporting import leave, print_diagnostics, print_diffs, print_json, run, summarise
from modular.sharding import Shard


@click.command("convert")
@run_options
@click.option("--diff", is_flag=True, help="Print what would change and write nothing.")
def command(
    targets: tuple[str, ...],
    root: Path | None,
    output: str | None,
    jobs: int | None,
    no_cache: bool,
    shard: Shard | None,
    output_format: str,
    diff: bool,
) -> None:
    """Convert modular files and write what changes.

    A TARGET is a model's name, a modular file or a folder; none means the whole project.
    """
    chosen = options(root, output, jobs, no_cache, shard)
    report = run(lambda: api.convert(targets, dry_run=diff, options=chosen))
    if output_format == "json":
        print_json(report)
    else:
        print_diagnostics(report)
        print_diffs(report)
        summarise(report, Status.WRITTEN, Status.MISSING, Status.STALE, Status.UNCHANGED, Status.ERROR)
    leave(not report.has_errors)
