"""Splits a block of code into its statements, without a syntax tree.

Comments and blank lines above a statement belong to it; comments that end a block, at its own depth, belong to the block.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property, lru_cache
from typing import Any, Final, NamedTuple, TypeVar

from modular.source.scan import line_end, lines_at_depth, logical_line_end
from modular.source.source_slice import SourceSlice


_Made = TypeVar("_Made")
_KEPT = 512
"""Classes and functions that are kept: those of a large model and of the parents that it inherits from."""


class Kind(Enum):
    """What a statement is, as far as the rules care."""

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

    ``start`` is the offset at which its own first line begins in ``code`` (after leading comments and blank lines).
    ``name`` is what it defines, or the plain name that it assigns to.
    """

    code: Final[SourceSlice]
    start: Final[int]
    kind: Final[Kind]
    name: Final[str]
    _made: Final[dict[Callable[["Statement"], Any], Any]] = field(
        init=False, default_factory=dict
    )

    @property
    def lead(self) -> SourceSlice:
        """The comments and blank lines above the statement."""
        return self.code.cut(0, self.start)

    @cached_property
    def own(self) -> SourceSlice:
        """The statement without the lines above it."""
        return self.code.cut(self.start) if self.start else self.code

    @cached_property
    def words(self) -> frozenset[str]:
        """Every identifier and keyword in it."""
        return frozenset(self.code.words())

    def with_own(self, text: str) -> SourceSlice:
        """Return its code with another text for the statement itself; what is beside its last line stays."""
        start, end = self.start + len(self.indent), len(self.code.mask.rstrip())
        return (
            self.code
            if self.code.text[start:end] == text
            else self.code.replace([(start, end, text)])
        )

    def memoized(self, make: Callable[["Statement"], _Made]) -> _Made:
        """Return what a function makes of this statement; it is called when it is first asked for."""
        if make not in self._made:
            self._made[make] = make(self)
        made: _Made = self._made[make]
        return made

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
        """The blanks that its first own line begins with."""
        own = self.own.text
        return own[: len(own) - len(own.lstrip(" \t"))]

    @property
    def opening(self) -> int:
        """The offset of the line with the `class`, `def` or `async` of a definition."""
        return self._definition.start()

    @property
    def written_name(self) -> tuple[int, int]:
        """The span of a definition's name in its code."""
        return self._definition.span("defined")

    @cached_property
    def _definition(self) -> re.Match[str]:
        definition = _DEFINITION.search(self.code.mask, self.start)
        assert definition is not None
        return definition

    @property
    def head_end(self) -> int:
        """The offset after a definition's first line that is not a decorator, which brackets may continue."""
        return logical_line_end(self.code.mask, self.opening)

    @property
    def does_nothing(self) -> bool:
        """Whether it is `pass` or `...`."""
        return self.own.mask.strip() in ("pass", "...")

    @property
    def line(self) -> int:
        """The line (from 1) of the statement's first own line."""
        return self.code.line + self.code.text.count("\n", 0, self.start)


@lru_cache(maxsize=_KEPT)
def _definition(code: SourceSlice, start: int, kind: Kind, name: str) -> Statement:
    return Statement(code, start, kind, name)


def statement_of(code: SourceSlice, start: int, kind: Kind, name: str) -> Statement:
    """Return a statement. A class or function is the same object as long as its code is: what was made of it is kept.

    So an editor, in which most of a file stays as it is, waits for what a key stroke has changed and no more.
    """
    make = _definition if kind in (Kind.CLASS, Kind.FUNCTION) else Statement
    return make(code, start, kind, name)


class Block(NamedTuple):
    """The statements of a block and the comments that end it.

    ``offsets`` say where the code of each statement begins in the block's.
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
    r"|(?P<simple>(?:assert|break|continue|del|global|nonlocal|pass|raise|return|await|yield|lambda|not)\b)"
    r"|(?P<compound>(?:async|class|def|for|while|with)\b|match[ \t]+[^\s=]|match[(\[{\"'+~-][^\n=]*:[ \t]*(?:\n|\Z))"
    r"|(?:type\s+)?(?P<assigned>[^\W\d]\w*)\s*(?::(?!=)|=(?!=))"
)
"""How a statement begins: the last group that matches says what it is; `string` is one to its end."""

_COMPOUND = frozenset({"defined", "decorated", "guards", "compound"})
_DEFINITION = re.compile(
    r"^[ \t]*(?:async\s+)?(?P<keyword>def|class)\s+(?P<defined>\w+)", re.MULTILINE
)
_KINDS = {"string": Kind.STRING, "imports": Kind.IMPORT, "guards": Kind.GUARD}


def split(code: SourceSlice) -> Block:
    """Split a block, whose first code line sets the depth, into statements.

    The text must hold whole lines and end with a line end. Nothing is checked: broken code gives some split.
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
            text[begin:end], mask[begin:end], code.path, line, code.renaming, code.made
        )
        if ";" in whole.mask:
            for offset, piece, own in _pieces(whole, start - begin, indent):
                own_form = _FORM.match(piece.mask, own + len(indent))
                statements.append(
                    statement_of(piece, own, *_classify(own_form, len(piece.mask)))
                )
                offsets.append(begin + offset)
        else:
            statements.append(statement_of(whole, start - begin, *_classify(form, end)))
            offsets.append(begin)
        begin = end
        line += whole.text.count("\n")
    return Block(tuple(statements), tuple(offsets), code.cut(begin))


def _pieces(
    code: SourceSlice, start: int, indent: str
) -> Iterator[tuple[int, SourceSlice, int]]:
    """Yield each statement of a line, which semicolons may part: its offset, its code, where its own line begins in it.

    At module level a piece is as long as what it was made of, so that offsets into the file stay true.
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
                code.made,
            )
            yield begin, _indented(piece, begin, indent), 0 if begin else start
            line += text.count("\n", begin, end)
            begin = end
    last = SourceSlice(
        text[begin:], mask[begin:], code.path, line, code.renaming, code.made
    )
    yield begin, _indented(last, begin, indent), 0 if begin else start


def _indented(piece: SourceSlice, begin: int, indent: str) -> SourceSlice:
    return piece.replace([(0, 0, indent)]) if begin and indent else piece


def _starts(mask: str, first: int, indent: str) -> list[int]:
    """The offsets of the lines on which statements of this depth begin; ``first`` is the first of them."""
    starts: list[int] = []
    decorated = False
    for line in lines_at_depth(mask, first, indent):
        at = line + len(indent)
        if not decorated and not (starts and _CONTINUES.match(mask, at)):
            starts.append(line)
        decorated = mask[at] == "@"
    return starts


def _end(code: SourceSlice, start: int, following: int, depth: int | None) -> int:
    """Where the statement that begins at ``start`` ends: with its last code line, or with the comments of its block.

    ``depth`` is how far a statement with a block is indented; None: it has none.
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
    """What a statement is by its form, and the name that it defines or assigns to; it ends at ``end``."""
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
