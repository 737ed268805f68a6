"""Formats whole batches of files in one call of ruff or black, as if they stood at their final paths.

The files are put into a temporary mirror of the project that sees the project's own formatter settings, and read back.
A formatter that crashes on one file does not keep the others from being formatted.
"""

import json
import re
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from modular.flatten.formatted import Failure, Formatted, Undefined
from modular.format.formatter_process import PATIENCE_PER_FILE, BreakdownError, batches, run_over
from modular.format.mirror import fill, mirror
from modular.source.machine import available_processors
from modular.source.ruff import SYNTAX, FormatterError, ruff_executable


_UNREADABLE = re.compile(
    r"error: (?:Failed to parse|cannot format|cannot parse:) (?P<path>.+?\.py):(?! \[Errno) ?(?P<rest>.*)"
)
_POSITION = re.compile(r"(?P<line>\d+):(?P<column>\d+)(?:: (?P<message>.*))?")
_BROKEN = re.compile(r"ruff failed|error: |warning: Failed to ")
_EXCERPT = re.compile(r" *\d* *\|")
_PATIENCE_IN_ALL = 30.0
"""Seconds after which nothing is tried again: settings that keep a formatter busy do so with each file."""

_BLACK = (sys.executable, "-I", "-m", "black", "--quiet")
"""Isolated: a folder of the project must not be where Python looks for black, nor for anything that black imports."""

_UNDEFINED = ("F821", "F822")
"""Ruff's rules that find undefined names, in code and in `__all__`.

They repair nothing, so they may run with the repairs of the project's own rules.
"""


def format_texts(texts: Mapping[str, str], root: Path, formatter: str) -> Formatted:
    """Format texts by their paths relative to ``root``; formatter is `ruff`, `black` or `none`.

    Raises FormatterError if the formatter cannot be run.
    """
    if not texts:
        return Formatted({})
    try:
        return _format(texts, root, formatter)
    except OSError as error:
        raise FormatterError(f"{error.filename or 'the temporary folder'}: {error.strerror or error}") from error


def _format(texts: Mapping[str, str], root: Path, formatter: str) -> Formatted:
    if formatter == "none":
        failures = _syntax_errors(texts, root)
        failed = {failure.path for failure in failures}
        done = {path: text for path, text in texts.items() if path not in failed}
        return Formatted(done, failures, find_undefined(done, root))
    with mirror(root, texts) as place:
        formatting = _Formatting(texts, formatter, place)
        for batch in batches(sorted(texts)):
            formatting.format(batch)
        failed = {failure.path for failure in formatting.failures}
        done = {path: _read(place / path) for path in texts if path not in failed}
    undefined = find_undefined({path: texts[path] for path in sorted(formatting.suspicious - failed)}, root)
    return Formatted(done, tuple(formatting.failures), undefined)


def _read(file: Path) -> str:
    """Read a file with the line ends that the formatter has chosen."""
    with open(file, encoding="utf-8", newline="") as opened:
        return opened.read()


@dataclass
class _Formatting:
    """Formats texts in a mirror.

    ``suspicious`` are the files in which a name may be undefined.
    """

    texts: Mapping[str, str]
    formatter: str
    place: Path
    failures: list[Failure] = field(default_factory=list)
    suspicious: set[str] = field(default_factory=set)
    began: float = field(default_factory=time.monotonic)

    def format(self, paths: Sequence[str]) -> None:
        """Format files. If the formatter crashes, the file that it crashes on is found by halves, and the rest is formatted."""
        try:
            if self.formatter == "ruff":
                self._ruff(paths)
            else:
                self._black(paths)
        except BreakdownError:
            is_over = time.monotonic() - self.began > _PATIENCE_IN_ALL + PATIENCE_PER_FILE * len(self.texts)
            if is_over or len(paths) == 1:
                self.failures += (Failure(path, 1, 1, f"{self.formatter} crashes on it") for path in paths)
                return
            for half in (paths[: len(paths) // 2], paths[len(paths) // 2 :]):
                fill(self.place, {path: self.texts[path] for path in half})
                self.format(half)

    def _ruff(self, paths: Sequence[str]) -> None:
        fix = (
            "--fix",
            "--exit-zero",
            "--extend-select",
            ",".join(_UNDEFINED),
            "--output-format",
            "json",
            "--no-cache",
        )
        check = run_over([ruff_executable(), "check", *fix], paths, self.place)
        done = run_over([ruff_executable(), "format", "--no-cache"], paths, self.place)
        self.failures += _failures(check.stderr + done.stderr)
        self.suspicious.update(each.path for each in _undefined_names(check.stdout, self.place))

    def _black(self, paths: Sequence[str]) -> None:
        """Format files; all of them are suspicious, because black does not look for undefined names."""
        done = run_over([*_BLACK, "--workers", str(available_processors())], paths, self.place)
        if done.returncode == 1 and "No module named black" in done.stderr:
            raise FormatterError("black is not installed: run `pip install modular-models[black]`")
        self.failures += _failures(done.stderr)
        self.suspicious.update(paths)


def _syntax_errors(texts: Mapping[str, str], root: Path) -> tuple[Failure, ...]:
    """Return what is not Python among texts that nobody formats."""
    found: dict[str, Failure] = {}
    with mirror(root, texts) as place:
        for batch in batches(sorted(texts)):
            with suppress(BreakdownError):
                done = run_over([ruff_executable(), *SYNTAX, "--output-format", "json"], batch, place)
                for each in json.loads(done.stdout or "[]"):
                    path, at = Path(each["filename"]).relative_to(place).as_posix(), each["location"]
                    found.setdefault(path, Failure(path, at["row"], at["column"], each["message"]))
    return tuple(found.values())


def find_undefined(texts: Mapping[str, str], root: Path) -> tuple[Undefined, ...]:
    """Return the undefined names of texts by their paths relative to ``root``, as they stand, from top to bottom.

    Raises FormatterError if ruff cannot be run.
    """
    if not texts:
        return ()
    with mirror(root, texts) as place:
        return find_undefined_in(place, texts)


def find_undefined_in(place: Path, texts: Mapping[str, str]) -> tuple[Undefined, ...]:
    """Return the undefined names of texts that stand in a mirror; one alone is handed over, which takes half the time.

    Raises FormatterError if ruff cannot be run.
    """
    command = [
        ruff_executable(),
        "check",
        "--exit-zero",
        "--select",
        ",".join(_UNDEFINED),
        "--output-format",
        "json",
        "--no-cache",
        "--quiet",
    ]
    found: list[Undefined] = []
    for batch in batches(sorted(texts)):
        with suppress(BreakdownError):
            if len(batch) == 1:
                with open(place / batch[0], "rb") as file:
                    done = run_over([*command, "--stdin-filename", file.name, "-"], (), place, file)
            else:
                done = run_over(command, batch, place)
            found += _undefined_names(done.stdout, place)
    return tuple(sorted(found, key=lambda each: (each.path, each.line)))


def _undefined_names(report: str, place: Path) -> Iterator[Undefined]:
    for each in json.loads(report or "[]"):
        if each["code"] in _UNDEFINED:
            path = Path(each["filename"]).relative_to(place).as_posix()
            yield Undefined(path, each["location"]["row"], each["message"].split("`")[1])


def _failures(stderr: str) -> Iterator[Failure]:
    """Return which files a formatter does not take for Python. Raises FormatterError if it says that anything else went wrong."""
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


def readable(root: Path, paths: Sequence[str]) -> frozenset[str]:
    """Return the files in which ruff finds no syntax error: much quicker than to parse each here.

    What is not among them may still be Python: hostile files can end ruff itself, and then there are none.
    """
    refused: set[Path] = set()
    try:
        for batch in batches(paths):
            done = run_over([ruff_executable(), *SYNTAX, "--output-format", "json"], batch, root)
            if not done.stdout:
                return frozenset()
            refused.update(Path(each["filename"]) for each in json.loads(done.stdout))
    except BreakdownError:
        return frozenset()
    return frozenset(path for path in paths if root / path not in refused)
