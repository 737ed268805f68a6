"""`modular watch`."""

import signal
import time

import click

from modular.cli.options import GroupedCommand, project_options
from modular.cli.printing import echo
from modular.cli.rendering.diffs import print_changes
from modular.cli.reporting import exit_with, print_diagnostics, with_progress
from modular.run.api import Options, Report, Status
from modular.run.watching import Watcher
from modular.system.terminal import counted


@click.command("watch", cls=GroupedCommand)
@project_options
@click.option(
    "--interval",
    type=click.FloatRange(0.01),
    default=0.3,
    show_default=True,
    help="Seconds that changes are gathered for.",
)
def command(targets: tuple[str, ...], options: Options, interval: float) -> None:
    """Convert, and then convert again what is affected whenever a file is saved.

    A TARGET is a model's name, a modular file or a folder; none means the whole project. Ctrl-C ends it.
    """
    try:
        _watch(Watcher(targets, options), options, interval)
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # impatient people press it twice
        echo("")


def _watch(watcher: Watcher, options: Options, interval: float) -> None:
    with with_progress(options) as options:
        report = watcher.start(options.progress)
    _print_report(report)
    if report.has_unknown_targets or not report.files:
        exit_with(clean=False, wrong_use=report.has_unknown_targets)
    _say(
        f"watching {counted(len({file.modular for file in report.files}), 'modular file')}; Ctrl-C ends"
    )
    for step in watcher.steps(interval):
        if isinstance(step, Report):
            _print_report(step)
            print_changes(step, full=False)
        else:
            echo(f"error: {step}", err=True)


def _print_report(report: Report) -> None:
    """Print what is wrong, the files that were written or could not be, and how many there are."""
    print_diagnostics(report.diagnostics)
    for file in report.files:
        change = (
            f" (+{file.difference.added} -{file.difference.removed})"
            if file.difference
            else ""
        )
        if file.status is not Status.UNCHANGED:
            _say(f"{file.path}: {file.status.value}{change}")
    if report.files:
        _say(report.summary(Status))


def _say(line: str) -> None:
    echo(f"{time.strftime('%H:%M:%S')}  {line}")
