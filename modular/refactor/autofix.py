"""Applies the autofixes of findings to modular files, and proves changes of hand-written files before anything is written.

Every model that a change affects is converted with it in memory.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from modular.cache.inputs import affected
from modular.project.project import Project
from modular.run.options import Options
from modular.run.report import Report, Status
from modular.run.run import run_models, select_scope
from modular.run.writing import write_alone
from modular.source.diagnostics import Diagnostic, Fix
from modular.source.diffs import compare
from modular.source.edits import EditError, apply_edits
from modular.source.module import normalised


@dataclass(frozen=True)
class CheckedChange:
    """New texts of hand-written files, by path, and what becomes of the generated files.

    ``report`` has a diff for each generated file that changes; ``errors`` are those that were not there before.
    """

    project: Project
    sources: Mapping[str, str]
    report: Report
    errors: tuple[Diagnostic, ...]
    before: Report

    @property
    def generated(self) -> dict[str, str]:
        """The new texts of generated files, by path."""
        changed = (
            file
            for file in self.report.files
            if file.status in (Status.STALE, Status.MISSING)
        )
        return {
            file.path: self.report.results[file.modular].texts[file.path]
            for file in changed
        }

    def generated_texts(self, path: str) -> tuple[str, str]:
        """Return what is generated for a path before and after the change."""
        texts = []
        for report in (self.before, self.report):
            modular = self.project.generator(path) or ""
            result = report.results.get(modular)
            texts.append("" if result is None else result.texts.get(path, ""))
        return texts[0], texts[1]


def check_change(
    project: Project, sources: Mapping[str, str], options: Options
) -> CheckedChange:
    """Convert in memory all models that new texts of some files affect, before the change and after it."""
    before = _report(project, sources, options)
    after = _report(
        replace(project, unsaved={**project.unsaved, **sources}), sources, options
    )
    added = Counter(map(_key, after.diagnostics)) - Counter(
        map(_key, before.diagnostics)
    )
    errors = (
        diagnostic
        for diagnostic in after.diagnostics
        if diagnostic.is_error and _key(diagnostic) in added
    )
    return CheckedChange(project, sources, after, tuple(errors), before)


def _report(project: Project, sources: Mapping[str, str], options: Options) -> Report:
    scope = select_scope(project, options, ()).only(affected(project, sources))
    return run_models(project, options, scope, write=False, converting=True)


def _key(diagnostic: Diagnostic) -> tuple[str, str]:
    return diagnostic.place.path, diagnostic.code.id


_MOST = 100
"""Autofixes that one file gets at most: one may bring another, but not for ever."""


@dataclass(frozen=True)
class FixedFile:
    """A modular file: its text before and after, with its line ends, and the findings whose autofixes were applied."""

    path: str
    old_source: str
    new_source: str
    applied: tuple[tuple[Diagnostic, Fix], ...]

    @property
    def before(self) -> str:
        """The text before, with ``\\n`` line ends."""
        return normalised(self.old_source)

    @property
    def after(self) -> str:
        """The text after, with ``\\n`` line ends."""
        return normalised(self.new_source)

    @property
    def diff(self) -> str:
        """The unified diff of what was changed."""
        return compare(self.before, self.after).text(f"a/{self.path}", f"b/{self.path}")


@dataclass(frozen=True)
class FixedModels:
    """The files to which something was applied, and the findings that are left whose autofix is not a safe one."""

    project: Project
    files: tuple[FixedFile, ...]
    unsafe: tuple[Diagnostic, ...]
    failures: tuple[Diagnostic, ...] = ()

    def write(self) -> list[Diagnostic]:
        """Write the files, except those that changed after they were read.

        Returns:
            The reasons why files were not written.
        """
        texts = {file.path: {file.path: file.new_source} for file in self.files}
        read = {file.path: file.old_source for file in self.files}
        problems = write_alone(self.project.root, texts, read)
        return list(dict.fromkeys(problems.values()))


def fix_models(
    project: Project, targets: Sequence[str], options: Options, *, unsafe: bool
) -> FixedModels:
    """Apply what can be applied to the modular files of a project that targets name, in memory.

    Safe autofixes alone are applied, or with ``unsafe`` all. One that adds an error, in any model, is not applied; nor is a
    safe one that changes what is generated.
    """
    scope = select_scope(project, options, targets)
    selected = scope.selection.modulars
    loaded = {path: project.load(path, {}) for path in selected}
    sources = {
        path: file.source for path, file in loaded.items() if file.problem is None
    }
    # All that follows sees the texts as they are now, whatever somebody saves meanwhile.
    project = replace(project, unsaved={**sources, **project.unsaved})
    report = run_models(project, options, scope, write=False, converting=True)

    files: list[FixedFile] = []
    left: list[Diagnostic] = []
    failures: list[Diagnostic] = []
    fixed = project
    for path in selected:
        fixer = _Fixer(fixed, options, path, report, unsafe)
        fixer.run()
        left += fixer.left()
        fixed = fixer.project
        if fixer.applied:
            fixed_file = FixedFile(
                path=path,
                old_source=project.load(path, {}).source,
                new_source=fixed.load(path, {}).source,
                applied=tuple(fixer.applied),
            )
            files.append(fixed_file)
        failures += fixer.failures()
    return FixedModels(project, tuple(files), tuple(left), tuple(failures))


@dataclass
class _Fixer:
    """Applies autofixes to one modular file, one after another."""

    project: Project
    options: Options
    path: str
    report: Report
    unsafe: bool
    applied: list[tuple[Diagnostic, Fix]] = field(default_factory=list)

    def run(self) -> None:
        """Apply the first autofix that passes its check, until none does."""
        while len(self.applied) < _MOST and any(
            self._apply(diagnostic, fix) for diagnostic, fix in self._fixes()
        ):
            pass

    def left(self) -> list[Diagnostic]:
        """Return the findings whose autofix needs `unsafe`."""
        return (
            []
            if self.unsafe
            else [
                diagnostic
                for diagnostic, fix in self._fixes(safe=False)
                if not fix.is_safe
            ]
        )

    def failures(self) -> list[Diagnostic]:
        """Return the errors if the file cannot be converted."""
        result = self.report.results.get(self.path)
        if result is None or not result.failed:
            return []
        return [diagnostic for diagnostic in result.diagnostics if diagnostic.is_error]

    def _fixes(self, safe: bool = True) -> Iterator[tuple[Diagnostic, Fix]]:
        """The best autofix of each finding in the file, as far as it may be applied."""
        for diagnostic in self.report.diagnostics:
            for fix in (
                diagnostic.fixes[:1] if diagnostic.place.path == self.path else ()
            ):
                is_wanted = fix.is_safe or self.unsafe or not safe
                if is_wanted and {edit.path for edit in fix.edits} == {self.path}:
                    yield diagnostic, fix

    def _apply(self, diagnostic: Diagnostic, fix: Fix) -> bool:
        """Apply an autofix if what it affects then converts as it should."""
        try:
            text = apply_edits(self.project.load(self.path, {}).source, fix.edits)
        except EditError:
            return False
        change = check_change(self.project, {self.path: text}, self.options)
        before = self.report.results[self.path].outputs
        after = change.report.results[self.path].outputs
        if change.errors or (fix.is_safe and before != after):
            return False
        self.report, self.project = change.report, change.report.project
        self.applied.append((diagnostic, fix))
        return True
