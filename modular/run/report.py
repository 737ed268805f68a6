"""The result of a run, as values."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from modular.project.project import Project, model_name
from modular.source.diagnostics import Diagnostic, Problem, by_place, has_errors
from modular.source.diffs import Diff
from modular.system.printable import counted


if TYPE_CHECKING:
    from modular.cache.result_cache import Result


class Status(str, Enum):
    """How a generated file compares with its modular file."""

    IDENTICAL = "identical"
    STALE = "stale"
    MISSING = "missing"
    WRITTEN = "written"
    UNCHANGED = "unchanged"
    ERROR = "error"


_OUTDATED = (Status.STALE, Status.MISSING)

_PARENT_PROBLEMS = (Problem.NAME_NOT_IN_PARENT, Problem.PARENT_FILE_NOT_FOUND)
"""Problems of a parent file; every model that inherits from it reports them."""


@dataclass(frozen=True, slots=True)
class FileReport:
    """The status of one generated file.

    Attributes:
        path: Path of the generated file relative to the root. A modular file with
            errors is reported once, under its own path.
        modular: Path of the modular file relative to the root.
        status: How the file compares with its modular file.
        difference: Difference between the file on disk and its new text.
        differs_only_in_formatting: Whether the formatter turns the file on disk into
            its new text.
    """

    path: str
    modular: str
    status: Status
    difference: Diff = Diff()
    differs_only_in_formatting: bool = False

    @property
    def diff(self) -> str:
        """The unified diff; empty if the file does not change."""
        return self.difference.text(f"a/{self.path}", f"b/{self.path}")

    @property
    def differs_only_in_line_ends(self) -> bool:
        """Whether only line endings differ, as after a checkout on Windows."""
        old_lines = [line.removesuffix("\r") for line in self.difference.old]
        new_lines = [line.removesuffix("\r") for line in self.difference.new]
        return bool(self.difference) and old_lines == new_lines


@dataclass(frozen=True, slots=True)
class LineCounts:
    """Number of lines of a modular file and, by path, of its generated files."""

    modular: int
    generated: Mapping[str, int]


@dataclass(frozen=True)
class Report:
    """The result of a run.

    Attributes:
        project: The project.
        files: The generated files of the selected models, sorted by path.
        diagnostics: Errors and findings, sorted by place.
        lines: Line counts of each modular file without errors.
        results: The results of all models that were needed, by modular file.
        unaffected_models: Number of models that were skipped because no changed file
            affects them.
        known_findings: Number of findings that are not reported because a baseline or
            an earlier commit has them too.
        has_unknown_targets: Whether a target names nothing; the diagnostics say which.
        formatter_note: One line for files that differ in formatting alone, or because
            another version of the formatter runs than the project pins; else empty.
        edited_files: The generated files with lines that people wrote, which are stale
            or were not written.
        handwritten_files: Those of them that people wrote: they have no banner.
        committed_edits: Stale files that people may have edited before the last commit.
            Only a check finds them.
        blocking_errors: Errors because of which files were not written. A baseline does
            not leave them out.
        uses_cache: Whether results are read from the cache.
        stores_results: Whether results are stored in the cache.
    """

    project: Project = field(repr=False, compare=False)
    files: tuple[FileReport, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    lines: Mapping[str, LineCounts] = field(default_factory=dict)
    results: Mapping[str, "Result"] = field(
        default_factory=dict, repr=False, compare=False
    )
    unaffected_models: int = 0
    known_findings: int = 0
    has_unknown_targets: bool = False
    formatter_note: str = ""
    edited_files: tuple[str, ...] = ()
    handwritten_files: tuple[str, ...] = ()
    committed_edits: tuple[str, ...] = ()
    blocking_errors: tuple[Diagnostic, ...] = ()
    uses_cache: bool = True
    stores_results: bool = True

    @property
    def root(self) -> Path:
        """The root folder of the project."""
        return self.project.root

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """The new text of each generated file, by path; models with errors have none."""
        texts = {}
        for file in self.files:
            result = self.results.get(file.modular)
            if result is not None and file.path in result.texts:
                texts[file.path] = result.texts[file.path]
        return texts

    @property
    def has_errors(self) -> bool:
        """Whether there is an error, or a warning that counts as one."""
        return has_errors(self.diagnostics)

    @property
    def is_clean(self) -> bool:
        """Whether there are no errors and no stale or missing files."""
        return not self.has_errors and not self.differing_files

    @property
    def differing_files(self) -> list[FileReport]:
        """The generated files that are stale or missing."""
        return [file for file in self.files if file.status in _OUTDATED]

    def is_blocked(self, file: FileReport) -> bool:
        """Return whether the model of a file has errors, because of which it is not written."""
        result = self.results[file.modular]
        return bool(find_blocking_errors(self.project, result.diagnostics))

    @property
    def modular_lines(self) -> int:
        """Number of lines of all modular files."""
        return sum(counts.modular for counts in self.lines.values())

    @property
    def generated_lines(self) -> int:
        """Number of lines of all generated files."""
        return sum(sum(counts.generated.values()) for counts in self.lines.values())

    def __str__(self) -> str:
        """Return a line for each diagnostic and each differing file, and the summary."""
        text = ""
        for diagnostic in join_parent_problems(self.diagnostics):
            text += f"{diagnostic}\n"
        for file in self.differing_files:
            text += f"{file.path}: {file.status.value}\n"
        return text + self.summary()

    def summary(self) -> str:
        """Return one line with the number of files of each status, and of lines."""
        counts = []
        for status in Status:
            count = self.count(status)
            if status is Status.ERROR and count > 1:
                counts.append(f"{count} errors")
            elif count:
                counts.append(f"{count} {status.value}")
        files = ", ".join(counts) or "no files"

        if not self.generated_lines:
            return files
        ratio = self.generated_lines / self.modular_lines
        modular_lines = counted(self.modular_lines, "line")
        return (
            f"{files}; {modular_lines} of modular code, "
            f"{self.generated_lines} generated (x{ratio:.1f})"
        )

    def count(self, status: Status) -> int:
        """Return the number of files with a status."""
        return sum(file.status is status for file in self.files)


def find_blocking_errors(
    project: Project, diagnostics: Iterable[Diagnostic]
) -> list[Diagnostic]:
    """Return the errors of a model because of which its files are not written.

    The settings can lower or raise the level of a finding. `--strict` does not count: it
    changes the exit code, and not what is written.

    Args:
        project: The project.
        diagnostics: All diagnostics of the model.
    """
    reported = project.settings.lint.apply(diagnostics)
    return [diagnostic for diagnostic in reported if diagnostic.is_error]


def join_parent_problems(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Join the diagnostics of several models that report the same problem of a parent.

    Args:
        diagnostics: Diagnostics of any number of models.

    Returns:
        The diagnostics, sorted by place. A joined diagnostic has the place of the first
        one, and names all models.
    """
    groups: dict[tuple[object, ...], list[Diagnostic]] = {}
    for index, diagnostic in enumerate(by_place(diagnostics)):
        if diagnostic.code in _PARENT_PROBLEMS:
            key: tuple[object, ...] = (diagnostic.code, diagnostic.message)
        else:
            # Any other diagnostic is alone in its group.
            key = (index,)
        groups.setdefault(key, []).append(diagnostic)
    return [_join_models(group) for group in groups.values()]


def _join_models(group: Sequence[Diagnostic]) -> Diagnostic:
    """Return one diagnostic of a parent file that names all models that import it.

    Args:
        group: The diagnostics of these models, which have the same message. If there is
            only one model, its diagnostic is returned as it is.
    """
    first = group[0]
    models = sorted({model_name(diagnostic.place.path) for diagnostic in group})
    if len(models) == 1:
        return first
    # Hints can differ: some suggest another import, which depends on the modular file.
    hints = Counter(diagnostic.hint for diagnostic in group)
    [(most_common_hint, _)] = hints.most_common(1)
    message = f"{first.message}; {len(models)} models import it: {', '.join(models)}"
    return first._replace(message=message, hint=most_common_hint)
