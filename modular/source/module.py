"""Source files as lists of statements."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from io import StringIO
from typing import Final

from modular.source import scan
from modular.source.blocks import Block, Kind, Statement, split
from modular.source.import_statements import Import, plain_imports
from modular.source.source_slice import SourceSlice


_FIRST_CODE = re.compile(r"^.*\S", re.MULTILINE)
_FORM_FEED = re.compile(r"(^[ \t\f]*\f)|\f", re.MULTILINE)


@dataclass(eq=False)
class Module:
    """A Python source file, read as text.

    Attributes:
        path: The path relative to the project's root, with ``/``.
        code: The text with ``\\n`` line ends and without form feeds.
    """

    path: Final[str]
    code: Final[SourceSlice]

    @cached_property
    def block(self) -> Block:
        """The statements at module level. The header belongs to none of them."""
        return split(self.code.cut(len(self.header.text)))

    def statements_with_offsets(self) -> Iterator[tuple[int, Statement]]:
        """Yield each statement with the offset in the text at which its code begins."""
        header_length = len(self.header.text)
        block = self.block
        for offset, statement in zip(block.offsets, block.statements, strict=True):
            yield header_length + offset, statement

    @cached_property
    def imports(self) -> tuple[Import, ...]:
        """The plain imports at module level."""
        return plain_imports(self.block.statements)

    @cached_property
    def statements_with_star(self) -> tuple[Statement, ...]:
        """The statements at module level that may contain `from ... import *`."""
        statements = []
        for statement in self.block.statements:
            has_imports = statement.kind in (Kind.IMPORT, Kind.GUARD, Kind.OTHER)
            if has_imports and "*" in statement.code.masked_text:
                statements.append(statement)
        return tuple(statements)

    @property
    def docstring(self) -> Statement | None:
        """The docstring of the file, which is its first statement."""
        statements = self.block.statements
        has_docstring = bool(statements) and statements[0].kind is Kind.STRING
        return statements[0] if has_docstring else None

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the text."""
        return self.code.text.split("\n")

    @cached_property
    def header(self) -> SourceSlice:
        """The comments and blank lines above the first statement."""
        first = _FIRST_CODE.search(self.code.masked_text)
        return self.code if first is None else self.code.cut(0, first.start())


def statement_named(module: Module, name: str) -> Statement | None:
    """Return the last statement at module level that defines a name."""
    for statement in reversed(module.block.statements):
        if statement.name == name:
            return statement
    return None


def statement_at(statements: Iterable[Statement], line: int) -> Statement | None:
    """Return the statement at a line of its file.

    The comments and blank lines above a statement belong to it.

    Args:
        statements: The statements.
        line: The line, from 1.

    Returns:
        The statement. None if the line is above or below all of them.
    """
    for statement in statements:
        if statement.code.line <= line <= statement.code.origin.last_line:
            return statement
    return None


def read(path: str, text: str) -> Module:
    """Make a module from a source text, without parsing it.

    Args:
        path: The path of the file, relative to the root.
        text: Its text, with line ends of any kind.
    """
    text = normalize_text(text)
    code = SourceSlice(text, scan.mask_text(text), path, 1)
    return Module(path, _without_form_feeds(code))


def _without_form_feeds(code: SourceSlice) -> SourceSlice:
    """Return code without form feeds, which Python treats as blanks.

    A form feed between words becomes a blank. In an indent, it is removed together with
    the blanks before it, because Python starts to count the indent anew after it.
    """
    if "\f" not in code.text:
        return code
    edits = []
    for match in _FORM_FEED.finditer(code.masked_text):
        start, end = match.span()
        is_in_indent = match[1] is not None
        # A backslash and the line end after it are blanks in the masked text, so a match
        # can reach over them. The line below continues a statement: it has no indent.
        continuation_start = code.text.rfind("\n", start, end) + 1
        if continuation_start:
            edits.append((continuation_start, end, " "))
        elif is_in_indent:
            edits.append((start, end, ""))
        else:
            edits.append((start, end, " "))
    return code.replace(edits)


def normalize_text(text: str) -> str:
    """Return a text without byte-order mark, in which each line ends with ``\\n``."""
    text = text.removeprefix("\ufeff")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text if text.endswith("\n") else text + "\n"


def lines_with_ends(text: str) -> list[str]:
    """Return the lines of a text with their ends: ``\\n``, ``\\r\\n`` or ``\\r``.

    `str.splitlines` splits at form feeds, U+2028 and others, too.
    """
    return list(StringIO(text, newline=""))
