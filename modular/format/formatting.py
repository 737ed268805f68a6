"""Formats whole batches of files in one call of ruff or black, as if they were at their final paths.

The files are put into a temporary mirror of the project that sees the project's own formatter settings, and read back.
"""

import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from modular.flatten.formatted import Failure, Formatted, Undefined
from modular.format.formatter_process import batches, run_over
from modular.format.formatter_version import describe_mismatch
from modular.format.mirror import fill, mirror
from modular.system.machine import available_processors
from modular.system.ruff import (
    NOT_PYTHON,
    FormatterError,
    ruff_executable,
    syntax_options,
)


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

_UNDEFINED = ("F821", "F822")
"""Ruff's rules that find undefined names, in code and in `__all__`.

They repair nothing, so they may run with the repairs of the project's own rules.
"""

_SILENCING = "noqa"
"""Part of comments, in any case, that keep ruff from reporting."""

_SUSPICIOUS = (*_UNDEFINED, *NOT_PYTHON, None, "invalid-syntax")
"""What ruff finds in files that are looked at again; errors of syntax have no code, or that one, by its version."""


def format_texts(texts: Mapping[str, str], root: Path, formatter: str) -> Formatted:
    """Format texts by their paths relative to ``root``; formatter is `ruff`, `black` or `none`.

    Raises FormatterError if the formatter cannot be run, or refuses to format.
    """
    if not texts:
        return Formatted({})
    try:
        with mirror(root, texts) as shown:
            formatted = _formatted(texts, shown.root, formatter)
        modules = shown.modules if formatter == "ruff" else {}
        return replace(formatted, modules=modules)
    except OSError as error:
        raise FormatterError(
            f"{error.filename or 'the temporary folder'}: {error.strerror or error}"
        ) from error
    except FormatterError as error:
        if mismatch := describe_mismatch(root, formatter):
            raise FormatterError(f"{error}\n{mismatch}") from error
        raise


def find_undefined(texts: Mapping[str, str], root: Path) -> tuple[Undefined, ...]:
    """Return the undefined names of texts by their paths relative to ``root``, as they stand, from top to bottom.

    Raises FormatterError if ruff cannot be run, and OSError.
    """
    with mirror(root, texts) as shown:
        return _undefined_in(shown.root, texts)


def _undefined_in(place: Path, paths: Iterable[str]) -> tuple[Undefined, ...]:
    found = _check(sorted(paths), place, "--select", ",".join(_UNDEFINED))
    names = (_undefined(finding) for code, finding in found if code in _UNDEFINED)
    return tuple(sorted(names, key=lambda name: (name.path, name.line)))


def _undefined(finding: Failure) -> Undefined:
    """Return the undefined name that a finding's message quotes. Raises FormatterError if it quotes none."""
    match = re.search("`([^`]*)`", finding.message)
    if match is None:
        raise FormatterError(
            f"ruff gave an answer that cannot be understood: {finding.message!r}"
        )
    return Undefined(finding.path, finding.line, match[1])


def _formatted(texts: Mapping[str, str], place: Path, formatter: str) -> Formatted:
    """Format the texts of a mirror, then look at those again, as they were, that may not be Python or use undefined names.

    Places are those of the unformatted texts.
    """
    failures: list[Failure] = []
    suspicious = {path for path, text in texts.items() if _SILENCING in text.lower()}
    for paths in batches(sorted(texts)):
        if formatter == "ruff":
            findings = _check(
                paths,
                place,
                "--fix",
                "--extend-select",
                ",".join((*_UNDEFINED, *NOT_PYTHON)),
            )
            suspicious.update(
                finding.path for code, finding in findings if code in _SUSPICIOUS
            )
            failures += _failures(
                run_over(
                    [ruff_executable(), "format", "--no-cache"], paths, place
                ).stderr
            )
        else:
            suspicious.update(paths)
            failures += _black(paths, place) if formatter == "black" else ()
    suspicious.update(failure.path for failure in failures)
    done = {path: _read_formatted(place, path, formatter) for path in texts}
    fill(place, {path: texts[path] for path in suspicious})
    not_python = [
        finding for _, finding in _check(sorted(suspicious), place, *syntax_options())
    ]
    known = {failure.path for failure in not_python}
    failures = [
        *not_python,
        *(failure for failure in failures if failure.path not in known),
    ]
    for path in {failure.path for failure in failures}:
        del done[path]
    return Formatted(
        done, tuple(failures), _undefined_in(place, suspicious & done.keys())
    )


def _read_formatted(place: Path, path: str, formatter: str) -> str:
    """Read a file that was formatted. Raises FormatterError if it is not UTF-8."""
    try:
        return (place / path).read_bytes().decode()
    except UnicodeDecodeError as error:
        raise FormatterError(
            f"{formatter} wrote {path}, which is not UTF-8: {error}"
        ) from error


def _black(paths: Sequence[str], place: Path) -> list[Failure]:
    """Run black. Raises FormatterError if it leaves files as they are."""
    done = run_over([*_BLACK, "--workers", str(available_processors())], paths, place)
    if done.returncode == 1 and "No module named black" in done.stderr:
        raise FormatterError(
            "black is not installed: run `pip install modular-models[black]`"
        )
    if done.returncode not in _BLACK_IS_DONE or done.stdout:
        reason = (
            _without_excerpts(done.stderr)
            or "`check`, `diff` or another of its settings keeps it from writing"
        )
        raise FormatterError(f"black did not format the files: {reason}")
    return list(_failures(done.stderr))


def _check(
    paths: Sequence[str], place: Path, *arguments: str
) -> list[tuple[str | None, Failure]]:
    """Run `ruff check` over files of a mirror; return what it finds, each with its rule.

    Raises FormatterError, for an answer that cannot be read too.
    """
    command = [
        ruff_executable(),
        "check",
        "--exit-zero",
        "--no-cache",
        "--output-format",
        "json-lines",
        *arguments,
    ]
    findings: list[tuple[str | None, Failure]] = []
    for batch in batches(paths):
        done = run_over(command, batch, place)
        list(_failures(done.stderr))
        try:
            findings += [
                _finding(json.loads(line), place)
                for line in done.stdout.split("\n")
                if line
            ]
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise FormatterError(
                f"ruff gave an answer that cannot be read: {done.stdout[:80]!r}"
            ) from error
    return findings


def _finding(entry: dict[str, Any], place: Path) -> tuple[str | None, Failure]:
    """Read one entry of ruff's answer. Raises ValueError, KeyError and TypeError where it is not as documented."""
    path = Path(entry["filename"]).relative_to(place).as_posix()
    line, column = int(entry["location"]["row"]), int(entry["location"]["column"])
    # Releases of ruff before 0.14 begin the message with the kind of the error.
    message = str(entry["message"]).removeprefix("SyntaxError: ")
    return entry["code"], Failure(path, line, column, message)


def _failures(stderr: str) -> Iterator[Failure]:
    """Yield which files a formatter does not take for Python. Raises FormatterError if it says that anything else went wrong."""
    for line in dict.fromkeys(stderr.split("\n")):
        if match := _UNREADABLE.match(line):
            at = _POSITION.search(match["rest"])
            line_number, column, message = (
                (at["line"], at["column"], at["message"])
                if at
                else (1, 1, match["rest"])
            )
            yield Failure(
                match["path"],
                int(line_number),
                int(column),
                message or "it is not Python",
            )
        elif _BROKEN.match(line):
            raise FormatterError(_without_excerpts(stderr))


def _without_excerpts(stderr: str) -> str:
    """Return a formatter's message without the lines of files: settings may name any file, and logs may be public."""
    return "\n".join(
        line for line in stderr.strip().split("\n") if not _EXCERPT.match(line)
    )
