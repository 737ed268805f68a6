"""Formats many files in few calls of ruff or black, as if they were at their paths.

The files are written into a temporary mirror of the project, in which the formatter
finds the project's settings, and are read back.
"""

import json
import re
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from modular.flatten.formatted import Failure, Formatted, Undefined
from modular.format.formatter_process import run_formatter, split_into_batches
from modular.format.formatter_version import describe_mismatch
from modular.format.mirror import mirror, write_texts
from modular.system.machine import available_processors
from modular.system.ruff import (
    NOT_PYTHON,
    FormatterError,
    ruff_executable,
    syntax_options,
)


_SYNTAX_ERROR_LINE = re.compile(
    r"error: (?:Failed to parse|cannot format|cannot parse:) (?P<path>.+?\.py):"
    r"(?! \[Errno) ?(?P<rest>.*)"
)
_POSITION = re.compile(r"(?P<line>\d+):(?P<column>\d+)(?:: (?P<message>.*))?")
_FAILURE_LINE = re.compile(r"ruff failed|error: |warning: Failed to ")
_EXCERPT_LINE = re.compile(r" *\d* *\|")

# With `-I`, Python does not search the project for black and for what black imports.
_BLACK = (sys.executable, "-I", "-m", "black", "--quiet")

_BLACK_FORMATTED = (0, 123)
"""Exit codes of black if all files are formatted, or all without syntax errors."""

_UNDEFINED_RULES = ("F821", "F822")
"""Ruff's rules for undefined names in code and in `__all__`. They have no fixes."""

_SUPPRESSION = "noqa"
"""Part of the comments, in any case, that suppress findings of ruff."""

_SUSPICIOUS_RULES = (*_UNDEFINED_RULES, *NOT_PYTHON, None, "invalid-syntax")
"""Findings after which a file is checked again before formatting.

By its release, ruff reports syntax errors with the last code or without one.
"""


def format_texts(texts: Mapping[str, str], root: Path, formatter: str) -> Formatted:
    """Format texts with the project's formatter settings.

    Args:
        texts: The texts by path relative to the root.
        root: The root of the project.
        formatter: `ruff`, `black` or `none`.

    Returns:
        The formatted texts, and what is wrong with the unformatted ones.

    Raises:
        modular.system.ruff.FormatterError: The formatter cannot be run, or refuses to
            format.
        modular.settings.settings.SettingsError: The formatter's settings cannot be
            read.
    """
    if not texts:
        return Formatted({})
    try:
        with mirror(root, texts) as project_mirror:
            formatted = _format_mirror(texts, project_mirror.root, formatter)
    except OSError as error:
        name = error.filename or "the temporary folder"
        raise FormatterError(f"{name}: {error.strerror or error}") from error
    except FormatterError as error:
        mismatch = describe_mismatch(root, formatter)
        if mismatch:
            raise FormatterError(f"{error}\n{mismatch}") from error
        raise
    if formatter != "ruff":
        return formatted
    return replace(formatted, modules=project_mirror.modules)


def find_undefined(texts: Mapping[str, str], root: Path) -> tuple[Undefined, ...]:
    """Return the undefined names in texts, sorted by path and line.

    Args:
        texts: The texts by path relative to the root.
        root: The root of the project.

    Raises:
        modular.system.ruff.FormatterError: Ruff cannot be run.
        OSError: The texts cannot be written into a temporary folder.
    """
    with mirror(root, texts) as project_mirror:
        return _find_undefined(project_mirror.root, texts)


class _Finding(NamedTuple):
    """A finding of `ruff check`. Syntax errors may have no rule."""

    rule: str | None
    failure: Failure


def _format_mirror(texts: Mapping[str, str], folder: Path, formatter: str) -> Formatted:
    """Format the texts in a mirror, and find what is wrong with them.

    Places of errors must be those in the unformatted texts. Only suspicious texts are
    checked before formatting, because checking all of them twice would take too long.
    """
    failures: list[Failure] = []
    # Ruff does not report invalid code in lines with such a comment.
    suspicious = {path for path, text in texts.items() if _SUPPRESSION in text.lower()}
    for batch in split_into_batches(sorted(texts)):
        if formatter == "ruff":
            suspicious |= _fix_with_ruff(batch, folder)
            command = [ruff_executable(), "format", "--no-cache"]
            process = run_formatter(command, batch, folder)
            failures += _read_syntax_errors(process.stderr)
        else:
            suspicious.update(batch)
        if formatter == "black":
            failures += _run_black(batch, folder)
    suspicious.update(failure.path for failure in failures)
    formatted = {path: _read_formatted(folder, path, formatter) for path in texts}

    # Now the suspicious files get their unformatted texts back, which are checked.
    write_texts(folder, {path: texts[path] for path in suspicious})
    findings = _check(sorted(suspicious), folder, *syntax_options())
    syntax_errors = [finding.failure for finding in findings]
    checked_paths = {failure.path for failure in syntax_errors}
    syntax_errors += [
        failure for failure in failures if failure.path not in checked_paths
    ]
    for failure in syntax_errors:
        formatted.pop(failure.path, None)
    undefined = _find_undefined(folder, suspicious & formatted.keys())
    return Formatted(formatted, tuple(syntax_errors), undefined)


def _fix_with_ruff(paths: Sequence[str], folder: Path) -> set[str]:
    """Apply ruff's fixes to files of a mirror, and return the suspicious files."""
    rules = ",".join((*_UNDEFINED_RULES, *NOT_PYTHON))
    suspicious = set()
    for finding in _check(paths, folder, "--fix", "--extend-select", rules):
        if finding.rule in _SUSPICIOUS_RULES:
            suspicious.add(finding.failure.path)
    return suspicious


def _read_formatted(folder: Path, path: str, formatter: str) -> str:
    """Read a formatted file."""
    try:
        return (folder / path).read_bytes().decode()
    except UnicodeDecodeError as error:
        raise FormatterError(
            f"{formatter} wrote {path}, which is not UTF-8: {error}"
        ) from error


def _run_black(paths: Sequence[str], folder: Path) -> list[Failure]:
    """Format files with black, and return the syntax errors."""
    command = [*_BLACK, "--workers", str(available_processors())]
    process = run_formatter(command, paths, folder)
    if process.returncode == 1 and "No module named black" in process.stderr:
        raise FormatterError(
            "black is not installed: run `pip install modular-models[black]`"
        )
    if process.returncode not in _BLACK_FORMATTED or process.stdout:
        reason = _without_excerpts(process.stderr)
        if not reason:
            reason = "`check`, `diff` or another of its settings keeps it from writing"
        raise FormatterError(f"black did not format the files: {reason}")
    return _read_syntax_errors(process.stderr)


def _find_undefined(folder: Path, paths: Collection[str]) -> tuple[Undefined, ...]:
    """Return the undefined names in files of a mirror, sorted by path and line."""
    undefined = []
    rules = ",".join(_UNDEFINED_RULES)
    for rule, failure in _check(sorted(paths), folder, "--select", rules):
        if rule not in _UNDEFINED_RULES:
            continue
        quoted_name = re.search("`([^`]*)`", failure.message)
        if quoted_name is None:
            raise FormatterError(
                f"ruff returned output that cannot be understood: {failure.message!r}"
            )
        undefined.append(Undefined(failure.path, failure.line, quoted_name[1]))
    undefined.sort(key=lambda name: (name.path, name.line))
    return tuple(undefined)


def _check(paths: Sequence[str], folder: Path, *options: str) -> list[_Finding]:
    """Run `ruff check` over files of a mirror."""
    command = [ruff_executable(), "check", "--exit-zero", "--no-cache"]
    command += ["--output-format", "json-lines", *options]
    findings = []
    for batch in split_into_batches(paths):
        process = run_formatter(command, batch, folder)
        # Syntax errors are among the findings too; other errors end the run here.
        _read_syntax_errors(process.stderr)
        try:
            for line in process.stdout.split("\n"):
                if line:
                    findings.append(_read_finding(json.loads(line), folder))
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise FormatterError(
                f"ruff returned output that cannot be read: {process.stdout[:80]!r}"
            ) from error
    return findings


def _read_finding(entry: dict[str, Any], folder: Path) -> _Finding:
    """Read a finding from the JSON of ruff.

    Raises:
        ValueError, KeyError, TypeError: It is not in the documented format.
    """
    path = Path(entry["filename"]).relative_to(folder).as_posix()
    line = int(entry["location"]["row"])
    column = int(entry["location"]["column"])
    # Releases of ruff before 0.14 begin the message with the kind of the error.
    message = str(entry["message"]).removeprefix("SyntaxError: ")
    return _Finding(entry["code"], Failure(path, line, column, message))


def _read_syntax_errors(stderr: str) -> list[Failure]:
    """Return the syntax errors that a formatter reports.

    Raises:
        modular.system.ruff.FormatterError: The formatter reports another error.
    """
    failures = []
    for line in dict.fromkeys(stderr.split("\n")):
        match = _SYNTAX_ERROR_LINE.match(line)
        if match is None:
            if _FAILURE_LINE.match(line):
                raise FormatterError(_without_excerpts(stderr))
            continue
        line_number, column, message = 1, 1, match["rest"]
        position = _POSITION.search(message)
        if position is not None:
            line_number = int(position["line"])
            column = int(position["column"])
            message = position["message"]
        message = message or "invalid syntax"
        failures.append(Failure(match["path"], line_number, column, message))
    return failures


def _without_excerpts(stderr: str) -> str:
    """Return a formatter's message without quoted lines.

    Settings can name any file of the machine, and logs may be public.
    """
    lines = stderr.strip().split("\n")
    return "\n".join(line for line in lines if not _EXCERPT_LINE.match(line))
