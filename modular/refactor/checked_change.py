"""Converts all models that a change of hand-written files affects, before it is written."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from modular.cache.inputs import affected
from modular.project.project import Project
from modular.run.options import Options
from modular.run.report import Report, Status
from modular.run.run import run_models, select_scope
from modular.source.diagnostics import Diagnostic


@dataclass(frozen=True)
class CheckedChange:
    """A change of hand-written files, and its effect on the generated files.

    Attributes:
        project: The project without the change.
        sources: The new text of each hand-written file, by path.
        report: The report of the affected models with the change. It has a diff for each
            generated file that differs from the one on disk.
        errors: The errors that the change adds.
    """

    project: Project
    sources: Mapping[str, str]
    report: Report
    errors: tuple[Diagnostic, ...]

    def generated(self) -> dict[str, str]:
        """Return the new texts of generated files that differ from disk, by path."""
        texts = {}
        for file in self.report.files:
            if file.status in (Status.STALE, Status.MISSING):
                texts[file.path] = _generated_text(self.report, file.modular, file.path)
        return texts


def _generated_text(report: Report, modular: str, path: str) -> str:
    """Return the text that a modular file generates for a path; "" if it does not."""
    result = report.results.get(modular)
    return "" if result is None else result.texts.get(path, "")


def check_change(
    project: Project,
    sources: Mapping[str, str],
    options: Options,
    *,
    is_planned: bool = True,
) -> CheckedChange:
    """Convert all models that a change of hand-written files affects.

    They are converted without the change and with it, so that only errors that the
    change adds count against it. Nothing is written.

    Args:
        project: The project without the change.
        sources: The new text of each hand-written file, by path.
        options: Options of the conversion.
        is_planned: Whether the change is about to be written. Otherwise it is only
            shown.
    """
    changed_project = replace(project, unsaved={**project.unsaved, **sources})
    before = _convert_affected(project, sources, options, keeps_files=False)
    if not is_planned:
        # In the cache, the results would replace those of the files on disk.
        options = replace(options, store=False)
    # A change that is only shown has its differences grouped by their causes. For that,
    # the results must keep the generated files.
    after = _convert_affected(
        changed_project, sources, options, keeps_files=not is_planned
    )

    # Lines may have moved, so diagnostics are counted by their file and rule.
    old_counts = Counter(map(_path_and_rule, before.diagnostics))
    new_counts = Counter(map(_path_and_rule, after.diagnostics))
    added_counts = new_counts - old_counts
    errors = []
    for diagnostic in after.diagnostics:
        if diagnostic.is_error and _path_and_rule(diagnostic) in added_counts:
            errors.append(diagnostic)
    return CheckedChange(
        project=project,
        sources=sources,
        report=after,
        errors=tuple(errors),
    )


def _convert_affected(
    project: Project,
    paths: Iterable[str],
    options: Options,
    *,
    keeps_files: bool,
) -> Report:
    """Convert the models of a project that a change of some files affects.

    Nothing is written, and the change is not applied here.

    Args:
        project: The project with the change, or without it.
        paths: The files that the change edits.
        options: Options of the conversion.
        keeps_files: Whether the results keep the generated files in memory.
    """
    whole_project = select_scope(project, options, targets=())
    scope = whole_project.only(affected(project, paths))
    return run_models(
        project,
        options,
        scope,
        write=False,
        converting=True,
        keeps_files=keeps_files,
    )


def _path_and_rule(diagnostic: Diagnostic) -> tuple[str, str]:
    return diagnostic.place.path, diagnostic.code.id
