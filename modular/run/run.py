"""One run: select models, convert them, compare what came of them with the disk and, if asked, write it."""

import os
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from contextlib import nullcontext
from dataclasses import replace

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
        """Convert, compare and, if asked, write, which nobody else does meanwhile; to convert looks for no orphans."""
        try:
            with exclusive(self.project.root) if write else nullcontext():
                if write:
                    folders = {self.project.output_folder(modular) for modular in self.selection.modulars}
                    clear_staged(self.project.root, sorted(folders))
                self.engine.run(self.selection.modulars)
                orphans = () if converting else self._orphans()
                report = self._report(write, converting, () if remove_orphans else orphans)
                return self._without(orphans, report) if remove_orphans else report
        except BusyError as error:
            return Report(self.project.root, (), (error.problem,), {}, {}, self.engine, self.selection.left_out)

    def _orphans(self) -> Sequence[Diagnostic]:
        """The files that no modular file generates any more."""
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
        return replace(report, files=_sorted(files), diagnostics=tuple(by_place(problems)))

    def _report(self, write: bool, converting: bool, orphans: Sequence[Diagnostic]) -> Report:
        results = [self.engine.results[modular] for modular in self.selection.modulars]
        differing = {result.modular: self._differing(result) for result in results}
        guarded = {modular: self._guarded(self.engine.results[modular], differing[modular]) for modular in differing}
        problems = {modular: problem for modular, problem in guarded.items() if problem is not None}
        texts = {
            modular: {path: self.engine.text(modular, path) for path in paths}
            for modular, paths in differing.items()
            if paths and modular not in problems
        }
        has_diffs = self.diffs or not (write and converting)
        diffs = {path: self._diff(path, text) for new in texts.values() for path, text in new.items() if has_diffs}
        unwritten = write_models(self.project.root, texts) if write else {}
        files: list[FileReport] = []
        for result in results:
            if result.failed or result.modular in problems:
                files += self._failed(result, problems.get(result.modular))
                continue
            for path in result.outputs:
                differs = path in differing[result.modular]
                status = self._status(path, differs, write, converting, result.modular in unwritten)
                files.append(FileReport(path, result.modular, status, diffs.get(path, Diff())))
        written = {file.path for file in files if file.status is Status.WRITTEN}
        diagnostics = [diagnostic for result in results for diagnostic in result.diagnostics]
        diagnostics += [*self.selection.problems, *orphans, *problems.values(), *unwritten.values()]
        return Report(
            self.project.root,
            _sorted(files),
            tuple(by_place(self.project.settings.lint.apply(diagnostics, self.strict))),
            {result.modular: stale for result in results if (stale := self._stale_parents(result, written))},
            {
                result.modular: LineCounts(result.source_lines, result.output_lines)
                for result in results
                if not result.failed
            },
            self.engine,
            self.selection.left_out,
            has_unknown_targets=self.has_unknown_targets,
        )

    def _differing(self, result: Result) -> list[str]:
        """The output files of a model that are not on disk as they should be."""
        disk = self.engine.fingerprints.disk
        return sorted(path for path, output in result.outputs.items() if disk(path) != output)

    def _guarded(self, result: Result, differing: Sequence[str]) -> Diagnostic | None:
        """Why the files of a model are not ours to compare and write; None where they are."""
        outside = next((path for path in result.outputs if self.project.leads_out(path)), None)
        return outside_root(outside) if outside is not None else self._guards.first(differing)

    def _failed(self, result: Result, problem: Diagnostic | None) -> list[FileReport]:
        """A model of which nothing is compared: its files where something is in their way, else its modular file."""
        is_in_the_way = problem is not None and problem.code is Problem.CANNOT_WRITE
        paths = result.outputs if is_in_the_way else (result.modular,)
        return [FileReport(path, result.modular, Status.ERROR) for path in paths]

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


def _sorted(files: Iterable[FileReport]) -> tuple[FileReport, ...]:
    return tuple(sorted(files, key=lambda file: (file.path, file.modular)))
