"""Watches a project and converts the models that saved files affect."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from watchfiles import watch

from modular.cache.fingerprints import Fingerprints
from modular.run import api
from modular.run.api import Options, Report
from modular.run.options import Progress
from modular.system.errors import ModularError


_COLLECTING_MS = 300
"""Time in which changes are collected before they are converted, in milliseconds."""

_FIRST_CHECK_MS = 500
"""Time after which files are compared for the first time, in milliseconds."""


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
        self._digests: dict[str, str] = {}
        self._generated: set[str] = set()

    def convert_all(self, progress: Progress | None = None) -> Report:
        """Convert all models of the targets, as the first step.

        The digests of their files are remembered. `convert_changes` compares the files
        with them.

        Raises:
            modular.settings.settings.SettingsError: The settings are invalid.
            modular.system.ruff.FormatterError: The formatter cannot be run.
        """
        self._digests = self._read_digests()
        return self._convert(replace(self._options, progress=progress))

    def steps(self) -> Iterator[Report | ModularError]:
        """Wait for changes below the root, and convert what they affect, for ever.

        Yields:
            The result of each step that converted something.
        """
        batches = watch(
            self._root,
            debounce=_COLLECTING_MS,
            rust_timeout=_FIRST_CHECK_MS,
            yield_on_timeout=True,
            ignore_permission_denied=True,
        )
        # Files may have changed before the watch began, so the first step does not
        # wait for a change.
        is_first = True
        for changes in batches:
            if changes or is_first:
                result = self.convert_changes()
                if result is not None:
                    yield result
            is_first = False

    def convert_changes(self) -> Report | ModularError | None:
        """Convert the models affected by changes since the last successful call.

        Returns:
            The report. It is an error if the settings are invalid or the formatter
            cannot be run, and None if no model is affected.
        """
        try:
            digests = self._read_digests()
            report = self._convert_affected(digests)
        except ModularError as error:
            # The digests stay as they were, so the next call tries these changes again.
            return error

        self._digests = digests
        if report is None or not (report.files or report.diagnostics):
            return None
        return report

    def _convert_affected(self, digests: dict[str, str]) -> Report | None:
        """Convert the models that depend on files with new digests, if there are any."""
        # The entries that only one of both mappings has: those of files that were added,
        # removed or edited.
        differences = self._digests.items() ^ digests.items()
        # The watcher's own output does not count as a change.
        changed_paths = {path for path, _ in differences} - self._generated
        if not changed_paths:
            return None
        targets = [str(self._root / path) for path in sorted(changed_paths)]
        return self._convert(replace(self._options, affected_by=targets, diffs=True))

    def _read_digests(self) -> dict[str, str]:
        """Return the digests, by path, of the files that decide what is generated."""
        project = self._options.open()
        fingerprints = Fingerprints(project)
        digests = {}
        for path in fingerprints.inputs.possible_files - self._generated:
            if project.locate(path).is_relative_to(self._root):
                file_digest = fingerprints.digest(path)
                if file_digest is not None:
                    digests[path] = file_digest
        return digests

    def _convert(self, options: Options) -> Report:
        """Convert, and remember which files are generated: they are not watched."""
        report = api.convert(self._targets, options=options)
        for counts in report.lines.values():
            self._generated.update(counts.generated)
        return report
