"""What the commands, the hooks and other tools call: `convert`, `check` and `trace`. Nothing here prints."""

import difflib
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from modular.project.project import Project, find_root, model_name, open_project
from modular.rules.settings import MODELING, SettingsError
from modular.run.changes import changed_since
from modular.run.engine import Engine, Progress, Result
from modular.run.fingerprints import MOST_COMPARED
from modular.run.locking import BusyError, exclusive
from modular.run.obstacles import Obstacles, outside_root
from modular.run.result_cache import Cache, folder
from modular.run.selection import Selection, relative_to_root, select
from modular.run.sharding import Shard
from modular.run.writing import clear_leftovers, write_models
from modular.source.diagnostics import Diagnostic, Place, Problem, by_place, has_errors
from modular.source.reading import open_ordinary


if TYPE_CHECKING:
    from modular.conversion.converter import Conversion
    from modular.run.known import Key


class Status(str, Enum):
    """How a generated file stands to what its modular file says."""

    IDENTICAL = "identical"
    STALE = "stale"
    MISSING = "missing"
    WRITTEN = "written"
    UNCHANGED = "unchanged"
    REMOVED = "removed"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class FileReport:
    """One generated file: its path and its modular file's, relative to the root, and how it stands.

    ``diff`` is the unified diff from what is on disk to what the modular file says; it is empty where they are the same.
    A modular file with errors is reported once, under its own path.
    """

    path: str
    modular: str
    status: Status
    diff: str = ""


@dataclass(frozen=True, slots=True)
class Lines:
    """How many lines a modular file has, and each of the files generated from it, by path."""

    modular: int
    generated: Mapping[str, int]


@dataclass(frozen=True)
class Report:
    """What a run found and did.

    ``stale_parents`` names, for a model, the parent files that were stale or missing on disk and were taken fresh.
    ``lines`` has each modular file without errors. ``reads`` are, for each generated file, all files that were read for
    it, and where these are generated, those that were read for them. ``left_out`` counts the models that were not looked
    at because nothing that changed affects them; ``known`` counts findings that are not reported because they were there
    before.
    """

    root: Path
    files: tuple[FileReport, ...]
    diagnostics: tuple[Diagnostic, ...]
    stale_parents: Mapping[str, tuple[str, ...]]
    lines: Mapping[str, Lines]
    reads: Mapping[str, tuple[str, ...]]
    left_out: int = 0
    known: int = 0

    @property
    def has_errors(self) -> bool:
        """Whether a model could not be converted, or a warning counts as an error."""
        return has_errors(self.diagnostics)

    @property
    def is_clean(self) -> bool:
        """Whether there is no error, and no file that is stale or missing."""
        return not self.has_errors and not any(each.status in (Status.STALE, Status.MISSING) for each in self.files)

    @property
    def modular_lines(self) -> int:
        """The lines of all modular files together."""
        return sum(each.modular for each in self.lines.values())

    @property
    def generated_lines(self) -> int:
        """The lines of all generated files together."""
        return sum(sum(each.generated.values()) for each in self.lines.values())

    def count(self, status: Status) -> int:
        """How many files have a status."""
        return sum(each.status is status for each in self.files)


@dataclass(frozen=True, slots=True)
class Options:
    """What all runs share.

    ``root`` None: found from the current folder upwards. ``output`` None: as the settings say. ``jobs`` None: one for each
    processor. ``cache`` False: nothing is taken from earlier runs. ``shard``: the part of the models to take.
    ``source_library``: the name or folder of the library that parent files come from; None: as the settings say. ``since``:
    a commit, and ``affected_by``: files; only models that what differs from the commit, or the files, can affect are taken,
    and of a commit only what was not so there is reported. ``strict``: all warnings count as errors. ``baseline``: a file
    of findings that are known, and not reported. ``diffs``: those of files that `convert` writes are in the report, too.
    """

    root: str | os.PathLike[str] | None = None
    output: str | None = None
    jobs: int | None = None
    cache: bool = True
    shard: Shard | None = None
    progress: Progress | None = None
    source_library: str | None = None
    since: str | None = None
    affected_by: Sequence[str] | None = None
    strict: bool = False
    baseline: str | os.PathLike[str] | None = None
    diffs: bool = False

    def open(self) -> Project:
        """Return the project. Raises `settings.SettingsError`."""
        root = self.root if self.root is not None else find_root(Path.cwd())
        return open_project(root, self.output, self.source_library)

    def changed(self, project: Project) -> set[str] | None:
        """Return the paths, relative to the root, that decide which models are taken; None: all models are.

        Raises `changes.ChangesError`.
        """
        if self.since is None and self.affected_by is None:
            return None
        given = (relative_to_root(project, path) for path in self.affected_by or ())
        found = {path for path in given if path is not None}
        return found if self.since is None else found.union(changed_since(project.root, self.since))


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


@dataclass(frozen=True, slots=True)
class _Change:
    """The files of a model that differ from the disk, with their diffs if they are shown, or why they are none of ours."""

    modular: str
    texts: Mapping[str, str]
    diffs: Mapping[str, str]
    problem: Diagnostic | None = None


def _run(
    options: Options, targets: Sequence[str], *, write: bool, converting: bool, remove_orphans: bool = False
) -> Report:
    """Run, and leave out of the report what is known already."""
    from modular.run import known

    project = options.open()
    baseline = None if options.baseline is None else known.read_baseline(options.baseline)
    run = _Run(project, options, targets)
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
            run = _Run(earlier, Options(jobs=options.jobs, cache=options.cache), ())
            run.selection = run.selection.only(modulars)
            return known.findings(run.report(write=False, converting=False))
    except SettingsError:
        return Counter()


class _Run:
    """One run over some targets."""

    def __init__(self, project: Project, options: Options, targets: Sequence[str]) -> None:
        self.project = project
        self.strict = options.strict
        self.diffs = options.diffs
        self.changed = options.changed(project)
        self.is_whole = not targets and self.changed is None and (options.shard is None or options.shard.index == 1)
        self.selection = self._select(options, targets)
        self.cache = Cache(folder()) if options.cache else None
        self.engine = Engine(self.project, self.cache, options.jobs, options.progress)
        self._obstacles = Obstacles(self.project, self.engine)

    def _select(self, options: Options, targets: Sequence[str]) -> Selection:
        selection = select(self.project, targets)
        if self.changed is not None:
            from modular.run.affected import affected

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
        finally:
            if self.cache is not None:
                self.cache.close()

    def _write(self, converting: bool, remove_orphans: bool) -> Report:
        """Convert, and write with nobody else writing."""
        outputs = (self.project.output_path(modular, MODELING) for modular in self.selection.modulars)
        clear_leftovers(self.project.root, sorted({str(PurePosixPath(path).parent) for path in outputs}))
        self.engine.run(self.selection.modulars)
        orphans = self._orphans(converting)
        report = self._report(True, converting, () if remove_orphans else orphans)
        return self._without(orphans, report) if remove_orphans else report

    def _orphans(self, converting: bool) -> Sequence[Diagnostic]:
        """The files that no modular file makes any more; to convert does not look for them."""
        if converting:
            return ()
        from modular.run.orphans import Scope

        results = {modular: self.engine.results[modular] for modular in self.selection.modulars}
        return Scope(self.project, results, self.is_whole, self.changed or ()).find()

    def _without(self, orphans: Sequence[Diagnostic], report: Report) -> Report:
        """Remove orphans, and report that."""
        files, problems = list(report.files), list(report.diagnostics)
        for each in orphans:
            path = each.place.path
            try:
                os.unlink(self.project.root / path)
                files.append(FileReport(path, each.related.path if each.related else path, Status.REMOVED))
            except OSError as error:
                message = f"cannot be removed: {error.strerror or error}"
                problems.append(Diagnostic(Problem.CANNOT_WRITE, Place(path), message, "remove it by hand"))
        files.sort(key=lambda file: (file.path, file.modular))
        return replace(report, files=tuple(files), diagnostics=tuple(by_place(problems)))

    def _busy(self, error: BusyError) -> Report:
        problem = Diagnostic(
            Problem.CANNOT_WRITE, Place("."), str(error), "wait for it to end, or end it; nothing was changed"
        )
        return Report(self.project.root, (), (problem,), {}, {}, {}, self.selection.left_out)

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
            {result.modular: stale for result in results if (stale := self._stale_parents(result))},
            {each.modular: Lines(each.source_lines, each.output_lines) for each in results if not each.failed},
            {path: tuple(sorted(self._read_for(result))) for result in results for path in result.outputs},
            self.selection.left_out,
        )

    def _change(self, result: Result, with_diffs: bool) -> "_Change":
        """What is to be written for a model."""
        disk = self.engine.fingerprints.disk
        differing = sorted(path for path, output in result.outputs.items() if disk(path) != output)
        outside = next((path for path in result.outputs if self.project.leads_out(path)), None)
        problem = outside_root(outside) if outside is not None else self._obstacles.first(differing)
        if problem is not None:
            return _Change(result.modular, {}, {}, problem)
        texts = {path: self.engine.text(result.modular, path) for path in differing}
        diffs = {path: self._diff(path, text) for path, text in texts.items()} if with_diffs else {}
        return _Change(result.modular, texts, diffs)

    def _files(
        self, result: Result, change: "_Change", write: bool, converting: bool, failed: bool
    ) -> list[FileReport]:
        if change.problem is not None and change.problem.code is Problem.CANNOT_WRITE:
            return [FileReport(path, result.modular, Status.ERROR) for path in result.outputs]
        if result.failed or change.problem is not None:
            return [FileReport(result.modular, result.modular, Status.ERROR)]
        return [
            FileReport(
                path,
                result.modular,
                self._status(path, path in change.texts, write, converting, failed),
                change.diffs.get(path, ""),
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

    def _diff(self, path: str, text: str) -> str:
        try:
            with open_ordinary(self.project.root / path) as file:
                old = file.read(MOST_COMPARED).decode(errors="replace")
        except OSError:
            old = ""
        lines = difflib.unified_diff(
            old.splitlines(keepends=True), text.splitlines(keepends=True), f"a/{path}", f"b/{path}"
        )
        return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)

    def _stale_parents(self, result: Result) -> tuple[str, ...]:
        return tuple(sorted(path for path in result.reads if path in self.engine.fresh))

    def _read_for(self, result: Result) -> set[str]:
        """Every file that was read for a model's files, and for the generated ones among them."""
        found = {result.modular, *self.project.name_files}
        waiting = [result]
        while waiting:
            for path, seen in waiting.pop().reads.items():
                if seen is not None and path not in found:
                    found.add(path)
                    generator = self.engine.results.get(self.project.generator(path) or "")
                    if generator is not None and path in generator.outputs:
                        found.add(generator.modular)
                        waiting.append(generator)
        return found


__all__ = ["FileReport", "Lines", "Options", "Report", "Status", "check", "convert", "model_name", "trace"]
