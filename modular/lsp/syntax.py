"""What the cursor is on: the word, and the statement, class and method around it."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from lsprotocol import types as lsp

from modular.lsp.positions import split_lines
from modular.lsp.project_file import ProjectFile
from modular.rules.classes.methods import methods
from modular.rules.reading.modular_file import ModularFile
from modular.source.assignments import assigned_target
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import DefinitionView, view_definition
from modular.source.diagnostics import Place
from modular.source.module import Module, statement_named
from modular.source.module import read as read_module
from modular.source.places import place_of_word


_WORD = re.compile(r"[^\W\d]\w*")


class QualifiedName(NamedTuple):
    """A class or function at module level: the path of its file, and its name there."""

    path: str
    name: str


@dataclass(frozen=True)
class Cursor:
    """An identifier that the cursor is on, or directly after, in the last readable text of a file.

    ``before`` is the text before it on its line. ``modular`` is the file if it is a modular one; ``statement`` the
    statement at module level around the cursor, ``owner`` that statement if it is a class, ``method`` the method in it.
    """

    file: ProjectFile
    name: str
    before: str
    modular: ModularFile | None
    statement: Statement | None
    owner: DefinitionView | None
    method: DefinitionView | None

    @property
    def is_method_name(self) -> bool:
        """Whether it is the name of the method around it, which is being defined."""
        return (
            self.method is not None
            and self.method.name == self.name
            and self.before.endswith("def")
        )

    @property
    def imported(self) -> QualifiedName | None:
        """The definition that the identifier names, if the file imports it from a model."""
        return imported(self.modular, self.name) if self.modular is not None else None


def cursor_at(file: ProjectFile, position: lsp.Position) -> Cursor | None:
    """Return what the cursor is on; None if that is no identifier."""
    text, spot = file.workspace.readable_at(file.path, file.spot(position))
    lines = split_lines(text)
    line = lines[spot.line - 1] if spot.line <= len(lines) else ""
    words = (
        match
        for match in _WORD.finditer(line)
        if match.start() < spot.column <= match.end() + 1
    )
    if (word := next(words, None)) is None:
        return None
    modular = (
        file.workspace.converter.read(file.path, text) if file.is_modular else None
    )
    module = read_module(file.path, text) if modular is None else modular.module
    statement = _statement_at(module.block.statements, spot.line)
    owner = (
        view_definition(statement)
        if statement is not None and statement.kind is Kind.CLASS
        else None
    )
    member = (
        _statement_at(owner.body.statements, spot.line) if owner is not None else None
    )
    method = (
        view_definition(member)
        if member is not None and member.kind is Kind.FUNCTION
        else None
    )
    return Cursor(
        file,
        word.group(),
        line[: word.start()].rstrip(),
        modular,
        statement,
        owner,
        method,
    )


def at_cursor(answer: Callable[[Cursor], Any]) -> Callable[[ProjectFile, Any], Any]:
    """Return the function that answers about a position in a file; None where there is no identifier."""

    def about_position(file: ProjectFile, params: Any) -> Any:
        cursor = cursor_at(file, params.position)
        return None if cursor is None else answer(cursor)

    return about_position


def _statement_at(statements: tuple[Statement, ...], line: int) -> Statement | None:
    for statement in statements:
        if statement.code.line <= line <= statement.code.origin.last_line:
            return statement
    return None


def imported(modular: ModularFile, name: str) -> QualifiedName | None:
    """Return the definition that a name refers to if a modular file imports it from a model, else None."""
    path = modular.parent_of.get(name)
    return None if path is None else QualifiedName(path, modular.original_names[name])


def definition_place(module: Module, name: str) -> Place | None:
    """Return where a module defines a name at its level."""
    statement = statement_named(module, name)
    return None if statement is None else place_of_word(statement.own, name)


def assigned_attributes(owner: DefinitionView, method: str) -> dict[str, Statement]:
    """Return the attributes of `self` that a method of a class assigns, each with its first assignment."""
    attributes: dict[str, Statement] = {}
    parts = methods(owner.body.statements).get(method)
    for statement in parts.body.statements if parts is not None else ():
        target = assigned_target(statement)
        if target is not None and target.text.startswith("self."):
            attributes.setdefault(target.text.removeprefix("self."), statement)
    return attributes
