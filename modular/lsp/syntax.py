"""What a source text holds at a place: the word under the cursor, and the class and method around it."""

import re
from dataclasses import dataclass

from modular.lsp.coordinates import Spot
from modular.rules.classes.methods import methods
from modular.source.assignments import assigned_target
from modular.source.blocks import Kind, Statement
from modular.source.diagnostics import Place
from modular.source.import_statements import Import
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
class Surrounding:
    """What surrounds a place: a statement at module level, the class if it is one, and the method in that."""

    statement: Statement
    owner: Parts | None = None
    method: Parts | None = None


def word_at(lines: list[str], spot: Spot) -> Word | None:
    """Return the identifier that the cursor is on, or directly behind."""
    line = lines[spot.line - 1] if spot.line <= len(lines) else ""
    for match in _WORD.finditer(line):
        if match.start() < spot.column <= match.end() + 1:
            return Word(match.group(), line[: match.start()].rstrip())
    return None


def surrounding(module: Module, line: int) -> Surrounding | None:
    """Return what surrounds a line of a module."""
    statement = _statement_at(module.block.statements, line)
    if statement is None or statement.kind is not Kind.CLASS:
        return None if statement is None else Surrounding(statement)
    member = _statement_at(statement.parts.body.statements, line)
    is_method = member is not None and member.kind is Kind.FUNCTION
    return Surrounding(statement, statement.parts, member.parts if member is not None and is_method else None)


def _statement_at(statements: tuple[Statement, ...], line: int) -> Statement | None:
    return next((each for each in statements if each.code.line <= line <= each.code.origin.last_line), None)


def import_at(module: Module, line: int) -> Import | None:
    """Return the import statement on a line of a module."""
    found = surrounding(module, line)
    return found.statement.imported if found is not None and found.statement.kind is Kind.IMPORT else None


def statement_named(module: Module, name: str) -> Statement | None:
    """Return the last statement at module level that defines a name."""
    return next((each for each in reversed(module.block.statements) if each.name == name), None)


def definition_place(module: Module, name: str) -> Place | None:
    """Return where a module defines a name at its level."""
    statement = statement_named(module, name)
    return None if statement is None else place_of_word(statement.own, name)


def class_named(module: Module, name: str) -> Parts | None:
    """Return a class that a module defines."""
    statement = statement_named(module, name)
    return statement.parts if statement is not None and statement.kind is Kind.CLASS else None


def assigned_attributes(owner: Parts, method: str) -> dict[str, Statement]:
    """Return the attributes of `self` that a method of a class assigns, each with its first assignment."""
    attributes: dict[str, Statement] = {}
    found = methods(owner.body.statements).get(method)
    for statement in found.body.statements if found is not None else ():
        target = assigned_target(statement)
        if target is not None and target.text.startswith("self."):
            attributes.setdefault(target.text.removeprefix("self."), statement)
    return attributes
