"""Formats many files in few calls to ruff or black, as if they were at their paths.

The files are written into a temporary mirror of the project, in which the formatter
finds the project's settings, and are read back.
"""

import json
import re
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from subprocess import CompletedProcess
from typing import NamedTuple

from modular.flatten.formatted import Failure, Formatted, Undefined
from modular.format.formatter_process import run_formatter, split_into_batches
from modular.format.formatter_version import describe_mismatch
from modular.format.mirror import mirror, write_texts
from modular.system.addresses import install_command
from modular.system.machine import available_processors
from modular.system.ruff import (
    NOT_PYTHON,
    FormatterError,
    ruff_executable,
    syntax_options,
)


_SYNTAX_ERROR_LINE = re.compile(
    r"error: (?:Failed to parse|cannot format|cannot parse:) (?P<path>.+?\.py):"
    r"(?! \[Errno) ?(?P<message>.*)"
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
            # A cached result is stale if one of these modules appears or vanishes. Only
            # the results of ruff, which sorts imports, depend on modules.
            if formatter == "ruff":
                formatted = replace(formatted, modules=project_mirror.modules)
            return formatted
    except OSError as error:
        name = error.filename or "the temporary folder"
        raise FormatterError(f"{name}: {error.strerror or error}") from error
    except FormatterError as error:
        mismatch = describe_mismatch(root, formatter)
        if mismatch:
            raise FormatterError(f"{error}\n{mismatch}") from error
        raise


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


class _FormatterRun(NamedTuple):
    """The files with possible and with certain errors, as found by formatting them.

    Attributes:
        suspects: The paths of files that may have syntax errors or undefined names.
        refusals: The syntax errors for which the formatter did not format a file.
    """

    suspects: set[str]
    refusals: list[Failure]


def _format_mirror(texts: Mapping[str, str], folder: Path, formatter: str) -> Formatted:
    """Format the files of a temporary copy of the project, and find their errors.

    Errors are reported at the lines of the unformatted texts, but checking all of these
    would take too long. So all files are formatted first. This shows which files are
    suspects: they may have syntax errors or undefined names. Then the unformatted texts
    of the suspects are written back and checked.

    Args:
        texts: The texts by path, which are already written into the folder.
        folder: The root of the copy.
        formatter: `ruff`, `black` or `none`.
    """
    suspects, refusals = _format_files(texts, folder, formatter)
    formatted = {path: _read_formatted(folder, path, formatter) for path in texts}
    for path, text in texts.items():
        if text.strip() and not formatted[path].strip():
            raise FormatterError(f"{formatter} emptied {path}")

    if not suspects:
        return Formatted(formatted)
    # From here on, the files of the suspects have their unformatted texts.
    write_texts(folder, {path: texts[path] for path in suspects})
    syntax_errors = _find_syntax_errors(folder, suspects, refusals)
    # Files with syntax errors have no result, and no names to check.
    for error in syntax_errors:
        formatted.pop(error.path, None)
    undefined = _find_undefined(folder, suspects & formatted.keys())
    return Formatted(formatted, tuple(syntax_errors), undefined)


def _find_syntax_errors(
    folder: Path, paths: Collection[str], refusals: Iterable[Failure]
) -> list[Failure]:
    """Return the syntax errors of files, and the refusals of files without any.

    The formatter may refuse a file in which `ruff check` finds nothing.

    Args:
        folder: The root of a temporary copy of the project.
        paths: The files, relative to the folder.
        refusals: The errors for which the formatter did not format a file.
    """
    findings = _check(sorted(paths), folder, *syntax_options())
    errors = [finding.failure for finding in findings]
    paths_with_errors = {error.path for error in errors}
    for refusal in refusals:
        if refusal.path not in paths_with_errors:
            errors.append(refusal)
    return errors


def _format_files(
    texts: Mapping[str, str], folder: Path, formatter: str
) -> _FormatterRun:
    """Run the formatter over files, which replaces their texts on disk.

    Args:
        texts: The unformatted texts by path.
        folder: The root of a temporary copy of the project, with these texts.
        formatter: `ruff`, `black` or `none`.

    Returns:
        The suspects, which are files that may have syntax errors or undefined names, and
        the syntax errors for which the formatter refuses files.
    """
    # A `noqa` comment hides errors from ruff, so a file with such a comment is a suspect.
    suspects = {path for path, text in texts.items() if _SUPPRESSION in text.lower()}
    refusals: list[Failure] = []
    for batch in split_into_batches(sorted(texts)):
        if formatter == "ruff":
            suspects |= _fix_with_ruff(batch, folder)
            command = [ruff_executable(), "format", "--no-cache"]
            process = run_formatter(command, batch, folder)
            refusals += _read_syntax_errors(process)
        elif formatter == "black":
            refusals += _run_black(batch, folder)
    if formatter == "ruff":
        suspects.update(refusal.path for refusal in refusals)
    else:
        # Only ruff finds undefined names, so without it all files are suspects.
        suspects.update(texts)
    return _FormatterRun(suspects, refusals)


def _fix_with_ruff(paths: Sequence[str], folder: Path) -> set[str]:
    """Apply ruff's fixes to files, and return the files that must be checked again.

    The project's settings choose the fixes. In the same run, ruff also reports syntax
    errors, code that Python cannot compile, and undefined names. Only files with such a
    finding are returned.

    Args:
        paths: The files, relative to the folder.
        folder: The root of a temporary copy of the project.
    """
    rules_for_errors = ",".join((*_UNDEFINED_RULES, *NOT_PYTHON))
    options = ("--fix", "--extend-select", rules_for_errors)
    suspects = set()
    for finding in _check(paths, folder, *options):
        if finding.rule in _SUSPICIOUS_RULES:
            suspects.add(finding.failure.path)
    return suspects


def _read_formatted(folder: Path, path: str, formatter: str) -> str:
    """Return the text of a file after formatting.

    Raises:
        modular.system.ruff.FormatterError: The formatter has written invalid UTF-8.
    """
    try:
        return (folder / path).read_bytes().decode()
    except UnicodeDecodeError as error:
        raise FormatterError(
            f"{formatter} wrote {path}, which is not UTF-8: {error}"
        ) from error


def _run_black(paths: Sequence[str], folder: Path) -> list[Failure]:
    """Format files with black, and return the syntax errors that it reports.

    Raises:
        modular.system.ruff.FormatterError: Black is not installed, or did not write the
            files.
    """
    command = [*_BLACK, "--workers", str(available_processors())]
    process = run_formatter(command, paths, folder)
    if process.returncode == 1 and "No module named black" in process.stderr:
        raise FormatterError(
            f"black is not installed: run `{install_command('black')}`"
        )
    # With settings such as `diff`, black prints the result instead of writing it.
    if process.returncode not in _BLACK_FORMATTED or process.stdout:
        reason = _without_excerpts(process.stderr)
        if not reason:
            reason = "`check`, `diff` or another of its settings keeps it from writing"
        raise FormatterError(f"black did not format the files: {reason}")
    return _read_syntax_errors(process)


def _find_undefined(folder: Path, paths: Collection[str]) -> tuple[Undefined, ...]:
    """Return the names that files use without defining them, sorted by path and line.

    Args:
        folder: The root of a temporary copy of the project.
        paths: The files, relative to the folder.
    """
    undefined = []
    rules = ",".join(_UNDEFINED_RULES)
    for rule, failure in _check(sorted(paths), folder, "--select", rules):
        # Ruff reports syntax errors, too, whatever is selected.
        if rule not in _UNDEFINED_RULES:
            continue
        # The message is "Undefined name `x`".
        quoted_name = re.search("`([^`]*)`", failure.message)
        if quoted_name is None:
            raise FormatterError(
                f"ruff returned output that cannot be understood: {failure.message!r}"
            )
        undefined.append(Undefined(failure.path, failure.line, quoted_name[1]))
    undefined.sort(key=lambda name: (name.path, name.line))
    return tuple(undefined)


def _check(paths: Sequence[str], folder: Path, *options: str) -> list[_Finding]:
    """Run `ruff check` over files, and return its findings.

    Args:
        paths: The files, relative to the folder.
        folder: The root of a temporary copy of the project.
        options: Further options of the command.

    Raises:
        modular.system.ruff.FormatterError: Ruff fails, or its output is not understood.
    """
    command = [ruff_executable(), "check", "--exit-zero", "--no-cache"]
    command += ["--output-format", "json-lines", *options]
    findings = []
    for batch in split_into_batches(paths):
        process = run_formatter(command, batch, folder)
        # This raises an error if ruff failed. Syntax errors are also in the findings.
        _read_syntax_errors(process)
        try:
            for line in process.stdout.split("\n"):
                if line:
                    findings.append(_read_finding(line, folder))
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise FormatterError(
                f"ruff returned output that cannot be read: {process.stdout[:80]!r}"
            ) from error
    return findings


def _read_finding(line: str, folder: Path) -> _Finding:
    """Return a finding of `ruff check` from a line of its output, a JSON object."""
    entry = json.loads(line)
    path = Path(entry["filename"]).relative_to(folder).as_posix()
    row = int(entry["location"]["row"])
    column = int(entry["location"]["column"])
    # Releases of ruff before 0.14 begin the message with the kind of error.
    message = str(entry["message"]).removeprefix("SyntaxError: ")
    return _Finding(entry["code"], Failure(path, row, column, message))


def _read_syntax_errors(process: CompletedProcess[str]) -> list[Failure]:
    """Return the syntax errors that a formatter reports.

    A report is a line such as
    `error: Failed to parse olmo.py:3:5: Expected an expression`.

    Raises:
        modular.system.ruff.FormatterError: The formatter reports another error, or it
            failed and says nothing that is understood.
    """
    stderr = process.stderr
    failures = []
    # A line that is reported twice counts once.
    for line in dict.fromkeys(stderr.split("\n")):
        syntax_error = _SYNTAX_ERROR_LINE.match(line)
        if syntax_error is None:
            is_other_error = _FAILURE_LINE.match(line) is not None
            if is_other_error:
                raise FormatterError(_without_excerpts(stderr))
            continue
        failures.append(_read_syntax_error(syntax_error))
    if process.returncode > 1 and not failures:
        # The files may be unformatted, or half written.
        name = Path(process.args[0]).stem
        reason = _without_excerpts(stderr) or "it says nothing"
        message = f"{name} failed with exit code {process.returncode}: {reason}"
        raise FormatterError(message)
    return failures


def _read_syntax_error(line: re.Match[str]) -> Failure:
    """Return the syntax error of a formatter's line, at 1:1 if it names no position."""
    path = line["path"]
    message = line["message"]
    position = _POSITION.search(message)
    if position is None:
        return Failure(path, 1, 1, message or "invalid syntax")
    row = int(position["line"])
    column = int(position["column"])
    return Failure(path, row, column, position["message"] or "invalid syntax")


def _without_excerpts(stderr: str) -> str:
    """Return a formatter's message without the lines of files that it quotes.

    The settings can name any file of the machine, which a public log must not show.
    """
    lines = stderr.strip().split("\n")
    return "\n".join(line for line in lines if not _EXCERPT_LINE.match(line))
