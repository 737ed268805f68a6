"""A source file as a list of top-level statements, and what it defines."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Final

from modular.source import scan
from modular.source.blocks import Block, Kind, Statement, split
from modular.source.code import Code
from modular.source.import_statements import Import, plain_imports


_FIRST_CODE = re.compile(r"^.*\S", re.MULTILINE)
_FORM_FEED = re.compile(r"(^[ \t\f]*\f)|\f", re.MULTILINE)


@dataclass(eq=False)
class Module:
    """A Python source, read as text. ``path`` is relative to the project's root, with ``/``."""

    path: Final[str]
    code: Final[Code]

    @cached_property
    def block(self) -> Block:
        """The statements at module level; what heads the file belongs to none of them."""
        return split(self.code.cut(len(self.header.text)))

    def placed(self) -> Iterator[tuple[int, Statement]]:
        """Each statement with the offset at which it begins in the text."""
        head = len(self.header.text)
        for offset, statement in zip(self.block.offsets, self.block.statements, strict=True):
            yield head + offset, statement

    @cached_property
    def imports(self) -> tuple[Import, ...]:
        """The plain imports at module level."""
        return plain_imports(self.block.statements)

    @cached_property
    def defined(self) -> "Definitions":
        """What it defines, as it stands."""
        return definitions(self)

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the text."""
        return self.code.text.split("\n")

    @cached_property
    def header(self) -> Code:
        """The comments and blank lines that head the file."""
        first = _FIRST_CODE.search(self.code.mask)
        return self.code.cut(0, first.start()) if first else self.code


class Definition:
    """A function, class or assignment at module level, renamed or not.

    ``line`` is where it stands in its file. The statement is made when it is first asked for: most are never needed.
    """

    def __init__(self, name: str, kind: Kind, line: int, make: Callable[[], Statement]) -> None:
        self.name = name
        self.kind = kind
        self.line = line
        self._make = make

    @cached_property
    def statement(self) -> Statement:
        """The statement itself."""
        return self._make()

    @cached_property
    def words(self) -> frozenset[str]:
        """Every identifier in it."""
        return frozenset(self.statement.code.words())


@dataclass(eq=False)
class Definitions:
    """What a file defines at module level, by name, in file order.

    ``items`` names, for an assigned name, the assignments to its items and attributes; they are among ``assignments``,
    each under its own text. ``lines`` says where each name, or text, is first defined.
    """

    functions: dict[str, Definition] = field(default_factory=dict)
    assignments: dict[str, Definition] = field(default_factory=dict)
    classes: dict[str, Definition] = field(default_factory=dict)
    items: dict[str, list[str]] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)

    def add(self, definition: Definition) -> None:
        """Record one more definition; a later one of the same name wins."""
        key = definition.name
        if definition.kind is Kind.FUNCTION:
            self.functions[key] = definition
        elif definition.kind is Kind.CLASS:
            self.classes[key] = definition
        elif definition.kind is Kind.ASSIGNMENT:
            self.assignments[key] = definition
        else:
            key = definition.statement.own.text
            self.assignments[key] = definition
            self.items.setdefault(definition.name, []).append(key)
        self.lines.setdefault(key, definition.line)

    def nodes(self) -> dict[str, Definition]:
        """All definitions by name."""
        return {**self.assignments, **self.classes, **self.functions}


def read(path: str, text: str) -> Module:
    """Make a module of a source text, whose line ends may be of any kind."""
    text = normalised(text)
    return Module(path, _without_form_feeds(Code(text, scan.mask(text), path, 1)))


def _without_form_feeds(code: Code) -> Code:
    """Take the form feeds out of code: at the beginning of a line they void the indent before them."""
    if "\f" not in code.text:
        return code
    found = _FORM_FEED.finditer(code.mask)
    return code.replace([(match.start(), match.end(), "" if match.group(1) else " ") for match in found])


def normalised(text: str) -> str:
    """Return a text with ``\\n`` line ends, a final one included, and without a byte-order mark."""
    text = text.removeprefix("\ufeff")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text if text.endswith("\n") else text + "\n"


def definitions(module: Module) -> Definitions:
    """Return what a module defines, as it stands."""
    found = Definitions()
    for statement in module.block.statements:
        if name := defined_name(statement):
            found.add(Definition(name, statement.kind, statement.line, partial(_itself, statement)))
    return found


def defined_name(statement: Statement) -> str:
    """Return what a statement defines: for an assignment to an item or attribute the name on the very left."""
    from modular.source import assignments  # LibCST takes a while to load, and few commands ask

    return statement.name or assignments.owner(statement)


def _itself(statement: Statement) -> Statement:
    return statement
