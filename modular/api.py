"""What the commands, the hooks and other tools call: `convert`, `check` and `trace`. Nothing here prints."""

import difflib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from modular.cache import Cache, folder
from modular.diagnostics import Diagnostic, by_place, has_errors
from modular.engine import Engine, Progress, Result
from modular.project import Project, find_root, model_name, open_project
from modular.selection import Selection, select
from modular.sharding import Shard
from modular.writing import write_files

if TYPE_CHECKING:
    from modular.conversion import Conversion


class Status(str, Enum):
    """How a generated file stands to what its modular file says."""

    IDENTICAL = "identical"
    STALE = "stale"
    MISSING = "missing"
    WRITTEN = "written"
    UNCHANGED = "unchanged"
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


@dataclass(frozen=True)
class Report:
    """What a run found and did.

    ``stale_parents`` names, for a model, the parent files that were stale or missing on disk and were taken fresh. The
    line counts are those of the modular files and of all files generated from them.
    """

    root: Path
    files: tuple[FileReport, ...]
    diagnostics: tuple[Diagnostic, ...]
    stale_parents: Mapping[str, tuple[str, ...]]
    modular_lines: int
    generated_lines: int
    reads: Mapping[str, tuple[str, ...]]

    @property
    def has_errors(self) -> bool:
        """Whether a model could not be converted."""
        return has_errors(self.diagnostics)

    @property
    def is_clean(self) -> bool:
        """Whether there is no error, and no file that is stale or missing."""
        return not self.has_errors and not any(each.status in (Status.STALE, Status.MISSING) for each in self.files)

    def count(self, status: Status) -> int:
        """How many files have a status."""
        return sum(each.status is status for each in self.files)


@dataclass(frozen=True, slots=True)
class Options:
    """What all runs share.

    ``root`` None: found from the current folder upwards. ``output`` None: as the settings say. ``jobs`` None: one for each
    processor. ``cache`` False: nothing is taken from earlier runs. ``shard``: the part of the models to take.
    """

    root: str | os.PathLike[str] | None = None
    output: str | None = None
    jobs: int | None = None
    cache: bool = True
    shard: Shard | None = None
    progress: Progress | None = None

    def open(self) -> Project:
        """Return the project. Raises `settings.SettingsError`."""
        return open_project(self.root if self.root is not None else find_root(Path.cwd()), self.output)


def convert(targets: Sequence[str] = (), *, dry_run: bool = False, options: Options = Options()) -> Report:
    """Convert modular files and write what changes.

    ``targets`` are models' names, modular files or folders; none means the whole project. With ``dry_run`` nothing is
    written and the diffs are given. Raises `settings.SettingsError` and `formatting.FormatterError`.
    """
    return _Run(options, targets).report(write=not dry_run, converting=True)


def check(targets: Sequence[str] = (), *, fix: bool = False, options: Options = Options()) -> Report:
    """Compare generated files with what their modular files say, in memory; with ``fix`` write those that differ.

    Targets and errors are those of `convert`.
    """
    return _Run(options, targets).report(write=fix, converting=False)


def trace(target: str, *, root: str | os.PathLike[str] | None = None) -> "Conversion":
    """Convert one modular file, unformatted, with the origin of every statement: see `conversion.OutputFile.find`.

    Parent files are taken as they are on disk. Raises `settings.SettingsError`, and LookupError if there is no such model.
    """
    from modular.conversion import Converter

    project = Options(root=root).open()
    selection = select(project, [target])
    if len(selection.modulars) != 1:
        raise LookupError(f"{target!r} names no modular file")
    return Converter(project, {}).convert(selection.modulars[0])


class _Run:
    """One run over some targets."""

    def __init__(self, options: Options, targets: Sequence[str]) -> None:
        self.project = options.open()
        self.selection = self._select(options.shard, targets)
        self.cache = Cache(folder()) if options.cache else None
        self.engine = Engine(self.project, self.cache, options.jobs, options.progress)

    def _select(self, shard: Shard | None, targets: Sequence[str]) -> Selection:
        selection = select(self.project, targets)
        return selection if shard is None else Selection(shard.take(selection.modulars), selection.problems)

    def report(self, *, write: bool, converting: bool) -> Report:
        """Convert, compare and, if asked, write."""
        try:
            self.engine.run(self.selection.modulars)
            return self._report(write, converting)
        finally:
            if self.cache is not None:
                self.cache.close()

    def _report(self, write: bool, converting: bool) -> Report:
        results = [self.engine.results[modular] for modular in self.selection.modulars]
        diagnostics = list(self.selection.problems)
        files: list[FileReport] = []
        for result in results:
            diagnostics += result.diagnostics
            files += self._files(result, write, converting, diagnostics)
        return Report(
            self.project.root,
            tuple(sorted(files, key=lambda each: (each.path, each.modular))),
            tuple(by_place(diagnostics)),
            {result.modular: stale for result in results if (stale := self._stale_parents(result))},
            sum(result.source_lines for result in results),
            sum(sum(result.output_lines.values()) for result in results),
            {path: tuple(sorted(self._read_for(result))) for result in results for path in result.outputs},
        )

    def _files(self, result: Result, write: bool, converting: bool, diagnostics: list[Diagnostic]) -> list[FileReport]:
        if result.failed:
            return [FileReport(result.modular, result.modular, Status.ERROR)]
        differing = {path for path, output in result.outputs.items() if self.engine.fingerprints.disk(path) != output}
        texts = {path: self.engine.text(result.modular, path) for path in sorted(differing)}
        diffs = {path: self._diff(path, text) for path, text in texts.items()} if not (write and converting) else {}
        problem = write_files(self.project.root, texts) if write and texts else None
        if problem is not None:
            diagnostics.append(problem)
        return [
            FileReport(path, result.modular, self._status(path, path in differing, write, converting, problem is not None), diffs.get(path, ""))
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
            old = (self.project.root / path).read_text(encoding="utf-8", errors="replace")
        except OSError:
            old = ""
        lines = difflib.unified_diff(
            old.splitlines(keepends=True), text.splitlines(keepends=True), f"a/{path}", f"b/{path}"
        )
        return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)

    def _stale_parents(self, result: Result) -> tuple[str, ...]:
        return tuple(sorted(path for path in result.reads if path in self.engine.overlay))

    def _read_for(self, result: Result) -> set[str]:
        """Every file that was read for a model's files."""
        found = {path for path, seen in result.reads.items() if seen is not None}
        return found | {result.modular, *self.project.name_files}


__all__ = ["FileReport", "Options", "Report", "Status", "check", "convert", "model_name", "trace"]
