"""What a run found and did, as values."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from modular.project.project import model_name
from modular.source.diagnostics import Diagnostic, Problem, by_place, has_errors, render
from modular.source.diffs import Diff
from modular.source.walking import walk
from modular.system.terminal import counted


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


_OF_THE_PARENT = (Problem.NAME_NOT_IN_PARENT, Problem.PARENT_FILE_NOT_FOUND)
"""What is found in every model that inherits from a parent whose names have changed."""

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

    @property
    def differs_only_in_line_ends(self) -> bool:
        """Whether the line ends of Windows are all that differs: a checkout may have put them there."""
        old, new = (
            [line.removesuffix("\r") for line in text]
            for text in (self.difference.old, self.difference.new)
        )
        return bool(self.difference) and old == new


@dataclass(frozen=True, slots=True)
class LineCounts:
    """How many lines a modular file has, and each of the files generated from it, by path."""

    modular: int
    generated: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Saving:
    """The lines of a modular file (or of several) and of all that was generated from it."""

    modular: int
    generated: int

    @property
    def saved(self) -> int:
        """The lines that nobody had to write; below zero where the modular file is the longer one."""
        return self.generated - self.modular

    @property
    def ratio(self) -> float:
        """How many lines come out for one that goes in; 0 if none goes in."""
        return self.generated / self.modular if self.modular else 0.0


@dataclass(frozen=True, slots=True)
class ModelSaving:
    """What one modular file saves."""

    model: str
    path: str
    saving: Saving


def savings(lines: Mapping[str, LineCounts]) -> tuple[ModelSaving, ...]:
    """Return what each modular file saves, those that save most first, then by path."""
    models = (
        ModelSaving(
            model_name(path),
            path,
            Saving(counts.modular, sum(counts.generated.values())),
        )
        for path, counts in lines.items()
    )
    return tuple(sorted(models, key=lambda model: (-model.saving.saved, model.path)))


def total(models: Sequence[ModelSaving]) -> Saving:
    """Return what modular files save together."""
    return Saving(
        sum(model.saving.modular for model in models),
        sum(model.saving.generated for model in models),
    )


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
        return not self.has_errors and not self.differing_files

    @property
    def differing_files(self) -> list[FileReport]:
        """The generated files that are stale or missing."""
        return [file for file in self.files if file.status in _DIFFERING]

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
        differing = (
            f"{file.path}: {file.status.value}\n" for file in self.differing_files
        )
        return f"{render(joined(self.diagnostics))}{''.join(differing)}{self.summary(Status)}"

    def summary(self, statuses: Iterable[Status]) -> str:
        """Return in one line how many files have each of some statuses, and how many lines there are."""
        words = {Status.ERROR: "errors"} if self.count(Status.ERROR) > 1 else {}
        there = [status for status in statuses if self.count(status)]
        counts = [
            f"{self.count(status)} {words.get(status, status.value)}"
            for status in there
        ]
        files = ", ".join(counts) or "no files"
        if not self.generated_lines:
            return files
        ratio = Saving(self.modular_lines, self.generated_lines).ratio
        return f"{files}; {counted(self.modular_lines, 'line')} of modular code, {self.generated_lines} generated (x{ratio:.1f})"

    def count(self, status: Status) -> int:
        """How many files have a status."""
        return sum(file.status is status for file in self.files)


def joined(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return diagnostics, sorted by place, with those that say the same of a parent joined to the first, with all models."""
    groups: dict[tuple[object, ...], list[Diagnostic]] = {}
    for number, diagnostic in enumerate(by_place(diagnostics)):
        is_joined = diagnostic.code in _OF_THE_PARENT
        key = (diagnostic.code, diagnostic.message) if is_joined else (number,)
        groups.setdefault(key, []).append(diagnostic)
    return [_joined(same) for same in groups.values()]


def _joined(same: Sequence[Diagnostic]) -> Diagnostic:
    models = sorted({model_name(diagnostic.place.path) for diagnostic in same})
    if len(models) == 1:
        return same[0]
    [(hint, _)] = Counter(diagnostic.hint for diagnostic in same).most_common(1)
    message = f"{same[0].message}; {len(models)} models import it: {', '.join(models)}"
    return same[0]._replace(message=message, hint=hint)
