"""One run: select models, convert them, compare what came of them with the disk and, if asked, write it."""

import os
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from modular.cache.fingerprints import MOST_COMPARED
from modular.cache.result import Result
from modular.project.project import Project
from modular.run.engine import Engine
from modular.run.locking import BusyError, exclusive
from modular.run.options import Options
from modular.run.report import FileReport, LineCounts, Report, Status
from modular.run.selection import Selection, select
from modular.run.write_guards import WriteGuards, outside_root
from modular.run.writing import write_models
from modular.source.diagnostics import Diagnostic, Place, Problem, by_place
from modular.source.diffs import Diff, compare
from modular.source.system.reading import open_ordinary
from modular.source.system.writing import clear_staged


@dataclass(frozen=True, slots=True)
class _Change:
    """The files of a model that differ from the disk, with their diffs if they are shown, or why they are not ours to write."""

    modular: str
    texts: Mapping[str, str]
    diffs: Mapping[str, Diff]
    problem: Diagnostic | None = None


class Run:
    """One run over some targets."""

    def __init__(self, project: Project, options: Options, targets: Sequence[str]) -> None:
        self.project = project
        self.strict = options.strict
        self.diffs = options.diffs
        self.changed = options.changed(project)
        self.is_whole = not targets and self.changed is None and (options.shard is None or options.shard.index == 1)
        self.selection = self._select(options, targets)
        self.has_unknown_targets = bool(targets and self.selection.problems)
        self.engine = Engine(self.project, options)
        self._guards = WriteGuards(self.project, self.engine)

    def _select(self, options: Options, targets: Sequence[str]) -> Selection:
        selection = select(self.project, targets)
        if self.changed is not None:
            from modular.cache.affected import affected

            selection = selection.only(affected(self.project, self.changed))
        if options.shard is not None:
            selection = replace(selection, modulars=options.shard.take(selection.modulars))
        return selection

    def report(self, *, write: bool, converting: bool, remove_orphans: bool = False) -> Report:
        """Convert, compare and, if asked, write."""
        try:
            if not write:
                self.engine.run(self.selection.modulars)
                return self._report(write, converting, self._orphans(converting))
            with exclusive(self.project.root):
                return self._write(converting, remove_orphans)
        except BusyError as error:
            return self._busy(error)

    def _write(self, converting: bool, remove_orphans: bool) -> Report:
        """Convert, and write with nobody else writing."""
        folders = {self.project.output_folder(modular) for modular in self.selection.modulars}
        clear_staged(self.project.root, sorted(folders))
        self.engine.run(self.selection.modulars)
        orphans = self._orphans(converting)
        report = self._report(True, converting, () if remove_orphans else orphans)
        return self._without(orphans, report) if remove_orphans else report

    def _orphans(self, converting: bool) -> Sequence[Diagnostic]:
        """The files that no modular file makes any more; to convert does not look for them."""
        if converting:
            return ()
        from modular.run.orphans import OrphanSearch

        results = {modular: self.engine.results[modular] for modular in self.selection.modulars}
        return OrphanSearch(self.project, results, self.is_whole, self.changed or ()).find()

    def _without(self, orphans: Sequence[Diagnostic], report: Report) -> Report:
        """Remove orphans, and report that."""
        files, problems = list(report.files), list(report.diagnostics)
        for orphan in orphans:
            path = orphan.place.path
            try:
                os.unlink(self.project.root / path)
                files.append(FileReport(path, orphan.related.path if orphan.related else path, Status.REMOVED))
            except OSError as error:
                message = f"cannot be removed: {error.strerror or error}"
                problems.append(Diagnostic(Problem.CANNOT_WRITE, Place(path), message, "remove it by hand"))
        files.sort(key=lambda file: (file.path, file.modular))
        return replace(report, files=tuple(files), diagnostics=tuple(by_place(problems)))

    def _busy(self, error: BusyError) -> Report:
        problem = Diagnostic(
            Problem.CANNOT_WRITE, Place("."), str(error), "wait for it to end, or end it; nothing was changed"
        )
        return Report(self.project.root, (), (problem,), {}, {}, self.engine, self.selection.left_out)

    def _report(self, write: bool, converting: bool, orphans: Sequence[Diagnostic]) -> Report:
        results = [self.engine.results[modular] for modular in self.selection.modulars]
        changes = [self._change(result, with_diffs=self.diffs or not (write and converting)) for result in results]
        written = (
            {each.modular: each.texts for each in changes if each.texts and each.problem is None} if write else {}
        )
        problems = write_models(self.project.root, written) if written else {}
        problems.update({each.modular: each.problem for each in changes if each.problem is not None})
        files: list[FileReport] = []
        for result, change in zip(results, changes, strict=True):
            files += self._files(result, change, write, converting, result.modular in problems)
        now_fresh = {file.path for file in files if file.status is Status.WRITTEN}
        found = [
            *self.selection.problems,
            *orphans,
            *problems.values(),
            *(each for result in results for each in result.diagnostics),
        ]
        return Report(
            self.project.root,
            tuple(sorted(files, key=lambda each: (each.path, each.modular))),
            tuple(by_place(self.project.settings.lint.apply(found, self.strict))),
            {result.modular: stale for result in results if (stale := self._stale_parents(result, now_fresh))},
            {each.modular: LineCounts(each.source_lines, each.output_lines) for each in results if not each.failed},
            self.engine,
            self.selection.left_out,
            has_unknown_targets=self.has_unknown_targets,
        )

    def _change(self, result: Result, with_diffs: bool) -> _Change:
        """What is to be written for a model."""
        disk = self.engine.fingerprints.disk
        differing = sorted(path for path, output in result.outputs.items() if disk(path) != output)
        outside = next((path for path in result.outputs if self.project.leads_out(path)), None)
        problem = outside_root(outside) if outside is not None else self._guards.first(differing)
        if problem is not None:
            return _Change(result.modular, {}, {}, problem)
        texts = {path: self.engine.text(result.modular, path) for path in differing}
        diffs = {path: self._diff(path, text) for path, text in texts.items()} if with_diffs else {}
        return _Change(result.modular, texts, diffs)

    def _files(self, result: Result, change: _Change, write: bool, converting: bool, failed: bool) -> list[FileReport]:
        if change.problem is not None and change.problem.code is Problem.CANNOT_WRITE:
            return [FileReport(path, result.modular, Status.ERROR) for path in result.outputs]
        if result.failed or change.problem is not None:
            return [FileReport(result.modular, result.modular, Status.ERROR)]
        return [
            FileReport(
                path,
                result.modular,
                self._status(path, path in change.texts, write, converting, failed),
                change.diffs.get(path, Diff()),
            )
            for path in result.outputs
        ]

    def _status(self, path: str, differs: bool, write: bool, converting: bool, failed: bool) -> Status:
        if not differs:
            return Status.UNCHANGED if converting else Status.IDENTICAL
        if failed:
            return Status.ERROR
        if write:
            return Status.WRITTEN
        return Status.MISSING if self.engine.fingerprints.disk(path) is None else Status.STALE

    def _diff(self, path: str, text: str) -> Diff:
        try:
            with open_ordinary(self.project.root / path) as file:
                old = file.read(MOST_COMPARED).decode(errors="replace")
        except OSError:
            old = ""
        return compare(old, text)

    def _stale_parents(self, result: Result, written: AbstractSet[str]) -> tuple[str, ...]:
        """The parent files that are stale on disk, and have not been written now."""
        return tuple(sorted(path for path in result.reads if path in self.engine.fresh and path not in written))
