"""Formats whole batches of files in one call of ruff or black, as if they stood at their final paths.

The files are put into a temporary mirror of the project that sees the project's own formatter settings, and read back.
"""

import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from modular.flatten.formatted import Failure, Formatted, Undefined
from modular.format.formatter_process import batches, run_over
from modular.format.mirror import fill, mirror
from modular.source.system.machine import available_processors
from modular.source.system.ruff import SYNTAX, FormatterError, ruff_executable


_UNREADABLE = re.compile(
    r"error: (?:Failed to parse|cannot format|cannot parse:) (?P<path>.+?\.py):(?! \[Errno) ?(?P<rest>.*)"
)
_POSITION = re.compile(r"(?P<line>\d+):(?P<column>\d+)(?:: (?P<message>.*))?")
_BROKEN = re.compile(r"ruff failed|error: |warning: Failed to ")
_EXCERPT = re.compile(r" *\d* *\|")

_BLACK = (sys.executable, "-I", "-m", "black", "--quiet")
"""Isolated: a folder of the project must not be where Python looks for black, nor for anything that black imports."""

_BLACK_IS_DONE = (0, 123)
"""The exit codes of black when it has formatted all files, and when it could not read some."""

_UNDEFINED = "F821,F822"
"""Ruff's rules that find undefined names, in code and in `__all__`.

They repair nothing, so they may run with the repairs of the project's own rules.
"""


class _Finding(NamedTuple):
    """Something that ruff has found: the path below the folder that it ran in, the place there, the rule and the message."""

    path: str
    line: int
    column: int
    code: str | None
    message: str


def format_texts(texts: Mapping[str, str], root: Path, formatter: str) -> Formatted:
    """Format texts by their paths relative to ``root``; formatter is `ruff`, `black` or `none`.

    Raises FormatterError if the formatter cannot be run, or refuses to format.
    """
    if not texts:
        return Formatted({})
    try:
        with mirror(root, texts) as place:
            return _Formatting(texts, place).run(formatter)
    except OSError as error:
        raise FormatterError(f"{error.filename or 'the temporary folder'}: {error.strerror or error}") from error


def find_undefined(texts: Mapping[str, str], root: Path) -> tuple[Undefined, ...]:
    """Return the undefined names of texts by their paths relative to ``root``, as they stand, from top to bottom.

    Raises FormatterError if ruff cannot be run, and OSError.
    """
    with mirror(root, texts) as place:
        return _undefined_in(place, texts)


def _undefined_in(place: Path, texts: Iterable[str]) -> tuple[Undefined, ...]:
    found = _check(sorted(texts), place, "--select", _UNDEFINED)
    undefined = (_undefined(finding) for finding in found if finding.code in _UNDEFINED.split(","))
    return tuple(sorted(undefined, key=lambda each: (each.path, each.line)))


@dataclass
class _Formatting:
    """Formats texts in a mirror, and keeps what cannot be read; places are those of the unformatted texts."""

    texts: Mapping[str, str]
    place: Path
    failures: list[Failure] = field(default_factory=list)

    def run(self, formatter: str) -> Formatted:
        """Format the texts that are Python, then look for undefined names in those, as they were, that may have some."""
        self.failures += map(_failure, _check(sorted(self.texts), self.place, *SYNTAX))
        suspicious: set[str] = set()
        for batch in batches(sorted(self.texts.keys() - self._failed)):
            suspicious.update(self._format(batch, formatter))
        failed = self._failed
        done = {path: _read(self.place / path) for path in self.texts if path not in failed}
        unformatted = {path: self.texts[path] for path in suspicious - failed}
        fill(self.place, unformatted)
        return Formatted(done, tuple(self.failures), _undefined_in(self.place, unformatted))

    @property
    def _failed(self) -> set[str]:
        return {failure.path for failure in self.failures}

    def _format(self, paths: Sequence[str], formatter: str) -> Iterable[str]:
        """Format files; return those in which names may be undefined: all, if the formatter does not look for them."""
        if formatter == "ruff":
            return self._ruff(paths)
        if formatter == "black":
            self._black(paths)
        return paths

    def _ruff(self, paths: Sequence[str]) -> set[str]:
        found = _check(paths, self.place, "--fix", "--extend-select", _UNDEFINED)
        done = run_over([ruff_executable(), "format", "--no-cache"], paths, self.place)
        self.failures += _failures(done.stderr)
        return {finding.path for finding in found if finding.code in _UNDEFINED.split(",")}

    def _black(self, paths: Sequence[str]) -> None:
        done = run_over([*_BLACK, "--workers", str(available_processors())], paths, self.place)
        if done.returncode == 1 and "No module named black" in done.stderr:
            raise FormatterError("black is not installed: run `pip install modular-models[black]`")
        if done.returncode not in _BLACK_IS_DONE or done.stdout:
            reason = (
                _without_excerpts(done.stderr) or "`check`, `diff` or another of its settings keeps it from writing"
            )
            raise FormatterError(f"black did not format the files: {reason}")
        self.failures += _failures(done.stderr)


def _failure(finding: _Finding) -> Failure:
    return Failure(finding.path, finding.line, finding.column, finding.message)


def _undefined(finding: _Finding) -> Undefined:
    """Return the undefined name that a message of ruff's quotes. Raises FormatterError if it quotes none."""
    _, quote, rest = finding.message.partition("`")
    name, closing, _ = rest.partition("`")
    if not (quote and closing):
        raise FormatterError(f"ruff gave an answer that cannot be understood: {finding.message!r}")
    return Undefined(finding.path, finding.line, name)


def _check(paths: Sequence[str], place: Path, *arguments: str) -> list[_Finding]:
    """Run `ruff check` over files of a mirror. Raises FormatterError, for an answer that cannot be read too."""
    command = [ruff_executable(), "check", "--exit-zero", "--no-cache", "--output-format", "json-lines", *arguments]
    found = []
    for batch in batches(paths):
        done = run_over(command, batch, place)
        list(_failures(done.stderr))
        try:
            found += [_finding(json.loads(line), place) for line in done.stdout.splitlines()]
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise FormatterError(f"ruff gave an answer that cannot be read: {done.stdout[:80]!r}") from error
    return found


def _finding(entry: dict[str, Any], place: Path) -> _Finding:
    """Read one entry of ruff's answer. Raises ValueError, KeyError and TypeError where it is not as documented."""
    below = f"{place}{os.sep}"
    if not entry["filename"].startswith(below):
        raise ValueError(entry["filename"])
    path = entry["filename"].removeprefix(below).replace(os.sep, "/")
    return _Finding(
        path, int(entry["location"]["row"]), int(entry["location"]["column"]), entry["code"], str(entry["message"])
    )


def _read(file: Path) -> str:
    """Read a file with the line ends that the formatter has chosen."""
    with open(file, encoding="utf-8", newline="") as opened:
        return opened.read()


def _failures(stderr: str) -> Iterator[Failure]:
    """Yield which files a formatter does not take for Python. Raises FormatterError if it says that anything else went wrong."""
    for line in dict.fromkeys(stderr.splitlines()):
        if match := _UNREADABLE.match(line):
            at = _POSITION.search(match["rest"])
            line_number, column, message = (at["line"], at["column"], at["message"]) if at else (1, 1, match["rest"])
            yield Failure(match["path"], int(line_number), int(column), message or "it is not Python")
        elif _BROKEN.match(line):
            raise FormatterError(_without_excerpts(stderr))


def _without_excerpts(stderr: str) -> str:
    """Return a formatter's message without the lines of files: settings may name any file, and logs may be public."""
    return "\n".join(line for line in stderr.strip().splitlines() if not _EXCERPT.match(line))
