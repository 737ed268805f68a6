"""Classes and functions taken apart: decorators, header, body, members."""

import re
from dataclasses import dataclass
from functools import cached_property

from modular.source.blocks import Block, Kind, Statement, split
from modular.source.code import Code
from modular.source.indentation import STEP


_OPENING = re.compile(r"^[ \t]*(?:async\s+)?(?:def|class)\s+\w+", re.MULTILINE)
_TYPE_PARAMETERS = re.compile(r"\s*(\[)")
_BRACKET = re.compile(r"[()\[\]{}]")
_BRACKET_OR_COLON = re.compile(r"[()\[\]{}:,]")


@dataclass(frozen=True)
class Parts:
    """A class or function definition.

    The offsets into its code say where its `class`, `def` or `async` line begins, where its name ends (type parameters
    included) and where its header ends (behind the colon). A body on the header's line is put on a line of its own.
    """

    statement: Statement
    opening: int
    name_end: int
    header_end: int

    @property
    def code(self) -> Code:
        """The whole statement, with what stands above it."""
        return self.statement.code

    @property
    def name(self) -> str:
        """The name of the class or function."""
        return self.statement.name

    @property
    def lead(self) -> Code:
        """The comments and blank lines above."""
        return self.statement.lead

    @cached_property
    def decorators(self) -> Code:
        """The decorator lines, empty if there are none."""
        return self.code.cut(self.statement.start, self.opening)

    @cached_property
    def header(self) -> Code:
        """From the keyword to the end of the header's last line, a comment behind it included."""
        return self.code.cut(self.opening, self._header_line_end)

    @property
    def _header_line_end(self) -> int:
        end = self.code.text.find("\n", self.header_end) + 1
        return end if not self.is_inline else self.header_end

    @cached_property
    def is_inline(self) -> bool:
        """Whether the body stands on the header's line."""
        end = self.code.mask.find("\n", self.header_end)
        return bool(self.code.mask[self.header_end : end].strip())

    @cached_property
    def parentheses(self) -> tuple[int, int] | None:
        """The offsets behind the opening and before the closing parenthesis of the header, if it has them."""
        opening = self.code.mask.find("(", self.name_end, self.header_end)
        if opening < 0:
            return None
        return opening + 1, closing_bracket(self.code.mask, opening)

    @property
    def type_parameters(self) -> str:
        """The type parameters with their brackets, or nothing."""
        opening = self.code.mask.find("[", self.opening, self.name_end)
        return self.code.text[opening : self.name_end] if opening >= 0 else ""

    @property
    def argument_text(self) -> str:
        """What stands between the parentheses."""
        return self.code.text[slice(*self.parentheses)] if self.parentheses else ""

    @cached_property
    def arguments(self) -> tuple[str, ...]:
        """The bases and keywords of a class, or the parameters of a function, as written."""
        if self.parentheses is None:
            return ()
        start, end = self.parentheses
        code = self.code.cut(start, end)
        return tuple(part for part in split_arguments(code.without_comments(), code.mask) if part)

    @cached_property
    def returns(self) -> str:
        """The return annotation of a function with its arrow, or nothing."""
        if self.parentheses is None:
            return ""
        return self.code.text[self.parentheses[1] + 1 : self.header_end - 1].strip()

    @cached_property
    def body(self) -> Block:
        """The statements of the body."""
        if self.is_inline:
            indent = _indent(self.code.text, self.opening) + STEP
            return split(_own_line(self.code.cut(self.header_end), indent))
        return split(self.code.cut(self._header_line_end))

    @cached_property
    def docstring(self) -> Statement | None:
        """The docstring: for a function the statement that its body begins with, for a class any string that stands alone."""
        candidates = self.body.statements if self.statement.kind is Kind.CLASS else self.body.statements[:1]
        return next((each for each in candidates if each.kind is Kind.STRING), None)


def take_apart(statement: Statement) -> Parts:
    """Take a class or function statement apart."""
    code = statement.code
    found = _OPENING.search(code.mask, statement.start)
    assert found is not None
    parameters = _TYPE_PARAMETERS.match(code.mask, found.end())
    name_end = closing_bracket(code.mask, parameters.start(1)) + 1 if parameters else found.end()
    return Parts(statement, found.start(), name_end, _header_end(code.mask, name_end))


def header_and_body(code: Code, start: int) -> tuple[Code, Block]:
    """Part a branch of an `if` or `try`, whose header's line begins at ``start``: all up to its body, and its body."""
    header_end = _header_end(code.mask, start)
    line_end = code.mask.find("\n", header_end) + 1 or len(code.mask)
    if code.mask[header_end:line_end].strip():
        body = _own_line(code.cut(header_end), _indent(code.text, start) + STEP)
        return code.cut(0, header_end).replace([(header_end, header_end, "\n")]), split(body)
    return code.cut(0, line_end), split(code.cut(line_end))


def _own_line(code: Code, indent: str) -> Code:
    """Put code that stands behind a header on a line of its own."""
    blank = len(code.text) - len(code.text.lstrip(" \t"))
    return code.replace([(0, blank, indent)])


def _indent(text: str, start: int) -> str:
    return text[start : len(text) - len(text[start:].lstrip(" \t"))]


def _header_end(mask: str, position: int) -> int:
    depth = 0
    for match in _BRACKET_OR_COLON.finditer(mask, position):
        sign = match.group()
        if sign in "([{":
            depth += 1
        elif sign in ")]}":
            depth -= 1
        elif sign == ":" and depth == 0:
            return match.end()
    return len(mask)


def closing_bracket(mask: str, opening: int) -> int:
    """Return the offset of the bracket that closes the one at ``opening``."""
    depth = 0
    for match in _BRACKET.finditer(mask, opening):
        depth += 1 if match.group() in "([{" else -1
        if depth == 0:
            return match.start()
    return len(mask)


def split_arguments(text: str, mask: str) -> list[str]:
    """Split what stands between brackets at its own commas; the parts are stripped."""
    parts, depth, start = [], 0, 0
    for match in _BRACKET_OR_COLON.finditer(mask):
        sign = match.group()
        if sign in "([{":
            depth += 1
        elif sign in ")]}":
            depth -= 1
        elif sign == "," and depth == 0:
            parts.append(text[start : match.start()].strip())
            start = match.end()
    return [*parts, text[start:].strip()]
