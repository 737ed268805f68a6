"""The Python API of runs: `convert`, `check`, `trace` and `graph`.

Nothing here prints. The commands and hooks call these functions, too.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from modular.run.options import Options
from modular.run.report import FileReport, Report, Status
from modular.run.selection import as_targets, select
from modular.system.errors import ModularError


if TYPE_CHECKING:
    from modular.conversion.conversion import Conversion
    from modular.semantics.model_graph import Graph


def convert(
    targets: str | Sequence[str] = (),
    *,
    dry_run: bool = False,
    options: Options = Options(),
) -> Report:
    """Convert modular files and write the generated files that differ.

    Args:
        targets: A target, or several: the name of a model, a modular file or a folder.
            None of them means the whole project.
        dry_run: Whether nothing is written; the report has the diffs.
        options: Options of the run.

    Raises:
        modular.settings.settings.SettingsError: The settings are invalid.
        modular.system.ruff.FormatterError: The formatter cannot be run.
        modular.git.repository.GitError: Git cannot say what changed.
        modular.run.baseline.BaselineError: The baseline cannot be read.
    """
    return _run(options, targets, write=not dry_run, converting=True)


def check(
    targets: str | Sequence[str] = (),
    *,
    fix: bool = False,
    options: Options = Options(),
) -> Report:
    """Compare generated files with their modular files, in memory.

    Args:
        targets: A target, or several: the name of a model, a modular file or a folder.
            None of them means the whole project.
        fix: Whether the files that differ are written.
        options: Options of the run.

    Raises:
        modular.settings.settings.SettingsError: The settings are invalid.
        modular.system.ruff.FormatterError: The formatter cannot be run.
        modular.git.repository.GitError: Git cannot say what changed.
        modular.run.baseline.BaselineError: The baseline cannot be read.
    """
    return _run(options, targets, write=fix, converting=False)


def trace(target: str, *, options: Options = Options()) -> "Conversion":
    """Convert one modular file, unformatted, with the origin of every statement.

    Parent files are read from disk. The files of the returned conversion have a method
    `find`, which returns the source code of a class or method with its place.

    Args:
        target: Name of a model, or its modular file.
        options: Options of the run.

    Raises:
        modular.settings.settings.SettingsError: The settings are invalid.
        modular.system.errors.ModularError: The target does not name exactly one modular
            file.
    """
    from modular.conversion.converter import Converter

    project = options.open([target])
    selection = select(project, [target])
    # A folder, or a name that two folders have, can select several.
    if len(selection.modulars) != 1:
        raise ModularError(f"{target!r} names no modular file")
    return Converter(project, {}).convert(selection.modulars[0])


def graph(*, options: Options = Options()) -> "Graph":
    """Return the graph of all models: what each model inherits from which other model.

    Raises:
        modular.settings.settings.SettingsError: The settings are invalid.
    """
    from modular.semantics.model_graph import read_graph

    return read_graph(options.open())


def _run(
    options: Options,
    targets: str | Sequence[str],
    *,
    write: bool,
    converting: bool,
) -> Report:
    """Convert or check models, and leave out the findings that are not new.

    A finding is not new if the baseline file records it, or if the models had it at the
    commit of the option `since` already.

    Args:
        options: Options of the run.
        targets: The models.
        write: Whether files that differ are written; both `convert` and `check` can run
            with and without writing.
        converting: Whether this is `convert`; otherwise it is `check`.
    """
    # `trace` and `graph` do not need these modules, which are slow to import.
    from modular.run import baseline
    from modular.run.run import run_models, select_scope

    targets = as_targets(targets)
    project = options.open(targets)
    # A baseline that cannot be read is an error before anything is written.
    known_findings = None
    if options.baseline is not None:
        known_findings = baseline.read_baseline(options.baseline)

    scope = select_scope(project, options, targets)
    report = run_models(
        project,
        options,
        scope,
        write=write,
        converting=converting,
        # `check` shows the causes of changes, which are found from these files.
        keeps_files=not converting,
    )

    if known_findings is not None:
        report = baseline.without_known(report, known_findings)
    # Without findings, there is no need to convert the models of the commit.
    if options.since is not None and baseline.count_findings(report):
        from modular.run.since import findings_at

        modulars = scope.selection.modulars
        earlier_findings = findings_at(project, options.since, options, modulars)
        report = baseline.without_known(report, earlier_findings)
    return report


__all__ = [
    "FileReport",
    "Options",
    "Report",
    "Status",
    "check",
    "convert",
    "graph",
    "trace",
]
