"""Runs conversions: in parallel, in an order that gives every model its fresh parents, and formats them in one batch.

Most parents on disk are fresh already. So all models are converted at once against what is on disk; where a result differs
from the disk, the models that read it are converted again against the fresh text, until nothing changes.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from multiprocessing import get_all_start_methods, get_context

from modular import formatting
from modular.cache import Cache, Entry
from modular.diagnostics import Code, Diagnostic, Place, has_errors
from modular.project import Project

_CHUNK = 6
"""Models that a worker takes at a time."""


@dataclass(frozen=True)
class Result:
    """What came of one modular file: the formatted texts of its files by path, what it read, and what was found."""

    modular: str
    files: Mapping[str, str]
    diagnostics: tuple[Diagnostic, ...] = ()
    reads: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether there was an error."""
        return has_errors(self.diagnostics)
