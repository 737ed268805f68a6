"""What the commands, the hooks and other tools call: `convert`, `check` and `trace`. Nothing here prints."""

import os
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from modular.project.project import Project, model_name
from modular.rules.settings import SettingsError
from modular.run.options import Options
from modular.run.report import FileReport, LineCounts, Report, Status
from modular.run.run import Run
from modular.run.selection import select


if TYPE_CHECKING:
    from modular.conversion.converter import Conversion
    from modular.run.known import Key


def convert(targets: Sequence[str] = (), *, dry_run: bool = False, options: Options = Options()) -> Report:
    """Convert modular files and write what changes.

    ``targets`` are models' names, modular files or folders; none means the whole project. With ``dry_run`` nothing is
    written and the diffs are given. Raises `settings.SettingsError`, `ruff.FormatterError`, `changes.ChangesError` and
    `known.BaselineError`.
    """
    return _run(options, targets, write=not dry_run, converting=True)


def check(
    targets: Sequence[str] = (), *, fix: bool = False, remove_orphans: bool = False, options: Options = Options()
) -> Report:
    """Compare generated files with what their modular files say, in memory; with ``fix`` write those that differ.

    Files that no modular file makes any more are reported; ``fix`` removes them only where ``remove_orphans`` says so too.
    Targets and errors are those of `convert`.
    """
    return _run(options, targets, write=fix, converting=False, remove_orphans=fix and remove_orphans)


def trace(target: str, *, root: str | os.PathLike[str] | None = None) -> "Conversion":
    """Convert one modular file, unformatted, with the origin of every statement: see `conversion.OutputFile.find`.

    Parent files are taken as they are on disk. Raises `settings.SettingsError`, and LookupError if there is no such model.
    """
    from modular.conversion.converter import Converter

    project = Options(root=root).open()
    selection = select(project, [target])
    if len(selection.modulars) != 1:
        raise LookupError(f"{target!r} names no modular file")
    return Converter(project, {}).convert(selection.modulars[0])


def _run(
    options: Options, targets: Sequence[str], *, write: bool, converting: bool, remove_orphans: bool = False
) -> Report:
    """Run, and leave out of the report what is known already."""
    from modular.run import known

    project = options.open()
    baseline = None if options.baseline is None else known.read_baseline(options.baseline)
    run = Run(project, options, targets)
    report = run.report(write=write, converting=converting, remove_orphans=remove_orphans)
    if baseline is not None:
        report = known.without(report, baseline)
    if options.since is not None and known.findings(report):
        report = known.without(report, _findings_at(options.since, project, options, report))
    return report


def _findings_at(ref: str, project: Project, options: Options, report: Report) -> Counter["Key"]:
    """Return what was found at a commit in those models of which there is something to report; nothing, if it had no settings."""
    from modular.run import known
    from modular.run.earlier import project_at

    same_settings = options.output is not None or options.source_library is not None
    modulars = {each.place.path for each in report.diagnostics} | {each.modular for each in report.files}
    modulars |= {each.related.path for each in report.diagnostics if each.related is not None}
    try:
        with project_at(project, ref, same_settings=same_settings) as earlier:
            run = Run(earlier, Options(jobs=options.jobs, cache=options.cache), ())
            run.selection = run.selection.only(modulars)
            return known.findings(run.report(write=False, converting=False))
    except SettingsError:
        return Counter()


__all__ = ["FileReport", "LineCounts", "Options", "Report", "Status", "check", "convert", "model_name", "trace"]
