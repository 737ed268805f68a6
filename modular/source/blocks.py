"""Splits a block of code into statements, without a syntax tree.

Comments and blank lines above a statement belong to it. Comments at the end of a block,
with its indent, belong to the block.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property, lru_cache
from typing import Any, Final, NamedTuple, TypeVar

from modular.source.scan import line_end, lines_at_depth, logical_line_end
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
    """

    code: Final[SourceSlice]
    start: Final[int]
    kind: Final[Kind]
    name: Final[str]
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
        """Return its code with another text for the statement; comments stay."""
        start = self.start + len(self.indent)
        end = len(self.code.mask.rstrip())
        if self.code.text[start:end] == text:
            return self.code
        return self.code.replace([(start, end, text)])

    def memoized(self, function: Callable[["Statement"], _Result]) -> _Result:
        """Return the result of a function, which is called only once."""
        if function not in self._memo:
            self._memo[function] = function(self)
        result: _Result = self._memo[function]
        return result

    @property
    def is_definition(self) -> bool:
        """Whether it is a class or a function."""
        return self.kind is Kind.CLASS or self.kind is Kind.FUNCTION

    @property
    def is_compound(self) -> bool:
        """Whether it holds other statements."""
        first = _FIRST.match(self.code.mask, self.start)
        return first is not None and _is_compound(self.code.mask, first.end(1))

    @property
    def indent(self) -> str:
        """The blanks with which its first line begins."""
        text = self.bare_code.text
        return text[: len(text) - len(text.lstrip(" \t"))]

    @property
    def header_start(self) -> int:
        """The offset of a definition after its decorators."""
        return self._definition.start()

    @property
    def name_span(self) -> tuple[int, int]:
        """The span of a definition's name in its code."""
        return self._definition.span("defined")

    @cached_property
    def _definition(self) -> re.Match[str]:
        definition = _DEFINITION.search(self.code.mask, self.start)
        assert definition is not None
        return definition

    @property
    def header_end(self) -> int:
        """The offset after a definition's header, which brackets may continue."""
        return logical_line_end(self.code.mask, self.header_start)

    @property
    def does_nothing(self) -> bool:
        """Whether it is `pass` or `...`."""
        return self.bare_code.mask.strip() in ("pass", "...")

    @property
    def line(self) -> int:
        """The line in the file on which the statement itself begins, from 1."""
        return self.code.line + self.code.text.count("\n", 0, self.start)


@lru_cache(maxsize=_MAX_CACHED_STATEMENTS)
def _definition(code: SourceSlice, start: int, kind: Kind, name: str) -> Statement:
    return Statement(code, start, kind, name)


def make_statement(code: SourceSlice, start: int, kind: Kind, name: str) -> Statement:
    """Return a statement; for a class or function with the same code the same object.

    Its memoized results are kept, then. So an editor only waits for the definitions
    that a key stroke changes.
    """
    if kind in (Kind.CLASS, Kind.FUNCTION):
        return _definition(code, start, kind, name)
    return Statement(code, start, kind, name)


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
_SEMICOLON = re.compile(r";\s*")
_CONTINUES = re.compile(r"(?:else|elif|except|finally)\b")
_OWN_COMMENT = re.compile(r"[ \t]*#")
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
_KINDS = {"string": Kind.STRING, "imports": Kind.IMPORT, "guards": Kind.GUARD}


def split(code: SourceSlice) -> Block:
    """Split a block into statements. The indent of its first statement is that of all.

    Args:
        code: Whole lines, with a final line end. Broken code gives some split.
    """
    text, mask = code.text, code.mask
    first = _FIRST.search(mask)
    if first is None:
        return Block((), (), code)
    indent = first.group(1)
    starts = _starts(mask, first.start(), indent)
    statements: list[Statement] = []
    offsets: list[int] = []
    begin = 0
    line = code.line
    for start, following in zip(starts, [*starts[1:], len(text)], strict=True):
        form = _FORM.match(mask, start + len(indent))
        end = _end(
            code,
            start,
            following,
            len(indent) if form and form.lastgroup in _COMPOUND else None,
        )
        whole = SourceSlice(
            text[begin:end],
            mask[begin:end],
            code.path,
            line,
            code.renaming,
            code.is_synthetic,
        )
        if ";" in whole.mask:
            for offset, piece, piece_start in _pieces(whole, start - begin, indent):
                piece_form = _FORM.match(piece.mask, piece_start + len(indent))
                statements.append(
                    make_statement(
                        piece, piece_start, *_classify(piece_form, len(piece.mask))
                    )
                )
                offsets.append(begin + offset)
        else:
            statements.append(
                make_statement(whole, start - begin, *_classify(form, end))
            )
            offsets.append(begin)
        begin = end
        line += whole.text.count("\n")
    return Block(tuple(statements), tuple(offsets), code.cut(begin))


def _pieces(
    code: SourceSlice, start: int, indent: str
) -> Iterator[tuple[int, SourceSlice, int]]:
    """Yield the statements between the semicolons of a line.

    Each comes with its offset and with the `start` of the statement. At module level a
    statement is as long as its source, so that offsets into the file stay correct.
    """
    begin, line, text, mask = 0, code.line, code.text, code.mask
    if mask.find(";", start) >= 0 and not _is_compound(mask, start + len(indent)):
        for match in _SEMICOLON.finditer(code.mask, start):
            at, end = match.span()
            if end == len(mask):
                text, mask = (
                    f"{text[:at]} {text[at + 1 :]}",
                    f"{mask[:at]} {mask[at + 1 :]}",
                )
                continue
            piece = SourceSlice(
                f"{text[begin:at]}\n",
                f"{mask[begin:at]}\n",
                code.path,
                line,
                code.renaming,
                code.is_synthetic,
            )
            yield begin, _indented(piece, begin, indent), 0 if begin else start
            line += text.count("\n", begin, end)
            begin = end
    last = SourceSlice(
        text[begin:], mask[begin:], code.path, line, code.renaming, code.is_synthetic
    )
    yield begin, _indented(last, begin, indent), 0 if begin else start


def _indented(piece: SourceSlice, begin: int, indent: str) -> SourceSlice:
    return piece.replace([(0, 0, indent)]) if begin and indent else piece


def _starts(mask: str, first: int, indent: str) -> list[int]:
    """Return the offsets of the lines with this indent on which statements begin."""
    starts: list[int] = []
    decorated = False
    for line in lines_at_depth(mask, first, indent):
        at = line + len(indent)
        if not decorated and not (starts and _CONTINUES.match(mask, at)):
            starts.append(line)
        decorated = mask[at] == "@"
    return starts


def _end(code: SourceSlice, start: int, following: int, depth: int | None) -> int:
    """Return the offset after a statement, and after the comments that end its block.

    Args:
        code: The code of the block.
        start: The offset of the statement.
        following: The offset of the next statement.
        depth: The width of the indent of a compound statement; None for another one.
    """
    end = line_end(code.text, len(code.mask[start:following].rstrip()) + start)
    if depth is None:
        return end
    position = end
    while position < following:
        next_line = line_end(code.text, position)
        line = code.text[position:next_line]
        if line.strip():
            if not (
                _OWN_COMMENT.match(line) and len(line) - len(line.lstrip()) > depth
            ):
                break
            end = next_line
        position = next_line
    return end


def _is_compound(mask: str, at: int) -> bool:
    form = _FORM.match(mask, at)
    return form is not None and form.lastgroup in _COMPOUND


def _classify(form: re.Match[str] | None, end: int) -> tuple[Kind, str]:
    """Return the kind and the name of the statement with this form."""
    if form is not None and form.lastgroup == "decorated":
        form = _DEFINITION.search(form.string, form.start(), end)
    group = None if form is None else form.lastgroup
    if form is not None and group == "defined":
        return (Kind.CLASS if form["keyword"] == "class" else Kind.FUNCTION), form[
            "defined"
        ]
    if form is not None and group == "assigned":
        return Kind.ASSIGNMENT, form["assigned"]
    return _KINDS.get(group or "", Kind.OTHER), ""
