"""Reads a source file and says what is wrong with it, without running it."""

import ast
import warnings
from dataclasses import dataclass
from pathlib import Path

from modular.diagnostics import Code, Diagnostic, Place
from modular.source.module import normalised

LARGEST = 8_000_000
"""Files of more bytes than this are refused: the largest modular file of the field has a fortieth of it."""

_DEEPEST = 100
"""Brackets or indents deeper than this are left to the fast parser alone, which has bounds of its own."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """A source text with ``\\n`` line ends, or the reason why there is none."""

    text: str
    problem: Diagnostic | None = None
    newline: str = "\n"


def load(place: Path, path: str) -> Loaded:
    """Read the file at ``place`` as text; ``path`` is what diagnostics call it."""
    try:
        data = place.read_bytes()
    except FileNotFoundError:
        return _refused(Code.NOT_FOUND, path, "no such file", "check the name, or the folder that you are in")
    except OSError as error:
        return _refused(Code.NOT_FOUND, path, f"cannot be read: {error.strerror}", "check that it is a readable file")
    return decode(data, path)


def decode(data: bytes, path: str) -> Loaded:
    """Turn a file's bytes into text."""
    if len(data) > LARGEST:
        return _refused(Code.TOO_LARGE, path, f"{len(data)} bytes are too many", f"at most {LARGEST} bytes are read")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = len(data[data.rfind(b"\n", 0, error.start) + 1 : error.start].decode("utf-8")) + 1
        shown = data.splitlines()[line - 1].decode("utf-8", errors="replace") if data.splitlines() else ""
        place = Place(path, line, column, 1, shown)
        message = f"byte 0x{data[error.start]:02x} is not UTF-8"
        return Loaded("", Diagnostic(Code.NOT_UTF8, place, message, "save the file as UTF-8"))
    newline = "\r\n" if "\r\n" in text else "\n"
    return Loaded(normalised(text), None, newline)


def _refused(code: Code, path: str, message: str, hint: str) -> Loaded:
    return Loaded("", Diagnostic(code, Place(path), message, hint))


def syntax_problem(text: str, path: str) -> Diagnostic | None:
    """Return what keeps a text from being Python, if anything. Syntax newer than the running Python is accepted."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except SyntaxError as error:
        if _is_newer_python(text):
            return None
        return _syntax_error(error, text, path)
    except (ValueError, RecursionError, MemoryError) as error:
        place = Place(path)
        if isinstance(error, ValueError):
            return Diagnostic(Code.SYNTAX_ERROR, place, f"not Python source: {error}", "remove the NUL bytes")
        return Diagnostic(Code.TOO_DEEP, place, "the code is nested too deeply to be read", "write it in smaller pieces")
    return None


def _is_newer_python(text: str) -> bool:
    """Whether LibCST, which knows the newest grammar, reads a text. It is not asked where nesting could exhaust its stack."""
    if _nesting(text) > _DEEPEST:
        return False
    from libcst import ParserSyntaxError, parse_module

    try:
        parse_module(text)
    except (ParserSyntaxError, ValueError, RecursionError):
        return False
    return True


def _nesting(text: str) -> int:
    """An upper bound, in levels, of how deeply a text can nest: open brackets, indents, and runs of prefix operators."""
    depth = deepest = run = longest = 0
    for letter in text:
        if letter in "([{":
            depth += 1
            deepest = max(deepest, depth)
        elif letter in ")]}":
            depth -= 1
        run = run + 1 if letter in "-+~*. \\t" else 0
        longest = max(longest, run)
    return max(deepest, longest // 2)


def _syntax_error(error: SyntaxError, text: str, path: str) -> Diagnostic:
    line = max(1, error.lineno or 1)
    lines = text.split("\n")
    shown = lines[line - 1] if line <= len(lines) else ""
    column = max(1, error.offset or 1)
    width = max(1, (error.end_offset or 0) - column) if error.end_lineno == error.lineno else 1
    place = Place(path, line, column, width, shown)
    return Diagnostic(Code.SYNTAX_ERROR, place, error.msg, "correct the syntax; nothing of this model was converted")
