"""Splits a block of code into its statements, without a syntax tree.

Comments and blank lines above a statement belong to it; comments that end a block, at its own depth, belong to the block.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from modular.source.code import Code


class Kind(Enum):
    """What a statement is, as far as the rules care."""

    IMPORT = "import"
    CLASS = "class"
    FUNCTION = "function"
    ASSIGNMENT = "assignment"
    ITEM_ASSIGNMENT = "item assignment"
    STRING = "string"
    GUARD = "guard"
    OTHER = "other"


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """A statement with what stands above it. It equals only itself.

    ``start`` is the offset at which its own first line begins in ``code`` (behind leading comments and blank lines).
    ``name`` is what it defines or assigns to; for an assignment to an item or attribute the name on the very left.
    """

    code: Code
    start: int
    kind: Kind
    name: str

    @property
    def lead(self) -> Code:
        """The comments and blank lines above the statement."""
        return self.code.cut(0, self.start)

    @property
    def own(self) -> Code:
        """The statement without what stands above it."""
        return self.code.cut(self.start)

    @property
    def does_nothing(self) -> bool:
        """Whether it is `pass` or `...`."""
        return self.own.bare() in ("pass", "...")

    @property
    def line(self) -> int:
        """The line (from 1) of the statement's first own line."""
        return self.code.line + self.code.text.count("\n", 0, self.start)


@dataclass(frozen=True, slots=True)
class Block:
    """The statements of a block and the comments that end it.

    ``offsets`` say where the code of each statement begins in the block's.
    """

    statements: tuple[Statement, ...]
    offsets: tuple[int, ...]
    footer: Code


_FIRST = re.compile(r"^([ \t]*)\S", re.MULTILINE)
_SEMICOLON = re.compile(r";\s*")
_CONTINUES = re.compile(r"(?:else|elif|except|finally)\b")
_OWN_COMMENT = re.compile(r"[ \t]*#")
_COMPOUND = re.compile(
    r"@|(?:async|class|def|for|if|try|while|with)\b|match[ \t]+[^\s=]|match[(\[{\"'+~-][^\n=]*:[ \t]*(?:\n|\Z)"
)
_STRING = re.compile(r"(?:[rRuU]?\"+[ \t]*)++(?:\n|\Z)")
_DEFINITION = re.compile(r"(?:async\s+)?(def|class)\s+(\w+)")
_DECORATED = re.compile(r"^[ \t]*(?:async\s+)?(def|class)\s+(\w+)", re.MULTILINE)
_IMPORT = re.compile(r"(?:from|import)\b")
_GUARD = re.compile(r"(?:if|try)\b")
_ASSIGNED = re.compile(r"(?:type\s+)?([^\W\d]\w*)\s*(?::(?!=)|=(?!=))")
_ASSIGNMENT_SIGN = re.compile(r"[()\[\]{}=:;]")
_ITEM_ASSIGNED = re.compile(r"([^\W\d]\w*)\s*[.\[]")
_SIMPLE_KEYWORD = re.compile(
    r"(?:assert|break|continue|del|global|nonlocal|pass|raise|return|await|yield|lambda|not)\b"
)
_OPERATORS = frozenset("+-*/%&|^<>!@=:")


def split(code: Code) -> Block:
    """Split a block, whose first code line sets the depth, into statements.

    The text must hold whole lines and end with a line end. Nothing is checked: broken code gives some split.
    """
    first = _FIRST.search(code.mask)
    if first is None:
        return Block((), (), code)
    indent = first.group(1)
    starts = _starts(code.mask, indent)
    statements: list[Statement] = []
    offsets: list[int] = []
    begin = 0
    line = code.line
    for start, following in zip(starts, [*starts[1:], len(code.text)], strict=True):
        end = _end(code, start, following, len(indent))
        whole = Code(code.text[begin:end], code.mask[begin:end], code.path, line, code.renaming, code.made)
        for offset, piece, own in _pieces(whole, start - begin, indent):
            statements.append(_statement(piece, own, len(indent)))
            offsets.append(begin + offset)
        begin = end
        line += whole.text.count("\n")
    return Block(tuple(statements), tuple(offsets), code.cut(begin))


def _pieces(code: Code, start: int, indent: str) -> Iterator[tuple[int, Code, int]]:
    """Yield each statement of a line, which semicolons may part: its offset, its code, where its own line begins in it.

    At module level a piece is as long as what it was made of, so that offsets into the file stay true.
    """
    begin, line, text, mask = 0, code.line, code.text, code.mask
    if mask.find(";", start) >= 0 and not _COMPOUND.match(mask, start + len(indent)):
        for match in _SEMICOLON.finditer(code.mask, start):
            at, end = match.span()
            if end == len(mask):
                text, mask = f"{text[:at]} {text[at + 1 :]}", f"{mask[:at]} {mask[at + 1 :]}"
                continue
            piece = Code(f"{text[begin:at]}\n", f"{mask[begin:at]}\n", code.path, line, code.renaming, code.made)
            yield begin, _indented(piece, begin, indent), 0 if begin else start
            line += text.count("\n", begin, end)
            begin = end
    last = Code(text[begin:], mask[begin:], code.path, line, code.renaming, code.made)
    yield begin, _indented(last, begin, indent), 0 if begin else start


def _indented(piece: Code, begin: int, indent: str) -> Code:
    return piece.replace([(0, 0, indent)]) if begin and indent else piece


def _starts(mask: str, indent: str) -> list[int]:
    """The offsets of the lines on which statements of this depth begin."""
    candidates = [match.start() for match in re.finditer(rf"^{indent}(?=\S)", mask, re.MULTILINE)]
    starts: list[int] = []
    depth = previous = 0
    decorated = False
    for candidate in candidates:
        if starts:
            depth += _opened(mask, previous, candidate)
        previous = candidate
        at = candidate + len(indent)
        if depth == 0 and not decorated and not (starts and _CONTINUES.match(mask, at)):
            starts.append(candidate)
        if depth == 0:
            decorated = mask[at] == "@"
    return starts


def _opened(mask: str, start: int, end: int) -> int:
    """How many more brackets open than close in the span."""
    count = mask.count
    opened = count("(", start, end) + count("[", start, end) + count("{", start, end)
    return opened - count(")", start, end) - count("]", start, end) - count("}", start, end)


def _end(code: Code, start: int, following: int, depth: int) -> int:
    """Where the statement that begins at ``start`` ends: with its last code line, or with the comments of its block."""
    last = len(code.mask[start:following].rstrip()) + start
    end = _line_end(code.text, last)
    if not _COMPOUND.match(code.mask, start + depth):
        return end
    position = end
    while position < following:
        line_end = _line_end(code.text, position)
        line = code.text[position:line_end]
        if line.strip():
            if not (_OWN_COMMENT.match(line) and len(line) - len(line.lstrip()) > depth):
                break
            end = line_end
        position = line_end
    return end


def _line_end(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end + 1


def _statement(code: Code, start: int, depth: int) -> Statement:
    kind, name = _classify(code.mask, start + depth)
    return Statement(code, start, kind, name)


def _classify(mask: str, at: int) -> tuple[Kind, str]:
    if _STRING.match(mask, at):
        return Kind.STRING, ""
    if mask[at] == "@":
        definition = _DECORATED.search(mask, at)
    else:
        definition = _DEFINITION.match(mask, at)
    if definition:
        return (Kind.CLASS if definition.group(1) == "class" else Kind.FUNCTION), definition.group(2)
    if _IMPORT.match(mask, at):
        return Kind.IMPORT, ""
    if _GUARD.match(mask, at):
        return Kind.GUARD, ""
    return _classify_assignment(mask, at)


def _classify_assignment(mask: str, at: int) -> tuple[Kind, str]:
    if _SIMPLE_KEYWORD.match(mask, at) or _COMPOUND.match(mask, at):
        return Kind.OTHER, ""
    if match := _ASSIGNED.match(mask, at):
        return Kind.ASSIGNMENT, match.group(1)
    match = _ITEM_ASSIGNED.match(mask, at)
    if match and assignment_operator(mask, at) is not None:
        return Kind.ITEM_ASSIGNMENT, match.group(1)
    return Kind.OTHER, ""


def assignment_operator(mask: str, at: int = 0) -> int | None:
    """The offset of the ``=`` or of the annotation's ``:`` behind the first target of an assignment, if it is one.

    Augmented assignments are none.
    """
    depth = 0
    for match in _ASSIGNMENT_SIGN.finditer(mask, at):
        letter = match.group()
        if letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
        elif depth == 0:
            position = match.start()
            if letter == "=" and (mask[position - 1] in _OPERATORS or mask[position + 1 : position + 2] == "="):
                return None
            return None if letter == ";" or mask[position : position + 2] == ":=" else position
    return None
