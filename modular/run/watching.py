"""Watches a project and converts the models that saved files affect."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from watchfiles import DefaultFilter, watch

from modular.run import api
from modular.run.api import Options, Report, Status
from modular.run.options import Progress
from modular.system.errors import ModularError
from modular.system.leftovers import STAGED_SUFFIX


_COLLECTING_MS = 300
"""Time in which changes are collected before they are converted, in milliseconds."""

_WAITING_MS = 500
"""Time after which the watch looks whether it should end, in milliseconds."""


class Watcher:
    """Converts the models of some targets, and again whenever a save affects them."""

    def __init__(self, targets: Sequence[str], options: Options) -> None:
        """Create a watcher.

        Args:
            targets: Targets as of `modular.run.api.convert`.
            options: Options of the runs.

        Raises:
            modular.settings.settings.SettingsError: The settings are invalid.
        """
        self._root = options.open(targets).root
        self._targets = targets
        self._options = replace(options, root=self._root)
        # The files that were saved since the last conversion without an error.
        self._saved: set[Path] = set()
        self._generated: set[Path] = set()

    def convert_all(self, progress: Progress | None = None) -> Report:
        """Convert all models of the targets, as the first step.

        Raises:
            modular.settings.settings.SettingsError: The settings are invalid.
            modular.system.ruff.FormatterError: The formatter cannot be run.
        """
        return self._convert(replace(self._options, progress=progress))

    def steps(self) -> Iterator[Report | ModularError]:
        """Wait for changes below the root, and convert what they affect, for ever.

        Yields:
            The result of each step that converted something.
        """
        staged_files = re.escape(STAGED_SUFFIX) + "$"
        patterns = (*DefaultFilter.ignore_entity_patterns, staged_files)
        batches = watch(
            self._root,
            watch_filter=DefaultFilter(ignore_entity_patterns=patterns),
            debounce=_COLLECTING_MS,
            rust_timeout=_WAITING_MS,
            yield_on_timeout=True,
            ignore_permission_denied=True,
        )
        # Files may have been saved before the watch began.
        next(batches)
        report = self._convert(replace(self._options, diffs=True))
        if report.count(Status.WRITTEN):
            yield report
        for changes in batches:
            result = self.convert_changes(path for _, path in changes)
            if result is not None:
                yield result

    def convert_changes(self, paths: Iterable[str]) -> Report | ModularError | None:
        """Convert the models that saved files affect.

        Args:
            paths: The absolute paths of files that were created, saved or deleted.

        Returns:
            The report. It is an error if the settings are invalid or the formatter
            cannot be run; the next call tries these files again. It is None if no model
            is affected.
        """
        self._saved.update(map(Path, paths))
        # The files that the watcher itself writes do not count as changes.
        self._saved -= self._generated
        if not self._saved:
            return None
        saved_files = sorted(map(str, self._saved))
        options = replace(self._options, affected_by=saved_files, diffs=True)
        try:
            report = self._convert(options)
        except ModularError as error:
            return error
        self._saved.clear()
        return report if report.files or report.diagnostics else None

    def _convert(self, options: Options) -> Report:
        """Convert, and remember which files are generated: they are not watched."""
        report = api.convert(self._targets, options=options)
        for counts in report.lines.values():
            self._generated.update(self._root / path for path in counts.generated)
        return report
