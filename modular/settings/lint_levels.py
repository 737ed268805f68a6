"""Applies `[tool.modular.lint]`: which warnings count as errors, and which are ignored."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import Final

from modular.source.diagnostics import Diagnostic, Problem, Severity


_WARNING_CODES = frozenset(
    problem.id for problem in Problem if problem.severity is Severity.WARNING
)
"""The codes that have a level. Other codes are always errors."""


@dataclass
class LintLevels:
    """Levels of warnings by the prefixes of their codes.

    If several prefixes match a code, the longest wins. If the same prefix is in `error`
    and `ignore`, `ignore` wins.

    Attributes:
        error: Prefixes of warnings that count as errors.
        ignore: Prefixes of warnings that are not reported.
        ignored_in: Prefixes of warnings that are not reported in files whose path or
            name matches a pattern.
    """

    error: Final[tuple[str, ...]] = ()
    ignore: Final[tuple[str, ...]] = ()
    ignored_in: Final[Mapping[str, tuple[str, ...]]] = field(default_factory=dict)

    def apply(
        self, diagnostics: Iterable[Diagnostic], strict: bool = False
    ) -> Iterator[Diagnostic]:
        """Yield the diagnostics to report, with their levels.

        Args:
            diagnostics: Diagnostics of any level.
            strict: Whether all warnings count as errors.
        """
        for diagnostic in diagnostics:
            level = self._level(diagnostic)
            if level is None:
                continue
            if strict:
                level = Severity.ERROR
            if level is not diagnostic.severity:
                diagnostic = diagnostic._replace(level=level)
            yield diagnostic

    def _level(self, diagnostic: Diagnostic) -> Severity | None:
        """Return the level of a diagnostic, or None if it is not reported."""
        if diagnostic.code.severity is Severity.ERROR:
            return Severity.ERROR

        code = diagnostic.code.id
        if self._is_ignored_in(diagnostic.place.path, code):
            return None

        ignore_length = _longest_prefix(self.ignore, code)
        error_length = _longest_prefix(self.error, code)
        if ignore_length and ignore_length >= error_length:
            return None
        if error_length:
            return Severity.ERROR
        return diagnostic.severity

    def _is_ignored_in(self, path: str, code: str) -> bool:
        name = PurePosixPath(path).name
        for pattern, prefixes in self.ignored_in.items():
            is_match = fnmatchcase(path, pattern) or fnmatchcase(name, pattern)
            if is_match and code.startswith(prefixes):
                return True
        return False


def has_warnings(prefix: str) -> bool:
    """Return whether any warning has a code with this prefix, which is not empty."""
    return prefix != "" and any(code.startswith(prefix) for code in _WARNING_CODES)


def _longest_prefix(prefixes: Iterable[str], code: str) -> int:
    """Return the length of the longest prefix of a code, or 0 if none matches."""
    return max(map(len, filter(code.startswith, prefixes)), default=0)
