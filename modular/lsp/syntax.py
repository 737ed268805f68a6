"""Finds the identifier at the cursor, and the statement, class and method around it."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lsprotocol import types as lsp

from modular.lsp.positions import line_at, split_lines
from modular.lsp.project_file import ProjectFile
from modular.rules.classes.methods import find_methods
from modular.rules.reading.modular_file import ModularFile
from modular.semantics.meanings import QualifiedName
from modular.source.assignments import assigned_target
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import DefinitionView, view_definition
from modular.source.diagnostics import Place
from modular.source.module import Module, statement_at, statement_named
from modular.source.module import read as read_module
from modular.source.places import place_of_word


_WORD = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True)
class Cursor:
    """An identifier that the cursor touches, in the last readable text of a file.

    Attributes:
        file: The file.
        name: The identifier.
        text_before: The text before it on its line, without blanks at the end.
        modular: The modular file, or None in another file.
        statement: The top-level statement around the cursor.
        owner: That statement if it is a class.
        method: The method of that class around the cursor.
    """

    file: ProjectFile
    name: str
    text_before: str
    modular: ModularFile | None
    statement: Statement | None
    owner: DefinitionView | None
    method: DefinitionView | None

    @property
    def is_method_name(self) -> bool:
        """Whether the identifier is the name in the definition of the method."""
        if self.method is None or self.method.name != self.name:
            return False
        return self.is_after("def")

    def is_after(self, text: str) -> bool:
        """Return whether the identifier follows some text, such as `super().`."""
        return self.text_before.endswith(text)

    @property
    def imported(self) -> QualifiedName | None:
        """The definition that the identifier names, if it is imported from a model."""
        if self.modular is None:
            return None
        return self.modular.imported_definition(self.name)


def cursor_at(file: ProjectFile, position: lsp.Position) -> Cursor | None:
    """Return the identifier at a position, with the class and method around it.

    The result is None if there is no identifier at the position.
    """
    # While somebody types, the current text often cannot be parsed. Then `text` is the
    # last text that could be parsed, and `cursor` is the same place in that text.
    text, cursor = file.workspace.readable_at(file.path, file.cursor_position(position))
    line = line_at(split_lines(text), cursor.line)
    word = _word_at(line, cursor.column)
    if word is None:
        return None

    modular = None
    if file.is_modular:
        # This is None if the file cannot be read as a modular file, for example because
        # it has merge conflicts. It is then read like any other Python file.
        modular = file.workspace.converter.read(file.path, text)
    if modular is not None:
        module = modular.module
    else:
        module = read_module(file.path, text)

    owner = method = None
    statement = statement_at(module.block.statements, cursor.line)
    if statement is not None and statement.kind is Kind.CLASS:
        owner = view_definition(statement)
        member = statement_at(owner.body.statements, cursor.line)
        if member is not None and member.kind is Kind.FUNCTION:
            method = view_definition(member)
    return Cursor(
        file=file,
        name=word.group(),
        text_before=line[: word.start()].rstrip(),
        modular=modular,
        statement=statement,
        owner=owner,
        method=method,
    )


def at_cursor(answer: Callable[[Cursor], Any]) -> Callable[[ProjectFile, Any], Any]:
    """Return a request handler that calls a function with the identifier at a position.

    The handler answers None if the cursor is on no identifier.
    """

    def handle(file: ProjectFile, params: Any) -> Any:
        """Answer a request whose parameters have a position."""
        cursor = cursor_at(file, params.position)
        return None if cursor is None else answer(cursor)

    return handle


def word_range(file: ProjectFile, position: lsp.Position) -> lsp.Range | None:
    """Return the range of the identifier at a position of the current text, if any."""
    cursor = file.cursor_position(position)
    lines = file.workspace.lines(file.path)
    line = line_at(lines, cursor.line)
    word = _word_at(line, cursor.column)
    if word is None:
        return None
    start = file.position(cursor.line, word.start() + 1, line)
    end = file.position(cursor.line, word.end() + 1, line)
    return lsp.Range(start, end)


def _word_at(line: str, column: int) -> re.Match[str] | None:
    """Return the identifier that contains a column, from 1, or ends directly before it."""
    for word in _WORD.finditer(line):
        if word.start() < column <= word.end() + 1:
            return word
    return None


def definition_place(module: Module, name: str) -> Place | None:
    """Return the place of a definition at module level; None if no such name is defined."""
    statement = statement_named(module, name)
    return None if statement is None else place_of_word(statement.bare_code, name)


def first_import_line(file: ProjectFile) -> int:
    """Return the line of the first import, or of the first statement."""
    statements = file.workspace.module(file.path).block.statements
    for statement in statements:
        if statement.kind is Kind.IMPORT:
            return statement.line
    return statements[0].line if statements else 1


def assigned_attributes(class_: DefinitionView, method: str) -> dict[str, Statement]:
    """Return the attributes that a method of a class assigns.

    Returns:
        The first assignment of each attribute by its name: `self.x = 1` for `x`.
    """
    attributes: dict[str, Statement] = {}
    definition = find_methods(class_.body.statements).get(method)
    if definition is None:
        return attributes
    for statement in definition.body.statements:
        target = assigned_target(statement)
        if target is not None and target.text.startswith("self."):
            attributes.setdefault(target.text.removeprefix("self."), statement)
    return attributes
