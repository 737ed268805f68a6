"""What the commands, the hooks and other tools call: `convert`, `check` and `trace`. Nothing here prints."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from modular.run.options import Options
from modular.run.report import FileReport, ModelSaving, Report, Status, savings
from modular.run.selection import as_targets, select
from modular.system.errors import ModularError


if TYPE_CHECKING:
    from modular.conversion.conversion import Conversion
    from modular.project.ancestry import Graph


def convert(
    targets: str | Sequence[str] = (),
    *,
    dry_run: bool = False,
    options: Options = Options(),
) -> Report:
    """Convert modular files and write what changes.

    ``targets`` are models' names, modular files or folders, or one of these; none means the whole project. With ``dry_run`` nothing is
    written and the diffs are given. Raises `settings.SettingsError`, `ruff.FormatterError`, `git.ChangesError` and
    `baseline.BaselineError`.
    """
    return _run(options, targets, write=not dry_run, converting=True)


def check(
    targets: str | Sequence[str] = (),
    *,
    fix: bool = False,
    remove_orphans: bool = False,
    options: Options = Options(),
) -> Report:
    """Compare generated files with what their modular files say, in memory; with ``fix`` write those that differ.

    Files that no modular file makes any more are reported; ``fix`` removes them only where ``remove_orphans`` says so too.
    Targets and errors are those of `convert`.
    """
    return _run(
        options,
        targets,
        write=fix,
        converting=False,
        remove_orphans=fix and remove_orphans,
    )


def trace(target: str, *, root: str | os.PathLike[str] | None = None) -> "Conversion":
    """Convert one modular file, unformatted, with the origin of every statement: see `conversion.OutputFile.find`.

    Parent files are taken as they are on disk. Raises `settings.SettingsError`, and ModularError if there is no such model.
    """
    from modular.conversion.converter import Converter

    project = Options(root=root).open([target])
    selection = select(project, [target])
    if len(selection.modulars) != 1:
        raise ModularError(f"{target!r} names no modular file")
    return Converter(project, {}).convert(selection.modulars[0])


def stats(
    targets: str | Sequence[str] = (), *, options: Options = Options()
) -> tuple[ModelSaving, ...]:
    """Return how many lines each model's modular file saves. Targets and errors are those of `convert`."""
    return savings(check(targets, options=options).lines)


def graph(*, options: Options = Options()) -> "Graph":
    """Return which model inherits what from which. Raises `settings.SettingsError`."""
    from modular.project.ancestry import read_graph

    return read_graph(options.open())


def _run(
    options: Options,
    targets: str | Sequence[str],
    *,
    write: bool,
    converting: bool,
    remove_orphans: bool = False,
) -> Report:
    """Run, and leave out of the report what is known already."""
    from modular.run import baseline
    from modular.run.run import (
        Run,  # those who ask for nothing of this should not wait for it
    )

    targets = as_targets(targets)
    project = options.open(targets)
    known = (
        None if options.baseline is None else baseline.read_baseline(options.baseline)
    )
    run = Run(project, options, targets)
    report = run.report(
        write=write, converting=converting, remove_orphans=remove_orphans
    )
    if known is not None:
        report = baseline.without(report, known)
    if options.since is not None and baseline.findings(report):
        from modular.run.since import findings_at

        report = baseline.without(
            report, findings_at(project, options.since, options, run.selection.modulars)
        )
    return report


__all__ = [
    "FileReport",
    "Options",
    "Report",
    "Status",
    "check",
    "convert",
    "graph",
    "stats",
    "trace",
]
