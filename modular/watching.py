"""Watches a project: says what was saved since it last looked, and converts the models that this can affect."""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from modular import api
from modular.affected import parent_paths
from modular.api import Options, Report, Status
from modular.cache import digest
from modular.engine import Progress
from modular.formatting import FormatterError
from modular.mirror import CONFIGS
from modular.naming import configuration_files
from modular.project import Project
from modular.settings import SettingsError


@dataclass(frozen=True, slots=True)
class Step:
    """What was saved, as paths relative to the root, and what came of it: a report, or what kept all from being converted.

    In the first step nothing was saved, and everything is converted.
    """

    saved: tuple[str, ...]
    report: Report | None = None
    problem: str = ""


_Stamp = tuple[int, int, int]
"""When a file was changed, how long it is, and which file it is."""


class Watcher:
    """Looks again and again at the files that some targets depend on. Generated files are not among them.

    Raises `settings.SettingsError` if the project cannot be opened at first.
    """

    def __init__(self, targets: Sequence[str], options: Options) -> None:
        project = options.open()
        self._targets = targets
        self._options = replace(options, root=project.root)
        self._places: tuple[str, ...] = ()
        self._stamps: dict[str, _Stamp | None] | None = None
        self._digests: dict[str, str] | None = None
        self._generated: set[str] = set()

    def step(self, progress: Progress | None = None) -> Step | None:
        """Look once. Convert what was saved can affect; return None if that is nothing."""
        stamps = self._stamp(self._places)
        if stamps == self._stamps:
            return None
        try:
            return self._look(progress)
        except (SettingsError, FormatterError) as error:
            return Step((), problem=str(error))
        finally:
            ...
