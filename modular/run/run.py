"""One run: select models, convert them, compare what came of them with the disk and, if asked, write it."""

import os
from collections.abc import Iterable, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import cached_property

from modular.cache.fingerprints import MOST_COMPARED
from modular.cache.inputs import affected
from modular.project.project import Project
from modular.run.engine import Engine
from modular.run.options import Options
from modular.run.orphans import find_orphans
from modular.run.report import FileReport, LineCounts, Report, Status
from modular.run.selection import Selection, select
from modular.run.writing import BusyError, exclusive, write_model
from modular.source.diagnostics import Diagnostic, Place, Problem, by_place
from modular.source.diffs import Diff, compare
from modular.system.reading import open_ordinary
from modular.system.writing import clear_staged


class Run:
    """One run over some targets."""

    def __init__(
        self, project: Project, options: Options, targets: Sequence[str]
    ) -> None:
        self.project = project
        self.options = options
        self.changed = options.changed(project)
        self.is_whole = (
            not targets
            and self.changed is None
            and (options.shard is None or options.shard.index == 1)
        )
        self.selection = self._select(targets)
        self.has_unknown_targets = bool(targets and self.selection.problems)
        self.engine = Engine(project, options)
        self._problems: list[Diagnostic] = []

    def _select(self, targets: Sequence[str]) -> Selection:
        selection = select(self.project, targets)
        if self.changed is not None:
            selection = selection.only(affected(self.project, self.changed))
        if self.options.shard is not None:
            selection = replace(
                selection, modulars=self.options.shard.take(selection.modulars)
            )
        return selection

    def report(
        self, *, write: bool, converting: bool, remove_orphans: bool = False
    ) -> Report:
        """Convert, compare and, if asked, write, which nobody else does meanwhile; to convert looks for no orphans."""
        try:
            with exclusive(self.project.root) if write else nullcontext():
                return self._report(write, converting, remove_orphans)
        except BusyError as error:
            return Report(
                self.project.root,
                (),
                (error.problem,),
                {},
                {},
                self.engine,
                self.selection.left_out,
            )

    def _report(self, write: bool, converting: bool, remove_orphans: bool) -> Report:
        modulars = self.selection.modulars
        if write:
            clear_staged(
                self.project.root,
                sorted({self.project.output_folder(modular) for modular in modulars}),
            )
        self.engine.run(modulars)
        files = [
            file
            for modular in modulars
            for file in self._compared(modular, write, converting)
        ]
        results = {modular: self.engine.results[modular] for modular in modulars}
        if not converting:
            orphans = find_orphans(
                self.project,
                results,
                is_whole=self.is_whole,
                changed=self.changed or (),
            )
            files += filter(None, map(self._removed, orphans)) if remove_orphans else ()
            self._problems += () if remove_orphans else orphans
        written = {file.path for file in files if file.status is Status.WRITTEN}
        stale = self.engine.fresh.keys() - written
        found = [
            diagnostic
            for result in results.values()
            for diagnostic in result.diagnostics
        ]
        diagnostics = self.project.settings.lint.apply(
            [*found, *self.selection.problems, *self._problems], self.options.strict
        )
        return Report(
            self.project.root,
            tuple(sorted(files, key=lambda file: (file.path, file.modular))),
            tuple(by_place(diagnostics)),
            {
                name: tuple(sorted(seen))
                for name, result in results.items()
                if (seen := stale & result.reads.keys())
            },
            {
                name: LineCounts(
                    result.source_lines,
                    {path: text.count("\n") for path, text in result.texts.items()},
                )
                for name, result in results.items()
                if not result.failed
            },
            self.engine,
            self.selection.left_out,
            has_unknown_targets=self.has_unknown_targets,
        )

    def _compared(
        self, modular: str, write: bool, converting: bool
    ) -> list[FileReport]:
        """Compare the files of a model with the disk and, if asked, write those that differ."""
        result = self.engine.results[modular]
        disk = self.engine.fingerprints.disk
        differing = sorted(
            path for path, output in result.outputs.items() if disk(path) != output
        )
        problem = self._guarded(differing)
        if result.failed or problem is not None:
            self._problems += filter(None, [problem])
            is_in_the_way = problem is not None and problem.code is Problem.CANNOT_WRITE
            paths = result.outputs if is_in_the_way else [modular]
            return [FileReport(path, modular, Status.ERROR) for path in paths]
        texts = {path: result.texts[path] for path in differing}
        has_diffs = self.options.diffs or not (write and converting)
        diffs = {
            path: self._diff(path, text) for path, text in texts.items() if has_diffs
        }
        unwritten = write_model(self.project.root, texts) if write and texts else None
        self._problems += filter(None, [unwritten])

        def status(path: str) -> Status:
            if path not in texts:
                return Status.UNCHANGED if converting else Status.IDENTICAL
            if write:
                return Status.WRITTEN if unwritten is None else Status.ERROR
            return Status.MISSING if disk(path) is None else Status.STALE

        return [
            FileReport(path, modular, status(path), diffs.get(path, Diff()))
            for path in result.outputs
        ]

    def _diff(self, path: str, text: str) -> Diff:
        old = ""
        with suppress(OSError), open_ordinary(self.project.root / path) as file:
            old = file.read(MOST_COMPARED).decode(errors="replace")
        return compare(old, text)

    def _removed(self, orphan: Diagnostic) -> FileReport | None:
        """Remove an orphan, and report that."""
        path = orphan.place.path
        try:
            os.unlink(self.project.root / path)
        except OSError as error:
            message = f"cannot be removed: {error.strerror or error}"
            self._problems.append(
                Diagnostic(
                    Problem.CANNOT_WRITE, Place(path), message, "remove it by hand"
                )
            )
            return None
        return FileReport(
            path, orphan.related.path if orphan.related else path, Status.REMOVED
        )

    def _guarded(self, differing: Iterable[str]) -> Diagnostic | None:
        """Why files that are not on disk as they should be are not ours to compare and write; None where they are."""
        for path in differing:
            if self.project.leads_out(path):
                hint = "remove the link, or generate into a folder below the root"
                return Diagnostic(
                    Problem.OUTSIDE_ROOT,
                    Place(path),
                    "the file leads out of the project's root",
                    hint,
                )
            if obstacle := self._obstacle(path) or self._source_at(path):
                hint = "nothing of this model was changed: remove it, or let it be read"
                return Diagnostic(
                    Problem.CANNOT_WRITE,
                    Place(path),
                    f"cannot be written: {obstacle}",
                    hint,
                )
        return None

    def _obstacle(self, path: str) -> str:
        """What at the path of a generated file can neither be compared nor replaced. A link is, whatever it leads to."""
        place = self.project.locate(path)
        if (
            self.engine.fingerprints.disk(path) is not None
            or os.path.islink(place)
            or not os.path.exists(place)
        ):
            return ""
        if not os.path.isfile(place):
            return (
                "the path is a directory"
                if os.path.isdir(place)
                else "the path is not a regular file"
            )
        try:
            open_ordinary(place).close()
        except OSError as error:
            return f"the file cannot be read: {error.strerror}"
        return ""

    def _source_at(self, path: str) -> str:
        """The source that a generated file would replace because links give it another path, too."""
        folder, name = os.path.split(path)
        real = os.path.join(os.path.realpath(self.project.root / folder), name)
        source = self._linked_sources.get(real) or self._hand_written(path, real)
        return (
            source
            and f"symlink to the source file `{source}`; writing would overwrite it"
        )

    @cached_property
    def _linked_sources(self) -> dict[str, str]:
        """The sources that are elsewhere than their paths say, by where they are."""
        results = self.engine.results.values()
        read = {path for result in results for path in (result.modular, *result.reads)}
        made = {path for result in results for path in result.outputs}
        sources = read.union(self.project.modular_files) - made
        places = {path: self.project.locate(path) for path in sources}
        real = {path: os.path.realpath(place) for path, place in places.items()}
        return {
            place: path for path, place in real.items() if place != str(places[path])
        }

    def _hand_written(self, path: str, real: str) -> str:
        """The file of a models folder that a generated one would replace, if an output folder leads into it."""
        if self.project.settings.output and os.path.lexists(real):
            for models in self.project.models_folders:
                inside = os.path.relpath(
                    real, os.path.realpath(self.project.root / models)
                )
                if not inside.startswith("..") and not path.startswith(f"{models}/"):
                    return f"{models}/{inside}"
        return ""
