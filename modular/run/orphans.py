"""Orphans: files whose banner names a modular file that is gone, or that does not make them any more."""

import os
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from modular.cache.result_cache import Result
from modular.project.project import Project
from modular.rules.files import file_types
from modular.source.diagnostics import Diagnostic, Place, Problem


_DEPTH = 2
"""Models are in folders of a models folder, or in folders of these."""


@dataclass(frozen=True)
class OrphanSearch:
    """Looks for orphans: all, or those that some modular files have made or that some paths name."""

    project: Project
    results: Mapping[str, Result]
    is_whole: bool
    changed: Collection[str] = ()

    def find(self) -> list[Diagnostic]:
        """Return a diagnostic for each orphan. Nothing is known of a model that is in error."""
        pattern = _pattern(self.project.settings.banner)
        return [] if pattern is None else sorted(self._orphans(pattern), key=lambda orphan: orphan.place.path)

    def _orphans(self, pattern: re.Pattern[str]) -> Iterator[Diagnostic]:
        made = {path for result in self.results.values() for path in result.outputs}
        for folder in self._folders:
            for path in self._model_files(folder):
                if path not in made and (match := pattern.match(self._head(path))) is not None:
                    yield from self._judged(path, match["path"], match.string.count("\n", 0, match.start("path")) + 1)

    def _judged(self, path: str, modular: str, line: int) -> Iterator[Diagnostic]:
        """Say what is wrong with a generated file that nothing known has made."""
        if modular in self.project.modular_files:
            result = self.results.get(modular)
            if result is None or result.failed:
                return
            message = f"`{modular}` does not make this file any more"
        elif self.is_whole or modular in self.changed or path in self.changed:
            message = f"`{modular}`, which this file was generated from, is gone"
        else:
            return
        hint = "`modular check --fix --remove-orphans` removes it; to keep it, remove the banner"
        yield Diagnostic(Problem.ORPHAN, Place(path, line), message, hint, Place(modular))

    @cached_property
    def _folders(self) -> list[str]:
        """The folders to look in."""
        if self.is_whole:
            tops = [*self.project.models_folders, *filter(None, [self.project.settings.output])]
            return sorted({folder for top in tops for folder in self._below(top, _DEPTH)})
        of_outputs = {self.project.output_folder(path) for path in (*self.results, *self.changed)}
        return sorted(of_outputs | {str(PurePosixPath(path).parent) for path in self.changed})

    def _below(self, folder: str, depth: int) -> Iterator[str]:
        with suppress(OSError), os.scandir(self.project.root / folder) as entries:
            for entry in entries:
                if "." not in entry.name and entry.name.isprintable() and entry.is_dir(follow_symlinks=False):
                    yield f"{folder}/{entry.name}"
                    if depth > 1:
                        yield from self._below(f"{folder}/{entry.name}", depth - 1)

    def _model_files(self, folder: str) -> Iterator[str]:
        """The files of a folder that are named like model files."""
        with suppress(OSError), os.scandir(self.project.root / folder) as entries:
            for entry in entries:
                stem, dot, ending = entry.name.rpartition(".")
                if ending == "py" and entry.name.isprintable() and file_types.of_file(stem, self.project.settings):
                    yield f"{folder}/{entry.name}" if folder != "." else entry.name

    def _head(self, path: str) -> str:
        """The beginning of a file, in which a banner appears; nothing if it is not a regular file of the project."""
        place = self.project.locate(path)
        with suppress(OSError):
            if place.is_file() and not self.project.leads_out(path):
                with open(place, encoding="utf-8", errors="replace") as file:
                    return file.read(len(self.project.settings.banner) + _LONGEST_PATH)
        return ""


_LONGEST_PATH = 500


def _pattern(banner: str) -> re.Pattern[str] | None:
    """What a banner looks like up to the modular file that it names; None if it names none."""
    before, placeholder, after = banner.partition("{path}")
    if not placeholder:
        return None
    rest = after.partition("\n")[0].partition("{")[0]
    return re.compile(rf"\s*{re.escape(before.lstrip())}(?P<path>[^\n]{{1,{_LONGEST_PATH}}}?\.py){re.escape(rest)}")
