"""Reads source files, and reports what is wrong with them, without running them."""

import re
import symtable
import warnings
from pathlib import Path
from typing import NamedTuple

from modular.source import module as modules
from modular.source import scan
from modular.source.diagnostics import Diagnostic, Place, Problem
from modular.source.module import Module, normalize_text
from modular.source.nesting import may_be_too_deep
from modular.system.reading import open_ordinary, read_at_most
from modular.system.ruff import is_readable


MAX_SOURCE_BYTES = 1_000_000
"""The largest model file of transformers has a fifth of this size."""

_CODING = re.compile(
    rb"(?:[ \t\f]*(?:#[^\n]*)?\n)?[ \t\f]*#[^\n]*?coding[:=][ \t]*([-\w.]+)"
)
_UTF8 = frozenset({"utf-8", "utf8", "utf-8-sig", "ascii", "us-ascii"})
_CONFLICT_MARKS = ("<<<<<<< ", ">>>>>>> ")
"""The marks of git. A name follows the first and the last one after a blank."""

_DEEP = re.compile(r"too many (?:nested|levels)|nested too deeply")


class Loaded(NamedTuple):
    """A source text, or the reason why there is none.

    Attributes:
        text: The text with ``\\n`` line ends and without a byte-order mark.
        problem: The reason why there is no text, or None.
        newline: The line end of the file: ``\\r\\n`` if it has one of these.
        source: The text exactly as it is in the file.
    """

    text: str
    problem: Diagnostic | None = None
    newline: str = "\n"
    source: str = ""


def load(place: Path, path: str) -> Loaded:
    """Read a source file of at most `MAX_SOURCE_BYTES`.

    Args:
        place: The file on disk.
        path: Its path in diagnostics, relative to the root.

    Returns:
        The text, or a diagnostic that says why the file cannot be used.
    """
    try:
        with open_ordinary(place) as file:
            data = read_at_most(file, MAX_SOURCE_BYTES + 1)
    except FileNotFoundError:
        return refuse(
            Problem.NOT_FOUND,
            path,
            "no such file",
            "check the name and the current folder",
        )
    except OSError as error:
        return refuse(
            Problem.NOT_FOUND,
            path,
            f"cannot be read: {error.strerror}",
            "check that it is a readable file",
        )
    return decode(data, path)


def decode(data: bytes, path: str) -> Loaded:
    """Decode the contents of a source file, which must be UTF-8.

    Args:
        data: The contents.
        path: The path in diagnostics.

    Returns:
        The text, or a diagnostic if the file is too large, not UTF-8, or has NUL bytes.
    """
    if len(data) > MAX_SOURCE_BYTES:
        return refuse(
            Problem.TOO_LARGE,
            path,
            f"the file is too large: more than {MAX_SOURCE_BYTES} bytes",
            "split the file into smaller ones",
        )

    # An encoding is declared on one of the first two lines (PEP 263).
    beginning = data
    if b"\r" in data[:400]:
        beginning = data.replace(b"\r\n", b"\n", 2)
    declaration = _CODING.match(beginning)
    if declaration is not None:
        encoding = declaration[1].decode(errors="replace")
        if encoding.lower().replace("_", "-") not in _UTF8:
            position = data.index(declaration[1])
            message = f"the file declares the encoding `{encoding}`"
            hint = "save the file as UTF-8, and correct the declaration"
            return _not_utf8(data, position, path, message, hint)

    hint = "save the file as UTF-8"
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"byte 0x{data[error.start]:02x} is not UTF-8"
        return _not_utf8(data, error.start, path, message, hint)
    nul = data.find(b"\0")
    if nul >= 0:
        return _not_utf8(
            data,
            nul,
            path,
            "the file contains a NUL byte",
            f"{hint}, without the NUL byte",
        )
    return Loaded(normalize_text(text), None, newline_of(text), source=text)


def newline_of(text: str) -> str:
    r"""Return the line end that a text has: `\r\n` if it has one of these, or else `\n`."""
    return "\r\n" if "\r\n" in text else "\n"


def _not_utf8(data: bytes, position: int, path: str, message: str, hint: str) -> Loaded:
    """Return the result of loading a file that is not UTF-8: the error, and no text.

    Args:
        data: The contents of the file.
        position: The offset of the wrong byte.
        path: The path in diagnostics.
        message: The description of the error.
        hint: A sentence that says how to correct it.
    """
    line_start = data.rfind(b"\n", 0, position) + 1
    line = data[line_start:].partition(b"\n")[0].rstrip(b"\r")
    text_before = data[line_start:position].decode("utf-8", errors="replace")
    place = Place(
        path=path,
        line=data.count(b"\n", 0, position) + 1,
        column=len(text_before) + 1,
        text=line.decode("utf-8", errors="replace").replace("\0", "\ufffd"),
    )
    return Loaded("", Diagnostic(Problem.NOT_UTF8, place, message, hint))


def refuse(code: Problem, path: str, message: str, hint: str) -> Loaded:
    """Return the result of loading a file that is not read: the reason, and no text.

    Args:
        code: The code of the diagnostic.
        path: The path of the file in the diagnostic.
        message: Why the file is not read.
        hint: What the user can do.
    """
    return Loaded("", Diagnostic(code, Place(path), message, hint))


def nesting_problem(path: str) -> Diagnostic:
    """Return the diagnostic of code that nests too deeply for parsers."""
    message = "the code is nested too deeply to be read"
    hint = "split the code into smaller parts"
    return Diagnostic(Problem.TOO_DEEP, Place(path), message, hint)


def read_module(path: str, loaded: Loaded) -> Module | Diagnostic:
    """Return the module of a loaded text, or a diagnostic if it cannot be read.

    Merge conflicts and code that could crash a parser are refused. Other syntax errors
    are not searched for, because that is slow: see `syntax_problem`.
    """
    if loaded.problem is not None:
        return loaded.problem
    if any(mark in loaded.text for mark in _CONFLICT_MARKS):
        conflict = _merge_conflict(loaded.text, path)
        if conflict is not None:
            return conflict
    try:
        module = modules.read(path, loaded.text)
    except RecursionError:
        return nesting_problem(path)
    # Unclosed brackets look like deep nesting, so a syntax error is reported first.
    if may_be_too_deep(module.code.masked_text):
        return syntax_problem(loaded.text, path) or nesting_problem(path)
    return module


def syntax_problem(text: str, path: str) -> Diagnostic | None:
    """Return the syntax error of a text, or None.

    Syntax that is newer than the running Python is accepted if ruff accepts it.

    Raises:
        modular.system.ruff.FormatterError: Python rejects the text, and ruff is not
            installed.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # This parses like `ast.parse`, without building a tree in Python.
            symtable.symtable(text, path, "exec")
    except SyntaxError as error:
        if _DEEP.search(error.msg):
            return nesting_problem(path)
        # Ruff also knows the syntax of newer Python versions.
        if is_readable(text):
            return None
        return _merge_conflict(text, path) or _syntax_error(error, text, path)
    except (RecursionError, MemoryError):
        return nesting_problem(path)
    except ValueError as error:
        return Diagnostic(
            Problem.SYNTAX_ERROR,
            Place(path),
            f"not Python source: {error}",
            "correct the syntax",
        )
    return None


def _merge_conflict(text: str, path: str) -> Diagnostic | None:
    """Return the error for the first mark of a merge conflict in a text, or None.

    A line of Python code cannot begin with a mark of git. Lines inside strings are
    skipped.
    """
    masked_text = scan.mask_text(text)
    offset = 0
    for number, line in enumerate(text.split("\n"), start=1):
        is_in_string = masked_text.startswith((scan.STRING, scan.FSTRING), offset)
        offset += len(line) + 1
        if line.startswith(_CONFLICT_MARKS) and not is_in_string:
            return Diagnostic(
                Problem.SYNTAX_ERROR,
                Place(path, number, 1, len(line), line),
                f"merge conflict, line {number}",
                "choose the lines to keep, and remove the marks of git",
            )
    return None


def _syntax_error(error: SyntaxError, text: str, path: str) -> Diagnostic:
    """Return the diagnostic of a syntax error that Python found.

    Args:
        error: The error. Python may not know its place.
        text: The text of the file.
        path: The path of the file.
    """
    line = max(1, error.lineno or 1)
    column = max(1, error.offset or 1)
    lines = text.split("\n")
    line_text = lines[line - 1] if line <= len(lines) else ""
    width = 1
    if error.end_lineno == error.lineno:
        width = max(1, (error.end_offset or 0) - column)
    return Diagnostic(
        Problem.SYNTAX_ERROR,
        Place(path, line, column, width, line_text),
        error.msg,
        "correct the syntax; the model was not converted",
    )
