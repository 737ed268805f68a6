"""Levels of warnings: `[tool.modular.lint]` says which count as errors, and which are not reported."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import Final

from modular.source.diagnostics import Diagnostic, Problem, Severity


_WARNINGS = frozenset(
    problem.id for problem in Problem if problem.severity is Severity.WARNING
)
"""The codes that have a level. An error is always one: it keeps files from being written."""


@dataclass
class LintLevels:
    """Which warnings count as errors, and which are ignored, everywhere or in files; all by codes or their beginnings.

    ``ignored_in`` gives for patterns of paths the codes that are ignored there. Where several beginnings fit a code, the
    longest decides; of two that are the same, to ignore.
    """

    error: Final[tuple[str, ...]] = ()
    ignore: Final[tuple[str, ...]] = ()
    ignored_in: Final[Mapping[str, tuple[str, ...]]] = field(default_factory=dict)

    def apply(
        self, diagnostics: Iterable[Diagnostic], strict: bool = False
    ) -> Iterator[Diagnostic]:
        """Yield the diagnostics that are reported, at their levels. With ``strict`` all warnings count as errors."""
        for diagnostic in diagnostics:
            level = self._level(diagnostic)
            if level is not None:
                level = Severity.ERROR if strict else level
                yield (
                    diagnostic
                    if level is diagnostic.severity
                    else diagnostic._replace(level=level)
                )

    def _level(self, diagnostic: Diagnostic) -> Severity | None:
        """What a diagnostic counts as; None: it is not reported."""
        code = diagnostic.code.id
        if diagnostic.code.severity is Severity.ERROR:
            return Severity.ERROR
        if any(
            code.startswith(start) for start in self._ignored_in(diagnostic.place.path)
        ):
            return None
        ignored, raised = _longest(self.ignore, code), _longest(self.error, code)
        if ignored and ignored >= raised:
            return None
        return Severity.ERROR if raised else diagnostic.severity

    def _ignored_in(self, path: str) -> Iterator[str]:
        for pattern, codes in self.ignored_in.items():
            if fnmatchcase(path, pattern) or fnmatchcase(
                PurePosixPath(path).name, pattern
            ):
                yield from codes


def has_warnings(start: str) -> bool:
    """Whether a code, or the beginning of one, refers to a warning."""
    return bool(start) and any(code.startswith(start) for code in _WARNINGS)


def _longest(starts: Iterable[str], code: str) -> int:
    """The length of the longest beginning of a code among some, 0 if there is none."""
    return max((len(start) for start in starts if code.startswith(start)), default=0)
