"""Splits a block of code into statements, without a syntax tree.

Comments and blank lines above a statement belong to it. Comments at the end of a block,
with its indent, belong to the block.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any, Final, NamedTuple, TypeVar

from modular.source.scan import (
    line_end,
    lines_at_depth,
    logical_line_end,
)
from modular.source.source_slice import SourceSlice


_Result = TypeVar("_Result")
_MAX_CACHED_STATEMENTS = 512
"""As many classes and functions as a large model and its parents have."""


class Kind(Enum):
    """The kinds of statements. `GUARD` is an `if` or `try`."""

    IMPORT = "import"
    CLASS = "class"
    FUNCTION = "function"
    ASSIGNMENT = "assignment"
    STRING = "string"
    GUARD = "guard"
    OTHER = "other"


@dataclass(eq=False)
class Statement:
    """A statement with the comments and blank lines above it. It equals only itself.

    Attributes:
        code: The statement with the lines above it.
        start: The offset in the code at which the statement's first line begins.
        kind: Its kind.
        name: The name of the class or function, or the name that it assigns to.
        original: The definition in its file, if this is a renamed copy; else None.
    """

    code: Final[SourceSlice]
    start: Final[int]
    kind: Final[Kind]
    name: Final[str]
    original: "Final[Statement | None]" = None
    _memo: Final[dict[Callable[["Statement"], Any], Any]] = field(
        init=False, default_factory=dict
    )

    @property
    def lead(self) -> SourceSlice:
        """The comments and blank lines above the statement."""
        return self.code.cut(0, self.start)

    @cached_property
    def bare_code(self) -> SourceSlice:
        """The statement without the lines above it."""
        return self.code.cut(self.start) if self.start else self.code

    @cached_property
    def words(self) -> frozenset[str]:
        """All identifiers and keywords in it."""
        return frozenset(self.code.words())

    def with_bare_code(self, text: str) -> SourceSlice:
        """Return the code with another statement: comments above and after it stay."""
        start = self.start + len(self.indent)
        end = len(self.code.masked_text.rstrip())
        if self.code.text[start:end] == text:
            return self.code
        return self.code.replace([(start, end, text)])

    def memoized(self, function: Callable[["Statement"], _Result]) -> _Result:
        """Return `function(statement)`, which is computed only once."""
        if function not in self._memo:
            self._memo[function] = function(self)
        result: _Result = self._memo[function]
        return result

    @property
    def is_definition(self) -> bool:
        """Whether it is a class or a function."""
        return self.kind is Kind.CLASS or self.kind is Kind.FUNCTION

    @cached_property
    def is_compound(self) -> bool:
        """Whether it holds other statements."""
        return _is_compound(self.code.masked_text, self.start + len(self.indent))

    @property
    def indent(self) -> str:
        """The blanks with which its first line begins."""
        match = _INDENT.match(self.code.text, self.start)
        assert match is not None, "it matches an empty text"
        return match[0]

    @property
    def header_start(self) -> int:
        """The offset of a definition after its decorators."""
        return self._definition_match.start()

    @property
    def name_span(self) -> tuple[int, int]:
        """The span of a definition's name in its code."""
        return self._definition_match.span("defined")

    @cached_property
    def _definition_match(self) -> re.Match[str]:
        """The match of `class A` or `def f` below the decorators of a definition."""
        definition = _DEFINITION.search(self.code.masked_text, self.start)
        assert definition is not None
        return definition

    @property
    def is_decorated(self) -> bool:
        """Whether a definition has decorators."""
        return self.code.masked_text.startswith("@", self.start + len(self.indent))

    @property
    def header_end(self) -> int:
        """The offset after a definition's header, which brackets may continue."""
        return logical_line_end(self.code.masked_text, self.header_start)

    @property
    def does_nothing(self) -> bool:
        """Whether it is `pass` or `...`."""
        if self.kind is not Kind.OTHER:
            return False
        return self.code.masked_text[self.start :].strip() in ("pass", "...")

    @property
    def line(self) -> int:
        """The line in the file on which the statement itself begins, from 1."""
        return self.code.line + self.code.text.count("\n", 0, self.start)


def make_statement(
    code: SourceSlice,
    start: int,
    kind: Kind,
    name: str,
    original: Statement | None = None,
) -> Statement:
    """Return a statement, which is reused if it is an unchanged class or function.

    A statement keeps the results of slow work on it. An editor converts a file after
    each key stroke, so with reuse only the changed definitions are parsed again.

    Args:
        code: The statement, with the comments and blank lines above it.
        start: The offset in the code at which the statement's first line begins.
        kind: The kind of the statement.
        name: The name of the class or function, or the name that it assigns to.
        original: The definition in its file, if this is a renamed copy; else None.
    """
    if kind in (Kind.CLASS, Kind.FUNCTION):
        return _make_cached_statement(code, start, kind, name, original)
    return Statement(code, start, kind, name)


_make_cached_statement = lru_cache(maxsize=_MAX_CACHED_STATEMENTS)(Statement)


class Block(NamedTuple):
    """The statements of a block.

    Attributes:
        statements: The statements.
        offsets: The offset of each statement's code in the code of the block.
        footer: The comments and blank lines at the end.
    """

    statements: tuple[Statement, ...]
    offsets: tuple[int, ...]
    footer: SourceSlice


_FIRST = re.compile(r"^([ \t]*)\S", re.MULTILINE)
_INDENT = re.compile(r"[ \t]*")
_SEMICOLON_AND_BLANKS = re.compile(r";\s*")
_BRANCH = re.compile(r"(?:else|elif|except|finally)\b")
_COMMENT_LINE = re.compile(r"([ \t]*)#")
_FORM = re.compile(
    r"(?P<string>(?>(?:[rRuU]?\"+[ \t]*)+)(?:\n|\Z))"
    r"|(?:async\s+)?(?P<keyword>def|class)\s+(?P<defined>\w+)"
    r"|(?P<decorated>@)"
    r"|(?P<imports>(?:from|import)\b)"
    r"|(?P<guards>(?:if|try)\b)"
    r"|(?P<simple>(?:assert|break|continue|del|global|nonlocal|pass|raise|return"
    r"|await|yield|lambda|not)\b)"
    r"|(?P<compound>(?:async|class|def|for|while|with)\b|match[ \t]+[^\s=]"
    r"|match[(\[{\"'+~-][^\n=]*:[ \t]*(?:\n|\Z))"
    r"|(?:type\s+)?(?P<assigned>[^\W\d]\w*)\s*(?::(?!=)|=(?!=))"
)
"""The beginning of a statement, whose form is `lastgroup`; all of a `string`."""

_COMPOUND = frozenset({"defined", "decorated", "guards", "compound"})
_DEFINITION = re.compile(
    r"^[ \t]*(?:async\s+)?(?P<keyword>def|class)\s+(?P<defined>\w+)", re.MULTILINE
)
_KINDS: dict[str | None, Kind] = {
    "string": Kind.STRING,
    "imports": Kind.IMPORT,
    "guards": Kind.GUARD,
}
"""The kinds of the forms without a name; those that are not listed are `OTHER`."""


def split(code: SourceSlice) -> Block:
    """Split a block of code into its statements, without a syntax tree.

    Comments and blank lines above a statement belong to it. All statements have the
    indent of the first one.

    Args:
        code: Whole lines, with a final line end. Code with syntax errors is split, too,
            but not always where its author would split it.
    """
    first = _FIRST.search(code.masked_text)
    if first is None:
        return Block(statements=(), offsets=(), footer=code)
    indent = first[1]
    starts = _statement_starts(code.masked_text, first.start(), indent)
    ends = []
    for start, next_start in pairwise([*starts, len(code.text)]):
        ends.append(_statement_end(code, start, next_start, indent))

    # The lead of a statement, the comments and blank lines above it, begins where the
    # statement above ends. In the lines `a`, `# lead of c` and `c`, this is offset 2.
    lead_starts = [0, *ends[:-1]]
    *codes, footer = code.cut_at([0, *ends])
    statements = []
    offsets = []
    for lead_start, start, lead_and_line in zip(
        lead_starts, starts, codes, strict=True
    ):
        # The line `a; b` has two statements.
        for part in _split_at_semicolons(lead_and_line, start - lead_start, indent):
            statements.append(_classify(part.code, part.lead_length, indent))
            offsets.append(lead_start + part.offset)
    return Block(tuple(statements), tuple(offsets), footer)


def split_renamed(code: SourceSlice, original: Block) -> Block:
    """Split a renamed block of code into the statements of the original block.

    Renaming changes names, but no line ends, so a statement has as many lines in both. A
    statement without the renamed name is the same object in both blocks, so that slow
    work on it, such as parsing, is done only once.

    Args:
        code: The renamed code, with as many lines as the original block.
        original: The block before the renaming. Each of its statements has lines of its
            own.
    """
    first = _FIRST.search(code.masked_text)
    indent = "" if first is None else first[1]
    offset = 0
    statements = []
    offsets = []
    for statement in original.statements:
        offsets.append(offset)
        text = statement.code.text
        if code.text.startswith(text, offset):
            statements.append(statement)
            offset += len(text)
            continue
        end = _skip_lines(code.text, offset, text.count("\n"))
        # `code.cut(offset, end)` would find the same line, but count all lines above.
        renamed_code = code._replace(
            text=code.text[offset:end],
            masked_text=code.masked_text[offset:end],
            line=statement.code.line,
        )
        lead_length = _skip_lines(renamed_code.text, 0, statement.lead.text.count("\n"))
        statements.append(_classify(renamed_code, lead_length, indent, statement))
        offset = end
    return Block(tuple(statements), tuple(offsets), code.cut(offset))


def _skip_lines(text: str, offset: int, count: int) -> int:
    """Return the offset in a text after a number of lines."""
    for _ in range(count):
        offset = text.index("\n", offset) + 1
    return offset


class _Part(NamedTuple):
    """The only statement of a line, or one of several.

    Attributes:
        offset: The offset at which the part begins in the code that was split.
        code: The part. The first one begins with the comments and blank lines above.
        lead_length: The length of these comments and blank lines.
    """

    offset: int
    code: SourceSlice
    lead_length: int


def _split_at_semicolons(
    code: SourceSlice, lead_length: int, indent: str
) -> list[_Part]:
    """Split several statements on a line: `a; b` into the lines `a` and `b`.

    A single statement is the only part, and so is a compound one such as `if x: a; b`.

    Args:
        code: The line, or a single statement, with the comments and blank lines above.
        lead_length: The length of these comments and blank lines.
        indent: The indent of the line, which each part gets.
    """
    has_semicolon = ";" in code.masked_text
    if not has_semicolon or _is_compound(code.masked_text, lead_length + len(indent)):
        return [_Part(offset=0, code=code, lead_length=lead_length)]
    offsets = [0]
    for semicolon in _SEMICOLON_AND_BLANKS.finditer(code.masked_text, lead_length):
        # In `a; b;  # comment`, no part begins after the last semicolon. A comment is
        # blank in the masked text, so the match reaches the end of the text.
        if semicolon.end() < len(code.masked_text):
            offsets.append(semicolon.end())

    parts = []
    for offset, part in zip(offsets, code.cut_at(offsets), strict=True):
        line = _without_semicolon(part, is_last=offset == offsets[-1])
        if offset == 0:
            # The first part has the comments above and the indent of the line.
            parts.append(_Part(offset, line, lead_length))
        else:
            indented_line = line.replace([(0, 0, indent)])
            parts.append(_Part(offset, indented_line, lead_length=0))
    return parts


def _without_semicolon(part: SourceSlice, is_last: bool) -> SourceSlice:
    """Return a part of a line as a line of its own, without the semicolon at its end.

    Args:
        part: The part, such as `a; ` or `b;  # comment`.
        is_last: Whether the part ends the line. Then its comment and line end stay.
    """
    semicolon = part.masked_text.rfind(";")
    if not is_last:
        return part.replace([(semicolon, len(part.masked_text), "\n")])
    if semicolon < 0:
        return part
    return part.replace([(semicolon, semicolon + 1, " ")])


def _statement_starts(masked_text: str, first: int, indent: str) -> list[int]:
    """Return the offsets of the lines on which the statements of a block begin.

    A decorator belongs to the definition below it, and `else:` to the `if` above it.

    Args:
        masked_text: The block with strings and comments overwritten (`scan.mask_text`).
        first: The offset of the first statement's line.
        indent: The indent of all statements in the block.
    """
    starts: list[int] = []
    is_below_decorator = False
    for line_start in lines_at_depth(masked_text, first, indent):
        code_start = line_start + len(indent)
        is_first = line_start == first
        # In broken code, the first line can be an `else:` without an `if` above it.
        is_branch = not is_first and _BRANCH.match(masked_text, code_start)
        if not is_below_decorator and not is_branch:
            starts.append(line_start)
        is_below_decorator = masked_text[code_start] == "@"
    return starts


def _statement_end(code: SourceSlice, start: int, next_start: int, indent: str) -> int:
    """Return the offset after a statement, and after the comments that end its body.

    A comment belongs to the body if it is indented more than the statement:

        if x:
            y()

            # belongs to the body
        # belongs to the next statement

    Args:
        code: The code of the block.
        start: The offset of the statement's first line.
        next_start: The offset of the next statement's first line.
        indent: The indent of both.
    """
    # Comments are blank in the masked text, so they are stripped with the blank lines.
    code_end = start + len(code.masked_text[start:next_start].rstrip())
    end = line_end(code.text, code_end)
    lines_below = code.text[end:next_start]
    has_comments_below = bool(lines_below.strip())
    # Only a compound statement, such as `if`, has a body that comments can end.
    if has_comments_below and _is_compound(code.masked_text, start + len(indent)):
        end += _body_comments_length(lines_below, indent)
    return end


def _body_comments_length(lines: str, indent: str) -> int:
    """Return the length of the comments below a body that belong to the body.

    Comments that are indented more than the compound statement belong to its body, and so
    do the blank lines above these comments.

    Args:
        lines: The comments and blank lines below a body.
        indent: The indent of the compound statement.
    """
    length = 0
    line_stop = 0
    for line in lines.split("\n"):
        line_stop += len(line) + 1
        if not line.strip():
            continue
        comment = _COMMENT_LINE.match(line)
        if comment is None or len(comment[1]) <= len(indent):
            break
        length = line_stop
    return length


def _is_compound(masked_text: str, start: int) -> bool:
    """Whether a compound statement, such as `if` or `class`, begins at an offset."""
    form = _FORM.match(masked_text, start)
    return form is not None and form.lastgroup in _COMPOUND


def _classify(
    code: SourceSlice, start: int, indent: str, original: Statement | None = None
) -> Statement:
    """Return the statement that begins at an offset, with its kind and name.

    For `class A:` these are `Kind.CLASS` and `A`. Most other kinds have no name.

    Args:
        code: The statement, with the comments and blank lines above it.
        start: The offset of the statement's first line.
        indent: The indent of that line.
        original: The statement in its file, if this is a renamed copy; else None.
    """
    match = _FORM.match(code.masked_text, start + len(indent))
    if match is None:
        return make_statement(code, start, Kind.OTHER, name="")
    # The pattern has a group for each form of statement; only one group matches.
    form = match.lastgroup
    if form == "assigned":
        return make_statement(code, start, Kind.ASSIGNMENT, match["assigned"])
    if form in ("defined", "decorated"):
        # The definition is below its decorators: `@cache` above `def f():`. In broken
        # code, there can be decorators without a definition.
        definition = _DEFINITION.search(code.masked_text, start)
        if definition is not None:
            is_class = definition["keyword"] == "class"
            kind = Kind.CLASS if is_class else Kind.FUNCTION
            return make_statement(code, start, kind, definition["defined"], original)
    return make_statement(code, start, _KINDS.get(form, Kind.OTHER), name="")
