"""Watches a project: says what was saved since it last looked, and converts the models that this can affect."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from modular.cache.inputs import Inputs
from modular.cache.result_cache import digest
from modular.project.project import Project
from modular.rules.settings import SettingsError
from modular.run import api
from modular.run.api import Options, Report
from modular.run.batches import Progress
from modular.source.loading import LARGEST
from modular.source.reading import read_bytes
from modular.source.ruff import FormatterError


@dataclass(frozen=True, slots=True)
class Step:
    """What was saved, as paths relative to the root, and what came of it: a report, or what kept it from being converted.

    In the first step nothing was saved, and everything is converted.
    """

    saved: tuple[str, ...] = ()
    report: Report | None = None
    problem: str = ""


_Stamp = tuple[int, int, int]
"""When a file or folder was changed, how long it is, and which one it is."""


class Watcher:
    """Looks again and again at the files that some targets depend on. Generated files are not among them."""

    def __init__(self, targets: Sequence[str], options: Options) -> None:
        """Raises `settings.SettingsError`."""
        self._root = options.open().root
        self._targets = targets
        self._options = replace(options, root=self._root)
        self._stamps: dict[str, _Stamp | None] = {}
        self._digests: dict[str, str] | None = None
        self._outputs: dict[str, frozenset[str]] = {}

    def step(self, progress: Progress | None = None) -> Step | None:
        """Look once, and convert what is affected by what was saved; return None if that is nothing.

        What is wrong with the settings or the formatter is raised in the first step (`settings.SettingsError`,
        `ruff.FormatterError`), and reported in later ones.
        """
        stamps = self._stamp(self._stamps)
        if stamps == self._stamps and self._digests is not None:
            return None
        self._stamps = stamps
        try:
            return self._look(progress)
        except (SettingsError, FormatterError) as error:
            if self._digests is None:
                raise
            return Step(problem=str(error))

    def _look(self, progress: Progress | None) -> Step | None:
        """Read what is there, and convert what is affected by what is new in it."""
        project = self._options.open()
        inputs = self._inputs(project)
        self._stamps = self._stamp([*inputs, *_folders(project)])
        digests = self._digest(inputs)
        saved = self._saved(digests)
        if saved == ():
            return None
        report = self._convert(saved, progress)
        self._digests = digests
        return Step(saved or (), report) if saved is None or report.files or report.diagnostics else None

    def _inputs(self, project: Project) -> list[str]:
        """The files below the root that decide what is generated, whether they are there or not."""
        found = Inputs(project).all - self._generated()
        return sorted(path for path in found if project.locate(path).is_relative_to(self._root))

    def _generated(self) -> set[str]:
        return {path for paths in self._outputs.values() for path in paths}

    def _stamp(self, paths: Iterable[str]) -> dict[str, _Stamp | None]:
        return {path: _stamp(self._root / path) for path in paths}

    def _digest(self, paths: Iterable[str]) -> dict[str, str]:
        """The digests of those files that can be read."""
        found = {}
        for path in paths:
            with suppress(OSError):
                found[path] = digest(read_bytes(self._root / path, LARGEST))
        return found

    def _saved(self, digests: Mapping[str, str]) -> tuple[str, ...] | None:
        """The files that came, went or changed since the last conversion; None before the first."""
        if self._digests is None:
            return None
        changed = {path for path, _ in self._digests.items() ^ digests.items()}
        return tuple(sorted(changed - self._generated()))

    def _convert(self, saved: Sequence[str] | None, progress: Progress | None) -> Report:
        affected_by = None if saved is None else [str(self._root / path) for path in saved]
        options = replace(self._options, affected_by=affected_by, progress=progress, diffs=saved is not None)
        report = api.convert(self._targets, options=options)
        for modular, lines in report.lines.items():
            self._outputs[modular] = frozenset(lines.generated)
        return report


def _folders(project: Project) -> Iterator[str]:
    """The folders in which a modular file may appear."""
    for models in project.models_folders:
        yield models
        for pattern in ("*/", "*/*/"):
            yield from (
                folder.relative_to(project.root).as_posix() for folder in (project.root / models).glob(pattern)
            )


def _stamp(place: Path) -> _Stamp | None:
    try:
        status = place.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
