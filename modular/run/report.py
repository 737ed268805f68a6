"""What a run found and did, as values."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from modular.source.diagnostics import Diagnostic, has_errors, render
from modular.source.diffs import Diff
from modular.source.walking import walk


if TYPE_CHECKING:
    from modular.run.engine import Engine


class Status(str, Enum):
    """How a generated file compares to what its modular file says."""

    IDENTICAL = "identical"
    STALE = "stale"
    MISSING = "missing"
    WRITTEN = "written"
    UNCHANGED = "unchanged"
    REMOVED = "removed"
    ERROR = "error"


_DIFFERING = (Status.STALE, Status.MISSING)


@dataclass(frozen=True, slots=True)
class FileReport:
    """One generated file: its path and its modular file's, relative to the root, and how it appears.

    ``difference`` is what differs from what is on disk to what the modular file says. A modular file with errors is
    reported once, under its own path.
    """

    path: str
    modular: str
    status: Status
    difference: Diff = Diff()

    @property
    def diff(self) -> str:
        """The unified diff; empty where nothing differs."""
        return self.difference.text(f"a/{self.path}", f"b/{self.path}")


@dataclass(frozen=True, slots=True)
class LineCounts:
    """How many lines a modular file has, and each of the files generated from it, by path."""

    modular: int
    generated: Mapping[str, int]


@dataclass(frozen=True)
class Report:
    """What a run found and did.

    ``stale_parents`` names, for a model, the parent files that were stale or missing on disk and were taken fresh.
    ``lines`` has each modular file without errors. ``engine`` is what converted: it knows where lines come from.
    ``left_out`` counts the models that were not looked at because nothing that changed affects them; ``known`` counts
    findings that are not reported because they were there before. ``has_unknown_targets``: some targets name nothing, and
    the diagnostics say which.
    """

    root: Path
    files: tuple[FileReport, ...]
    diagnostics: tuple[Diagnostic, ...]
    stale_parents: Mapping[str, tuple[str, ...]]
    lines: Mapping[str, LineCounts]
    engine: "Engine" = field(repr=False, compare=False)
    left_out: int = 0
    known: int = 0
    has_unknown_targets: bool = False

    @cached_property
    def reads(self) -> Mapping[str, tuple[str, ...]]:
        """For each generated file all files that were read for it, and where these are generated, those read for them."""
        results = self.engine.results

        def sources(path: str) -> list[str]:
            """Return the modular file of a generated file, or what was read for a modular file."""
            generator = results.get(self.engine.project.generator(path) or "")
            if generator is not None and path in generator.outputs:
                return [generator.modular]
            read = results[path].reads if path in results else {}
            return [parent for parent, seen in read.items() if seen is not None]

        return {
            path: tuple(sorted(walk([modular], sources)))
            for modular, counts in self.lines.items()
            for path in counts.generated
        }

    @property
    def has_errors(self) -> bool:
        """Whether a model could not be converted, or a warning counts as an error."""
        return has_errors(self.diagnostics)

    @property
    def is_clean(self) -> bool:
        """Whether there is no error, and no file that is stale or missing."""
        return not self.has_errors and not any(file.status in _DIFFERING for file in self.files)

    @property
    def modular_lines(self) -> int:
        """The lines of all modular files together."""
        return sum(line.modular for line in self.lines.values())

    @property
    def generated_lines(self) -> int:
        """The lines of all generated files together."""
        return sum(sum(line.generated.values()) for line in self.lines.values())

    def __str__(self) -> str:
        """What a terminal shows of it: errors and warnings, the files that differ, and the summary."""
        differing = (f"{file.path}: {file.status.value}\n" for file in self.files if file.status in _DIFFERING)
        return f"{render(self.diagnostics)}{''.join(differing)}{self.summary(Status)}"

    def summary(self, statuses: Iterable[Status]) -> str:
        """Return in one line how many files have each of some statuses, and how many lines there are."""
        counts = [f"{self.count(status)} {status.value}" for status in statuses if self.count(status)]
        files = ", ".join(counts) or "no files"
        if not self.generated_lines:
            return files
        ratio = f"x{self.generated_lines / self.modular_lines:.1f}" if self.modular_lines else "x0.0"
        lines = f"{self.modular_lines} line{'s' * (self.modular_lines != 1)} of modular code"
        return f"{files}; {lines}, {self.generated_lines} generated ({ratio})"

    def count(self, status: Status) -> int:
        """How many files have a status."""
        return sum(file.status is status for file in self.files)
