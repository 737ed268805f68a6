"""What stands where in a source: the word under the cursor, and the class and method around it."""

import re
from dataclasses import dataclass

from modular.lsp.documents import Spot
from modular.source import module as modules
from modular.source.blocks import Kind, Statement
from modular.source.diagnostics import Place
from modular.source.import_statements import Import, parse
from modular.source.module import Module
from modular.source.parts import Parts
from modular.source.places import place_of_word


_WORD = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True, slots=True)
class Word:
    """An identifier: its name, and what stands before it on its line."""

    name: str
    before: str


@dataclass(frozen=True)
class Around:
    """What is around a place: a statement at module level, the class if it is one, and the method in that."""

    statement: Statement
    owner: Parts | None = None
    method: Parts | None = None


def module_of(path: str, text: str) -> Module:
    """Read a text; broken code gives some module."""
    return modules.read(path, text)


def word_at(lines: list[str], spot: Spot) -> Word | None:
    """Return the identifier that the cursor is on, or directly behind."""
    line = lines[spot.line - 1] if spot.line <= len(lines) else ""
    for match in _WORD.finditer(line):
        if match.start() < spot.column <= match.end() + 1:
            return Word(match.group(), line[: match.start()].rstrip())
    return None


def around(module: Module, line: int) -> Around | None:
    """Return what is around a line of a module."""
    statement = _holding(module.block.statements, line)
    if statement is None:
        return None
    if statement.kind is not Kind.CLASS:
        return Around(statement)
    owner = statement.parts
    member = _holding(owner.body.statements, line)
    method = member.parts if member is not None and member.kind is Kind.FUNCTION else None
    return Around(statement, owner, method)


def _holding(statements: tuple[Statement, ...], line: int) -> Statement | None:
    return next((each for each in statements if each.code.line <= line <= each.code.origin.last_line), None)


def imported(module: Module, line: int) -> Import | None:
    """Return the import statement that stands on a line."""
    found = around(module, line)
    return parse(found.statement) if found is not None and found.statement.kind is Kind.IMPORT else None


def definition_of(module: Module, name: str) -> Place | None:
    """Return where a module defines a name at its level."""
    found = [each for each in module.block.statements if each.name == name]
    return place_of_word(found[-1].own, name) if found else None


def class_of(module: Module, name: str) -> Parts | None:
    """Return a class that a module defines."""
    found = [each for each in module.block.statements if each.name == name and each.kind is Kind.CLASS]
    return found[-1].parts if found else None
