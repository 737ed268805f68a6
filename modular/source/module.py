"""A source file as a list of top-level statements, and what it defines."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from io import StringIO
from typing import Final

from modular.source import scan
from modular.source.blocks import Block, Statement, split
from modular.source.import_statements import Import, plain_imports
from modular.source.source_slice import SourceSlice


_FIRST_CODE = re.compile(r"^.*\S", re.MULTILINE)
_FORM_FEED = re.compile(r"(^[ \t\f]*\f)|\f", re.MULTILINE)


@dataclass(eq=False)
class Module:
    """A Python source, read as text. ``path`` is relative to the project's root, with ``/``."""

    path: Final[str]
    code: Final[SourceSlice]

    @cached_property
    def block(self) -> Block:
        """The statements at module level; what heads the file belongs to none of them."""
        return split(self.code.cut(len(self.header.text)))

    def placed(self) -> Iterator[tuple[int, Statement]]:
        """Each statement with the offset at which it begins in the text."""
        head = len(self.header.text)
        for offset, statement in zip(
            self.block.offsets, self.block.statements, strict=True
        ):
            yield head + offset, statement

    @cached_property
    def imports(self) -> tuple[Import, ...]:
        """The plain imports at module level."""
        return plain_imports(self.block.statements)

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the text."""
        return self.code.text.split("\n")

    @cached_property
    def header(self) -> SourceSlice:
        """The comments and blank lines that head the file."""
        first = _FIRST_CODE.search(self.code.mask)
        return self.code.cut(0, first.start()) if first else self.code


def statement_named(module: Module, name: str) -> Statement | None:
    """Return the last statement at module level that defines a name."""
    return next(
        (
            statement
            for statement in reversed(module.block.statements)
            if statement.name == name
        ),
        None,
    )


def read(path: str, text: str) -> Module:
    """Make a module of a source text, whose line ends may be of any kind."""
    text = normalised(text)
    return Module(
        path, _without_form_feeds(SourceSlice(text, scan.mask(text), path, 1))
    )


def _without_form_feeds(code: SourceSlice) -> SourceSlice:
    """Take the form feeds out of code: at the beginning of a line they void the indent before them."""
    if "\f" not in code.text:
        return code
    feeds = _FORM_FEED.finditer(code.mask)
    return code.replace(
        [(match.start(), match.end(), "" if match.group(1) else " ") for match in feeds]
    )


def normalised(text: str) -> str:
    """Return a text with ``\\n`` line ends, a final one included, and without a byte-order mark."""
    text = text.removeprefix("\ufeff")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text if text.endswith("\n") else text + "\n"


def lines_with_ends(text: str) -> list[str]:
    """Return the lines of a text, each with its line end: ``\\n``, ``\\r\\n`` or ``\\r``.

    `str.splitlines` splits at form feeds, U+2028 and others, too.
    """
    return list(StringIO(text, newline=""))
