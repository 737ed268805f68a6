"""`modular check`."""

from dataclasses import replace
from pathlib import Path

import click

from modular.cli.options import GroupedCommand, run_options
from modular.cli.printing import counted, echo
from modular.cli.reporting import leave, print_left_out, print_report, run, run_with_progress
from modular.cli.showing import Shown
from modular.run import api
from modular.run.api import Options, Status


_FILE = click.Path(dir_okay=False, path_type=Path)


@click.command("check", cls=GroupedCommand)
@run_options
@click.option("--fix", is_flag=True, help="Write the files that are stale or missing.")
@click.option(
    "--remove-orphans", is_flag=True, help="With --fix: remove files that no modular file generates any more."
)
@click.option("--baseline", type=_FILE, help="Ignore findings recorded in this baseline file.")
@click.option("--write-baseline", type=_FILE, help="Record all current findings in this baseline file.")
def command(
    targets: tuple[str, ...],
    options: Options,
    shown: Shown,
    fix: bool,
    remove_orphans: bool,
    baseline: Path | None,
    write_baseline: Path | None,
) -> None:
    """Check that generated files are up to date.

    A TARGET is a model's name, a modular file or a folder; none means the whole project. Exit code 1 if a file is stale
    or missing, or a model has an error.
    """
    if remove_orphans and not fix:
        raise click.UsageError("--remove-orphans needs --fix")
    if write_baseline is not None:
        if baseline is not None or fix:
            raise click.UsageError("--write-baseline cannot be used with --baseline or --fix")
        _write_baseline(targets, options, write_baseline)
        return
    options = replace(options, baseline=baseline)
    report = run_with_progress(
        lambda chosen: api.check(targets, fix=fix, remove_orphans=remove_orphans, options=chosen), options
    )
    print_report(
        report,
        shown,
        Status.IDENTICAL,
        Status.STALE,
        Status.MISSING,
        Status.WRITTEN,
        Status.REMOVED,
        Status.ERROR,
    )
    if not shown.quiet:
        print_left_out(report.left_out, report.known)
    leave(report.is_clean, wrong_use=report.has_unknown_targets)


def _write_baseline(targets: tuple[str, ...], options: Options, file: Path) -> None:
    from modular.run import baseline

    report = run_with_progress(lambda chosen: api.check(targets, options=chosen), options)
    found = baseline.findings(report)
    run(lambda: baseline.write_baseline(file, found, report.root))
    echo(f"{counted(found.total(), 'finding')} written to {file}")
