"""A change of hand-written files, proved before anything is written: every affected model is converted with it in memory."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from modular.cache.inputs import affected
from modular.project.project import Project
from modular.run.options import Options
from modular.run.report import Report, Status
from modular.run.run import Run
from modular.run.writing import write_alone
from modular.source.diagnostics import Diagnostic


@dataclass(frozen=True)
class CheckedChange:
    """New texts of hand-written files, by path, and what becomes of the generated files.

    ``report`` has a diff for each generated file that changes; ``errors`` are those that were not there before.
    """

    project: Project
    sources: Mapping[str, str]
    report: Report
    errors: tuple[Diagnostic, ...]

    @property
    def generated(self) -> dict[str, str]:
        """The new texts of generated files, by path."""
        changed = (file for file in self.report.files if file.status in (Status.STALE, Status.MISSING))
        return {file.path: self.report.engine.text(file.modular, file.path) for file in changed}

    def write(self) -> Diagnostic | None:
        """Write all files, or none; return what kept them from being written."""
        return write_alone(self.project.root, {"": {**self.sources, **self.generated}}).get("")


def check_change(project: Project, sources: Mapping[str, str], options: Options) -> CheckedChange:
    """Convert in memory all models that new texts of some files affect, before the change and after it."""
    before = _report(project, sources, options)
    after = _report(replace(project, unsaved={**project.unsaved, **sources}), sources, options)
    known = Counter(map(_key, before.diagnostics))
    errors = []
    for diagnostic in after.diagnostics:
        if known[_key(diagnostic)]:
            known[_key(diagnostic)] -= 1
        elif diagnostic.is_error:
            errors.append(diagnostic)
    return CheckedChange(project, sources, after, tuple(errors))


def _report(project: Project, sources: Mapping[str, str], options: Options) -> Report:
    run = Run(project, options, ())
    run.selection = run.selection.only(affected(project, sources))
    return run.report(write=False, converting=True)


def _key(diagnostic: Diagnostic) -> tuple[str, str]:
    return diagnostic.place.path, diagnostic.code.id
