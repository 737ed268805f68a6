"""Applies `[tool.modular.lint]`: the levels of findings, and which are ignored."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from modular.source.diagnostics import Diagnostic, Problem, Severity


_LINT_CODES = frozenset(
    problem.id for problem in Problem if problem.severity is not Severity.ERROR
)
"""The codes that have a level. Other codes are always errors."""


@dataclass(frozen=True)
class LintLevels:
    """Levels of findings by the prefixes of their codes.

    If several prefixes match a code, the longest wins. If the same prefix is given for
    several levels, the lowest level wins; `ignore` is below all.

    Attributes:
        error: Prefixes of findings that count as errors.
        warning: Prefixes of findings that count as warnings.
        info: Prefixes of findings that are reported only if the user asks for all.
        ignore: Prefixes of findings that are never reported.
        ignored_in: Prefixes of findings that are not reported in files whose path or
            name matches a pattern.
    """

    error: tuple[str, ...] = ()
    warning: tuple[str, ...] = ()
    info: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    ignored_in: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def apply(
        self,
        diagnostics: Iterable[Diagnostic],
        *,
        strict: bool = False,
        include_info: bool = False,
    ) -> Iterator[Diagnostic]:
        """Yield the diagnostics to report, with their levels.

        Args:
            diagnostics: Diagnostics of any level.
            strict: Whether all warnings count as errors.
            include_info: Whether to report findings of level info, too.
        """
        for diagnostic in diagnostics:
            level = self._level(diagnostic)
            if level is None or (level is Severity.INFO and not include_info):
                continue
            if strict and level is Severity.WARNING:
                level = Severity.ERROR
            # `severity` is the level that the diagnostic had until now.
            if level is not diagnostic.severity:
                diagnostic = diagnostic._replace(level=level)
            yield diagnostic

    def _level(self, diagnostic: Diagnostic) -> Severity | None:
        """Return the level that the settings give a diagnostic, or None to ignore it.

        The settings list prefixes of codes: with `ignore = ["MOD4"]` and
        `error = ["MOD42"]`, `MOD421` is an error and `MOD401` is ignored. Errors of the
        conversion stay errors.
        """
        if diagnostic.code.severity is Severity.ERROR:
            return Severity.ERROR

        code = diagnostic.code.id
        path = diagnostic.place.path
        name = PurePosixPath(path).name
        for pattern, prefixes in self.ignored_in.items():
            is_match = fnmatchcase(path, pattern) or fnmatchcase(name, pattern)
            if is_match and code.startswith(prefixes):
                return None
        return self._level_of_code(code, diagnostic.severity)

    def finds_only_info(self, code: Problem) -> bool:
        """Return whether all findings with a code have the level info or are ignored.

        If the level of a code is info, no rule reports a finding at a higher level. So
        it is enough to look at the code.
        """
        if code.severity is not Severity.INFO:
            return False
        return self._level_of_code(code.id, code.severity) in (None, Severity.INFO)

    def _level_of_code(self, code: str, default: Severity) -> Severity | None:
        """Return the level that the prefixes give a code, or None to ignore it.

        Args:
            code: The code, such as `MOD421`.
            default: The level if no prefix matches.
        """
        prefixes_of_levels = (
            (None, self.ignore),
            (Severity.INFO, self.info),
            (Severity.WARNING, self.warning),
            (Severity.ERROR, self.error),
        )
        best_level: Severity | None = default
        best_length = 0
        for level, prefixes in prefixes_of_levels:
            matching = filter(code.startswith, prefixes)
            length = max(map(len, matching), default=0)
            # The longest prefix decides. If two levels have it, the lower level wins.
            if length > best_length:
                best_level = level
                best_length = length
        return best_level


def has_lint_codes(prefix: str) -> bool:
    """Return whether any finding has a code with this prefix, which is not empty."""
    return prefix != "" and any(code.startswith(prefix) for code in _LINT_CODES)
