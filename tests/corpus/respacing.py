"""Writes sources with blanks around dots, in brackets and before arguments, which are the same to Python."""

import io
import keyword
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

from bench.corpus import MODELS
from tests.corpus.test_corpus import generated_files


_PARENT = re.compile(r"^from \.\.(\w+)\.(\w+) import", re.MULTILINE)
_OUTSIDE = (tokenize.NL, tokenize.COMMENT)


def respaced(text: str) -> str:
    """A file with more blanks in its statements. What is kept from the formatter, and what is in f-strings, stays."""
    offsets = [0]
    for line in text.splitlines(keepends=True):
        offsets.append(offsets[-1] + len(line))
    pieces, done = [], 0
    for row, column in _places(text):
        position = offsets[row - 1] + column
        pieces.append(text[done:position])
        done = position
    return " ".join([*pieces, text[done:]])


def _places(text: str) -> Iterator[tuple[int, int]]:
    """Where a blank may stand: the line and the column."""
    is_kept = False
    for statement in _statements(text):
        comments = [
            token.string for token in statement if token.type == tokenize.COMMENT
        ]
        is_kept = (is_kept or "# fmt: off" in comments) and "# fmt: on" not in comments
        if not (is_kept or any("fmt: skip" in comment for comment in comments)):
            yield from _places_in(statement)


def _statements(text: str) -> Iterator[list[tokenize.TokenInfo]]:
    """The tokens of each logical line, and what stands above it."""
    statement: list[tokenize.TokenInfo] = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        statement.append(token)
        if token.type == tokenize.NEWLINE:
            yield statement
            statement = []


def _places_in(statement: list[tokenize.TokenInfo]) -> Iterator[tuple[int, int]]:
    if any(
        token.type == getattr(tokenize, "FSTRING_START", None) for token in statement
    ):
        return
    for before, token, behind in zip(
        [None, *statement], statement, [*statement[1:], None], strict=False
    ):
        if token.type != tokenize.OP or before is None or behind is None:
            continue
        if token.string == ".":
            yield token.start
            yield token.end
        elif token.string in "([":
            is_called = before.type == tokenize.NAME and not keyword.iskeyword(
                before.string
            )
            if is_called or before.string in (")", "]"):
                yield token.start
            if behind.type not in _OUTSIDE:
                yield token.end
        elif token.string in ")]" and before.type not in _OUTSIDE:
            yield token.start


def _sources(project: Path) -> set[Path]:
    """The modular files, and the parent files that are written by hand."""
    models = project / MODELS
    modular_files = sorted(models.glob("*/modular_*.py"))
    imported = (
        models / model / f"{module}.py"
        for path in modular_files
        for model, module in _PARENT.findall(path.read_text(encoding="utf-8"))
    )
    generated = {project / path for path in generated_files(project)}
    return {*modular_files, *filter(Path.is_file, imported)} - generated


def respace(project: Path) -> None:
    """Write blanks into the modular files of a project and into their parent files."""
    for path in _sources(project):
        path.write_text(respaced(path.read_text(encoding="utf-8")), encoding="utf-8")
