"""Watches a project: converts again what is affected by what was saved. Generated files are not among what is watched."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from watchfiles import watch

from modular.cache.fingerprints import Fingerprints
from modular.run import api
from modular.run.api import Options, Report
from modular.run.batches import Progress
from modular.system.errors import ModularError


_FIRST_LOOK = 500
"""Milliseconds after which whoever waits looks for what was saved before."""


class Watcher:
    """Converts the models of some targets, and again those that what was saved can affect."""

    def __init__(self, targets: Sequence[str], options: Options) -> None:
        """Raises `settings.SettingsError`."""
        self._root = options.open(targets).root
        self._targets = targets
        self._options = replace(options, root=self._root)
        self._digests: dict[str, str] = {}
        self._generated: set[str] = set()

    def start(self, progress: Progress | None = None) -> Report:
        """Convert everything. Raises `settings.SettingsError` and `ruff.FormatterError`."""
        self._digests = self._read()
        return self._convert(None, progress)

    def steps(self, interval: float) -> Iterator[Report | ModularError]:
        """Wait for changes below the root for ever; yield what came of those within ``interval`` seconds that matter.

        Anything may have changed before anybody waited, so one step is made at once.
        """
        waiting = watch(
            self._root,
            debounce=max(1, int(interval * 1000)),
            rust_timeout=_FIRST_LOOK,
            yield_on_timeout=True,
            ignore_permission_denied=True,
        )
        for number, changes in enumerate(waiting):
            if (changes or not number) and (step := self.step()) is not None:
                yield step

    def step(self) -> Report | ModularError | None:
        """Convert what is affected by what was saved since the last step; return None if that is nothing.

        What is wrong with the settings or the formatter is returned; when it is mended, what was saved before counts still.
        """
        try:
            digests = self._read()
            changed = {
                path for path, _ in self._digests.items() ^ digests.items()
            } - self._generated
            report = self._convert(sorted(changed)) if changed else None
        except ModularError as error:
            return error
        self._digests = digests
        return (
            report
            if report is not None and (report.files or report.diagnostics)
            else None
        )

    def _read(self) -> dict[str, str]:
        """The digests of the files below the root that decide what is generated, by path."""
        project = self._options.open()
        fingerprints = Fingerprints(project)
        paths = fingerprints.inputs.all - self._generated
        digests = {
            path: fingerprints.digest(path)
            for path in paths
            if project.locate(path).is_relative_to(self._root)
        }
        return {path: digest for path, digest in digests.items() if digest is not None}

    def _convert(
        self, saved: Sequence[str] | None, progress: Progress | None = None
    ) -> Report:
        affected_by = (
            None if saved is None else [str(self._root / path) for path in saved]
        )
        options = replace(
            self._options,
            affected_by=affected_by,
            progress=progress,
            diffs=saved is not None,
        )
        report = api.convert(self._targets, options=options)
        self._generated.update(
            path for lines in report.lines.values() for path in lines.generated
        )
        return report
