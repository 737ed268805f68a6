"""The command `modular watch`."""

import signal
import time

import click

from modular.cli.help import GroupedCommand
from modular.cli.options import project_options
from modular.cli.printing import echo
from modular.cli.rendering.diffs import print_changes
from modular.cli.reporting import exit_with, print_diagnostics, with_progress
from modular.run.api import Options, Report, Status
from modular.run.watching import Watcher
from modular.system.printable import counted


@click.command(
    "watch",
    cls=GroupedCommand,
    examples={
        "modular watch": "Watch the whole project.",
        "modular watch olmo2": "Watch a model and its parents.",
    },
)
@project_options
def command(targets: tuple[str, ...], options: Options) -> None:
    """Convert models now, and again each time you save a file that affects them.

    A TARGET is the name of a model, a modular file or a folder. By default, the command
    processes the whole project. Press Ctrl-C to stop.
    """
    try:
        _watch(Watcher(targets, options), options)
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Some people press it twice.
        echo("")


def _watch(watcher: Watcher, options: Options) -> None:
    """Convert models, and convert again after each change until Ctrl-C is pressed."""
    with with_progress(options) as options:
        report = watcher.convert_all(options.progress)
    _print_report(report)
    if report.has_unknown_targets or not report.files:
        exit_with(clean=False, wrong_use=report.has_unknown_targets)

    modular_files = {file.modular for file in report.files}
    count = counted(len(modular_files), "modular file")
    _echo_with_time(f"watching {count}; press Ctrl-C to stop")
    for result in watcher.steps():
        if isinstance(result, Report):
            _print_report(result)
            print_changes(result, full=False)
        else:
            # For example, a setting is wrong. The next change may correct it.
            echo(f"error: {result}", err=True)


def _print_report(report: Report) -> None:
    """Print the diagnostics, the changed and failed files, and a summary."""
    print_diagnostics(report.diagnostics)
    for file in report.files:
        if file.status is Status.UNCHANGED:
            continue
        line = f"{file.path}: {file.status.value}"
        if file.difference:
            line += f" (+{file.difference.added} -{file.difference.removed})"
        _echo_with_time(line)
    if report.files:
        _echo_with_time(report.summary())


def _echo_with_time(line: str) -> None:
    """Print a line with the time before it."""
    echo(f"{time.strftime('%H:%M:%S')}  {line}")
