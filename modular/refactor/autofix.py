"""Applies the autofixes of findings to modular files.

A fix is kept if all models that it affects still convert with it.
"""

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from modular.project.project import Project
from modular.refactor.checked_change import check_change
from modular.refactor.updated_file import UpdatedFile, write_updated_files
from modular.run.options import Options
from modular.run.report import Report
from modular.run.run import run_models, select_scope
from modular.run.selection import as_targets
from modular.source.diagnostics import Diagnostic, Edit, Fix, Severity
from modular.source.edits import EditError, apply_edits


MAX_CHECKS_PER_FILE = 100
"""One fix may lead to another finding, but not without end. Each check converts models."""


class AppliedFix(NamedTuple):
    """A finding, and its fix that was applied."""

    diagnostic: Diagnostic
    fix: Fix


@dataclass(frozen=True)
class FixedFile(UpdatedFile):
    """A modular file to which fixes were applied.

    Attributes:
        applied: The fixes in the order in which they were applied.
    """

    applied: tuple[AppliedFix, ...]


@dataclass(frozen=True)
class FixedModels:
    """The fixes of several modular files.

    Attributes:
        project: The project.
        files: The files to which a fix was applied.
        unsafe: Findings that are left because their fix is unsafe.
        failures: The errors of modular files that cannot be converted.
        unfinished: Modular files with more fixes than one run checks.
        write_problems: The reasons why files were not written.
        problems: The problems of the targets that name no modular file.
    """

    project: Project
    files: tuple[FixedFile, ...]
    unsafe: tuple[Diagnostic, ...]
    failures: tuple[Diagnostic, ...]
    unfinished: tuple[str, ...] = ()
    write_problems: tuple[Diagnostic, ...] = ()
    problems: tuple[Diagnostic, ...] = ()

    def write(self) -> list[Diagnostic]:
        """Write the files, except those that changed after they were read.

        Returns:
            The reasons why files were not written.
        """
        problems = write_updated_files(self.project.root, self.files)
        return list(dict.fromkeys(problems.values()))


def fix(
    targets: str | Sequence[str] = (),
    *,
    unsafe: bool = False,
    dry_run: bool = False,
    options: Options = Options(),
) -> FixedModels:
    """Apply the autofixes of findings to modular files, and write these.

    A fix that adds an error in any model is not applied, nor is a safe fix that changes
    a generated file.

    Args:
        targets: Names of models, modular files or folders, or one of these; none means
            the whole project.
        unsafe: Whether fixes that change the generated files are applied, too.
        dry_run: Whether nothing is written.
        options: Options of the run.

    Raises:
        modular.settings.settings.SettingsError: The settings are invalid.
        modular.system.ruff.FormatterError: The formatter cannot be run.
    """
    targets = as_targets(targets)
    fixed = fix_models(options.open(targets), targets, options, unsafe=unsafe)
    if dry_run:
        return fixed
    return replace(fixed, write_problems=tuple(fixed.write()))


def fix_models(
    project: Project, targets: Sequence[str], options: Options, *, unsafe: bool
) -> FixedModels:
    """Apply fixes to modular files in memory.

    A fix that adds an error in any model is not applied, nor is a safe fix that changes
    a generated file.

    Args:
        project: The project.
        targets: Names of models, modular files or folders; none means all models.
        options: Options of the conversion.
        unsafe: Whether to apply unsafe fixes, too.
    """
    scope = select_scope(project, options, targets)
    paths = scope.selection.modulars
    sources = {}
    for path in paths:
        loaded = project.load(path, {})
        if loaded.problem is None:
            sources[path] = loaded.source
    # The conversions see these texts, even if somebody saves another one meanwhile.
    project = replace(project, unsaved={**sources, **project.unsaved})
    options = replace(options, info=True)
    report = run_models(project, options, scope, write=False, converting=True)

    files: list[FixedFile] = []
    unsafe_findings: list[Diagnostic] = []
    failures: list[Diagnostic] = []
    unfinished: list[str] = []
    fixed_project = project
    for path in paths:
        fixer = _Fixer(
            fixed_project, options, path, report, unsafe, MAX_CHECKS_PER_FILE
        )
        fixer.apply_all()
        fixed_project = fixer.project
        if not unsafe:
            unsafe_findings += fixer.findings_with_unsafe_fix()
        failures += fixer.failures()
        if fixer.is_unfinished:
            unfinished.append(path)
        if fixer.applied:
            fixed_file = FixedFile(
                path=path,
                old_source=project.load(path, {}).source,
                new_source=fixed_project.load(path, {}).source,
                applied=tuple(fixer.applied),
            )
            files.append(fixed_file)
    return FixedModels(
        project=project,
        files=tuple(files),
        unsafe=tuple(unsafe_findings),
        failures=tuple(failures),
        unfinished=tuple(unfinished),
        problems=scope.selection.problems,
    )


@dataclass
class _Fixer:
    """Applies fixes to one modular file, as many as possible together.

    Attributes:
        project: The project with the fixes that were applied.
        path: The modular file.
        report: The report of its models with these fixes.
        unsafe: Whether to apply unsafe fixes, too.
        checks_left: How many more conversions may check fixes.
        applied: The fixes of this file that were applied.
    """

    project: Project
    options: Options
    path: str
    report: Report
    unsafe: bool
    checks_left: int
    applied: list[AppliedFix] = field(default_factory=list)

    def apply_all(self) -> None:
        """Apply all fixes that pass their check, until none does.

        An applied fix can lead to other findings, whose fixes are applied as well.
        """
        was_applied = True
        while was_applied and self.checks_left:
            was_applied = self._apply_batch(is_safe=True)
            # Unsafe fixes are applied only if the user asks for them.
            if not was_applied and self.unsafe:
                was_applied = self._apply_batch(is_safe=False)

    @property
    def is_unfinished(self) -> bool:
        """Whether fixes are left because no further conversions may check them."""
        if self.checks_left:
            return False
        fixes = [candidate.fix for candidate in self._candidates()]
        return any(fix.is_safe or self.unsafe for fix in fixes)

    def findings_with_unsafe_fix(self) -> list[Diagnostic]:
        """Return the findings of the file whose best fix is unsafe."""
        return [
            candidate.diagnostic
            for candidate in self._candidates()
            if not candidate.fix.is_safe
        ]

    def failures(self) -> list[Diagnostic]:
        """Return the errors of the file if it cannot be converted."""
        result = self.report.results.get(self.path)
        if result is None or not result.failed:
            return []
        return [diagnostic for diagnostic in result.diagnostics if diagnostic.is_error]

    def _candidates(self) -> Iterator[AppliedFix]:
        """Yield the findings of the file that can be fixed, each with its best fix.

        A fix that edits other files is left out. Findings of level info are arguable,
        so their unsafe fixes are left out, too.
        """
        for diagnostic in self.report.diagnostics:
            if diagnostic.place.path != self.path or not diagnostic.fixes:
                continue
            # The fixes of a finding are sorted, the best one first.
            best_fix = diagnostic.fixes[0]
            if diagnostic.severity is Severity.INFO and not best_fix.is_safe:
                continue
            edited_paths = {edit.path for edit in best_fix.edits}
            if edited_paths == {self.path}:
                yield AppliedFix(diagnostic, best_fix)

    def _apply_batch(self, is_safe: bool) -> bool:
        """Apply the safe or the unsafe fixes of the current findings.

        Args:
            is_safe: Whether the safe fixes are applied, and not the unsafe ones.

        Returns:
            Whether a fix was applied.
        """
        source = self.project.load(self.path, {}).source
        accepted: list[AppliedFix] = []
        report = self._accept(source, accepted, self._choose_batch(is_safe))
        if report is None:
            return False
        # The next fixes are checked against the file with these.
        self.report = report
        self.project = report.project
        self.applied += accepted
        return True

    def _choose_batch(self, is_safe: bool) -> list[AppliedFix]:
        """Return safe or unsafe fixes that can be applied together.

        If two fixes overlap, or insert the same method, only the first is returned.
        """
        batch: list[AppliedFix] = []
        edited_spans: list[_Span] = []
        inserted_methods: set[str] = set()
        for candidate in self._candidates():
            if candidate.fix.is_safe is not is_safe:
                continue
            edits = candidate.fix.edits
            spans = [_span_of(edit) for edit in edits]
            # A method has several lines. Edits of one line may have the same text.
            methods = {edit.text for edit in edits if "\n" in edit.text}
            inserts_same_method = not methods.isdisjoint(inserted_methods)
            if inserts_same_method or _have_overlap(edited_spans, spans):
                continue
            batch.append(candidate)
            inserted_methods |= methods
            for span in spans:
                insort(edited_spans, span)
        return batch

    def _accept(
        self, source: str, accepted: list[AppliedFix], candidates: Sequence[AppliedFix]
    ) -> Report | None:
        """Add the candidates that pass their check to the accepted fixes.

        All candidates are checked together. If they do not pass, each half of them is
        tried, and so on down to single fixes.

        Args:
            source: The file without these fixes.
            accepted: Fixes that were accepted before, to which others are added.
            candidates: The fixes to check.

        Returns:
            The report of the models with all accepted fixes; None if no candidate
            passed.
        """
        if not candidates or not self.checks_left:
            return None
        self.checks_left -= 1
        report = self._check(source, [*accepted, *candidates])
        if report is not None:
            accepted += candidates
            return report
        if len(candidates) == 1:
            return None
        middle = len(candidates) // 2
        first_report = self._accept(source, accepted, candidates[:middle])
        second_report = self._accept(source, accepted, candidates[middle:])
        return second_report or first_report

    def _check(self, source: str, fixes: Sequence[AppliedFix]) -> Report | None:
        """Return the report of all affected models with some fixes, converted in memory.

        Args:
            source: The file without these fixes.
            fixes: The fixes.

        Returns:
            The report. None if the fixes add an error, or claim to be safe and change a
            generated file.
        """
        edits: list[Edit] = []
        for applied in fixes:
            edits += applied.fix.edits
        try:
            new_source = apply_edits(source, edits)
        except EditError:
            return None
        change = check_change(self.project, {self.path: new_source}, self.options)
        old_outputs = self.report.results[self.path].outputs
        new_outputs = change.report.results[self.path].outputs
        are_safe = all(applied.fix.is_safe for applied in fixes)
        is_falsely_safe = are_safe and old_outputs != new_outputs
        if change.errors or is_falsely_safe:
            return None
        return change.report


_Position = tuple[int, int]


class _Span(NamedTuple):
    """The start and end of an edit, each as line and column."""

    start: _Position
    end: _Position


def _span_of(edit: Edit) -> _Span:
    """Return the span of an edit."""
    return _Span((edit.line, edit.column), (edit.end_line, edit.end_column))


def _have_overlap(edited_spans: Sequence[_Span], new_spans: Iterable[_Span]) -> bool:
    """Return whether a new span overlaps or touches a span that is edited already.

    Args:
        edited_spans: The edited spans, sorted. They do not overlap each other.
        new_spans: The spans of a further fix.
    """
    for span in new_spans:
        # Only the edited spans next to it can overlap it.
        index = bisect_left(edited_spans, span)
        if index < len(edited_spans) and edited_spans[index].start <= span.end:
            return True
        if index > 0 and edited_spans[index - 1].end >= span.start:
            return True
    return False
