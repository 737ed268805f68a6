"""Watches a project: converts again what is affected by what was saved. Generated files are not among what is watched."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from watchfiles import watch

from modular.cache.inputs import Inputs
from modular.cache.result_cache import digest
from modular.rules.settings import SettingsError
from modular.run import api
from modular.run.api import Options, Report
from modular.run.batches import Progress
from modular.source.loading import LARGEST
from modular.source.system.reading import read_bytes
from modular.source.system.ruff import FormatterError


_FIRST_LOOK = 500
"""Milliseconds after which whoever waits looks for what was saved before."""


@dataclass(frozen=True, slots=True)
class Step:
    """What was saved, as paths relative to the root, and what came of it: a report, or what kept it from being converted.

    In the first step nothing was saved, and everything is converted.
    """

    saved: tuple[str, ...] = ()
    report: Report | None = None
    problem: str = ""


class Watcher:
    """Converts the models of some targets, and again those that what was saved can affect."""

    def __init__(self, targets: Sequence[str], options: Options) -> None:
        """Raises `settings.SettingsError`."""
        self._root = options.open().root
        self._targets = targets
        self._options = replace(options, root=self._root)
        self._digests: dict[str, str] = {}
        self._changed: set[str] = set()
        self._generated: dict[str, frozenset[str]] = {}

    def start(self, progress: Progress | None = None) -> Step:
        """Convert everything. Raises `settings.SettingsError` and `ruff.FormatterError`."""
        self._digests = self._digest(self._inputs())
        return Step(report=self._convert(None, progress))

    def changes(self, interval: float) -> Iterator[set[str]]:
        """Wait for changes below the root for ever; yield the paths, relative to it, that changed within ``interval`` seconds.

        The root itself comes first: anything may have changed before anybody waited.
        """
        paths = {"."}
        for changes in watch(
            self._root,
            debounce=max(1, int(interval * 1000)),
            rust_timeout=_FIRST_LOOK,
            yield_on_timeout=True,
            ignore_permission_denied=True,
        ):
            places = (Path(place) for _, place in changes)
            paths |= {place.relative_to(self._root).as_posix() for place in places if place.is_relative_to(self._root)}
            if paths:
                yield paths
            paths = set()

    def step(self, changed: Collection[str]) -> Step | None:
        """Convert what is affected by changes of files and folders, relative to the root; return None if that is nothing.

        What is wrong with the settings or the formatter is reported; when it is mended, these changes count still.
        """
        self._changed.update(changed)
        try:
            digests = self._digest(self._inputs())
            saved = self._saved(digests)
            report = self._convert(saved) if saved else None
        except (SettingsError, FormatterError) as error:
            return Step(problem=str(error))
        self._digests = digests
        self._changed = set()
        return Step(saved, report) if report is not None and (report.files or report.diagnostics) else None

    def _inputs(self) -> set[str]:
        """The files below the root that decide what is generated, whether they are there or not."""
        project = self._options.open()
        found = Inputs(project).all.difference(*self._generated.values())
        return {path for path in found if project.locate(path).is_relative_to(self._root)}

    def _digest(self, inputs: Collection[str]) -> dict[str, str]:
        """The digests of those inputs that can be read; those that nothing has changed are not read again."""
        found = {}
        for path in inputs:
            if path in self._digests and not self._is_changed(path):
                found[path] = self._digests[path]
                continue
            with suppress(OSError):
                found[path] = digest(read_bytes(self._root / path, LARGEST))
        return found

    def _is_changed(self, path: str) -> bool:
        """Whether a file, or a folder that it is in, is among those that changed."""
        return path in self._changed or any(str(folder) in self._changed for folder in PurePosixPath(path).parents)

    def _saved(self, digests: dict[str, str]) -> tuple[str, ...]:
        """The files that came, went or got another text since the last conversion."""
        changed = {path for path, _ in self._digests.items() ^ digests.items()}
        return tuple(sorted(changed.difference(*self._generated.values())))

    def _convert(self, saved: Sequence[str] | None, progress: Progress | None = None) -> Report:
        affected_by = None if saved is None else [str(self._root / path) for path in saved]
        options = replace(self._options, affected_by=affected_by, progress=progress, diffs=saved is not None)
        report = api.convert(self._targets, options=options)
        for modular, lines in report.lines.items():
            self._generated[modular] = frozenset(lines.generated)
        return report
