"""`modular watch`."""

import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

import click

from modular.cli.options import PROJECT, subcommand
from modular.cli.printing import counted, echo
from modular.cli.rendering.diffs import print_changes
from modular.cli.reporting import leave, print_diagnostics, with_progress
from modular.project.project import model_name
from modular.run.api import FileReport, Options, Report, Status
from modular.run.watching import Step, Watcher
from modular.source.diagnostics import Problem


_FEW = 5
"""Models that are worth being named though nothing of them changed."""


@subcommand("watch", *PROJECT)
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
        report = watcher.start(options.progress).report
    assert report is not None, "everything is converted at first"
    print_diagnostics(report.diagnostics)
    if report.has_unknown_targets or any(
        diagnostic.code is Problem.NOTHING_FOUND for diagnostic in report.diagnostics
    ):
        leave(clean=False, wrong_use=report.has_unknown_targets)
    _print_first(report)
    for step in watcher.steps(interval):
        _print_step(step)


def _print_first(report: Report) -> None:
    files = _files_by_model(report)
    for line in _written(files):
        _say(line)
    _say(f"watching {counted(len(files), 'modular file')}; Ctrl-C ends")


def _print_step(step: Step) -> None:
    if step.report is None:
        echo(f"error: {step.problem}", err=True)
        return
    print_diagnostics(step.report.diagnostics)
    files = _files_by_model(step.report)
    for line in (*_written(files), *_others(files)):
        _say(line)
    print_changes(step.report, full=False)


def _files_by_model(report: Report) -> dict[str, list[FileReport]]:
    """The files of a report by their modular files, sorted."""
    files: dict[str, list[FileReport]] = {}
    for file in sorted(report.files, key=lambda file: file.modular):
        files.setdefault(file.modular, []).append(file)
    return files


def _written(files: Mapping[str, Sequence[FileReport]]) -> Iterator[str]:
    """A line for each model with files that were written."""
    for modular, own in files.items():
        if written := [_counted(file) for file in own if file.status is Status.WRITTEN]:
            yield f"{model_name(modular)}: wrote {', '.join(written)}"


def _counted(file: FileReport) -> str:
    """A file's name, and how many of its lines changed, if that is known."""
    change = f" (+{file.difference.added} -{file.difference.removed})" if file.difference else ""
    return f"{PurePosixPath(file.path).name}{change}"


def _others(files: Mapping[str, Sequence[FileReport]]) -> Iterator[str]:
    """A line for the models in error, and one for those of which nothing changed."""
    statuses = {model_name(modular): {file.status for file in own} for modular, own in files.items()}
    failed = [model for model, own in statuses.items() if Status.ERROR in own]
    same = [model for model, own in statuses.items() if own == {Status.UNCHANGED}]
    if failed:
        yield f"{', '.join(failed)}: error, nothing written"
    if same:
        yield f"{', '.join(same) if len(same) <= _FEW else f'{len(same)} models'}: unchanged"


def _say(line: str) -> None:
    echo(f"{time.strftime('%H:%M:%S')}  {line}")
