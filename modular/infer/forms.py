"""What makes two pieces of code the same: all but their layout, comments that mark a copy, the order of some lines."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import chain

from modular.source.assignments import assigned_target
from modular.source.blocks import Kind, Statement
from modular.source.code import SourceSlice
from modular.source.indentation import normalize_indentation
from modular.source.parts import view_definition


_COPY_REMARK = re.compile(
    r"[ \t]*# (?:Copied from\b|Ignore copy[ \t]*$|(?:[^#]*\b[Cc]opied|[Aa]dapted) from (?:\w+\.)*models\.\w+\.)"
)
_LAYOUT = re.compile(r"[ \t\n]+|\)|(?<![\w\])])\((?=[ \t]*\n)|,(?=\s*[)\]}])")
_TRAILING_COMMA = re.compile(r",\s*[)\]}]")
_BLANK_LINES = re.compile(r"(?:\A|\n)[ \t\n]*\n")
_DEFINITION = re.compile(r"(?:async def|class|def)\b|@")
_ORDERED = re.compile(r"dataclass|Enum|Flag|NamedTuple")
"""What says that the order of a class's attributes decides something."""

_INIT = "__init__"
_SELF = "self."


def is_copy_remark(line: str) -> bool:
    """Whether a line says what is a copy, or that something is none: inheriting replaces such comments."""
    return _COPY_REMARK.match(line) is not None


def normal(code: SourceSlice) -> str:
    """Return code less its layout: blanks, line breaks, trailing commas and brackets. Strings and other comments stay.

    Blank lines stay where it is not the formatter that puts them. Code with two normal forms is not the same.
    """
    return _normal(code.text, code.mask)


@lru_cache(maxsize=8_000)
def _normal(text: str, mask: str) -> str:
    pieces, done = [], 0
    for match in _LAYOUT.finditer(mask):
        start, end = match.span()
        is_parted = (
            end == len(mask)
            or text[end - 1] == "\n"
            or _DEFINITION.match(mask, end) is not None
        )
        pieces += [text[done:start], *_between(text[start:end], start > 0, is_parted)]
        done = end
    return "".join([*pieces, text[done:]])


def _between(text: str, is_inside: bool, is_parted: bool) -> Iterator[str]:
    """The comments in what is between two pieces of code; and blank lines, unless these are parted by the formatter."""
    if "\n" in text or "#" in text:
        lines = [line.strip() for line in text.split("\n") if not is_copy_remark(line)]
        for number, line in enumerate(lines):
            if line or (is_inside <= number < len(lines) - 1 and not is_parted):
                yield f"{line}\n"


def compact(code: SourceSlice) -> str:
    """Return the normal form without blank lines."""
    return normal(code).replace("\n", "")


def equal_after_formatting(code: SourceSlice, wanted: SourceSlice) -> bool:
    """Whether code is the wanted one once it is formatted, as far as can be told: a trailing comma may come, but none goes."""
    if normal(code) != normal(wanted):
        return False
    return len(_TRAILING_COMMA.findall(code.mask)) <= len(
        _TRAILING_COMMA.findall(wanted.mask)
    )


def lines_of(code: SourceSlice) -> str:
    """Return the lines of some code as they stand, less blank ones and comments that mark a copy."""
    pieces, done = [], 0
    for match in _BLANK_LINES.finditer(code.mask):
        start, end = match.span()
        kept = [
            line
            for line in code.text[start:end].split("\n")
            if line.strip() and not is_copy_remark(line)
        ]
        pieces += [code.text[done:start], "\n", *(f"{line}\n" for line in kept)]
        done = end
    return "".join([*pieces, code.text[done:]]).strip("\n")


def order_insensitive_key(
    statement: Statement, form: Callable[[SourceSlice], str] = compact
) -> tuple[str, ...]:
    """Return a definition as something that is equal for two whose lines come in another order and are the same in a form.

    Members of a class may come in any order that follow each other, define a name each, and read none that another one defines;
    so may statements of `__init__` that set an attribute each. What makes parameters or items of attributes keeps their order.
    """
    is_class = statement.kind is Kind.CLASS
    if not statement.is_definition or not (is_class or statement.name == _INIT):
        return (form(statement.code),)
    parts = view_definition(normalize_indentation(statement))
    if parts.is_inline:
        return (form(statement.code),)
    forms = [form(code) for code in (parts.lead, parts.decorators, parts.header)]
    is_ordered = (
        is_class
        and _ORDERED.search(parts.decorators.mask + parts.header.mask) is not None
    )
    for run in _runs(
        parts.body.statements,
        _defined_and_read if is_class and not is_ordered else _set_and_read,
    ):
        forms += chain.from_iterable(
            sorted(order_insensitive_key(member, form) for member in run)
        )
    return (*forms, form(parts.body.footer))


def _runs(
    statements: Iterable[Statement], reads: Callable[[Statement], tuple[str, set[str]]]
) -> Iterator[list[Statement]]:
    """Part the body of a class or method into statements whose order decides nothing: most of a method's appear alone.

    ``reads`` says what a statement gives a value, if that is all it does, and the words that it reads for that.
    """
    run: list[Statement] = []
    names, read = set[str](), set[str]()
    for statement in statements:
        name, words = reads(statement)
        if run and (
            not name or name in read or name in names or not names.isdisjoint(words)
        ):
            yield run
            run, names, read = [], set(), set()
        run.append(statement)
        if not name:
            yield run
            run = []
            continue
        names.add(name)
        read |= words
    if run:
        yield run


def _set_and_read(statement: Statement) -> tuple[str, set[str]]:
    """The attribute of `self` that a statement assigns to, and its words."""
    target = assigned_target(statement)
    is_attribute = target is not None and target.text.startswith(_SELF)
    return target.text.removeprefix(
        _SELF
    ) if is_attribute and target is not None else "", set(statement.own.words())


def _defined_and_read(statement: Statement) -> tuple[str, set[str]]:
    """The method or attribute that a member of a class defines, and the words that are read when the class is made."""
    if statement.kind is Kind.FUNCTION:
        parts = view_definition(normalize_indentation(statement))
        return statement.name, {
            *parts.decorators.words(),
            *parts.header.words(),
        }.difference(parts.parameters, (statement.name,))
    target = assigned_target(statement)
    return (
        target.text if target is not None and target.text.isidentifier() else "",
        set(statement.own.words()),
    )
