"""Go to definition, from classes and methods to their parents and from generated lines to their sources; and hover, which shows them."""

from lsprotocol import types as lsp

from modular.lsp import inheritance, preview, syntax
from modular.lsp.project_file import ProjectFile
from modular.lsp.syntax import Cursor, QualifiedName
from modular.rules.classes.methods import methods
from modular.rules.reading.modular_file import ModularFile
from modular.source.blocks import Kind
from modular.source.definition_view import DefinitionView, view_definition
from modular.source.diagnostics import Place
from modular.source.import_statements import import_of
from modular.source.indentation import STEP
from modular.source.module import lines_with_ends, statement_named
from modular.source.module import read as read_module
from modular.source.places import place_of, place_of_word


_MOST = 300
"""Lines that a hover shows."""


def definition(file: ProjectFile, params: lsp.DefinitionParams) -> list[lsp.Location]:
    """Return where that is defined what the cursor is on.

    From a generated line it is the line that it comes from. A generated parent has two places: in the generated file,
    and in the modular file that defines it.
    """
    if file.workspace.generator(file.path) is not None:
        origin = preview.origin_of(file, params.position.line + 1)
        return [] if origin is None else [file.location(origin)]
    cursor = syntax.cursor_at(file, params.position)
    if cursor is None or cursor.modular is None:
        return []
    places = (
        _of_member(cursor)
        or _of_import(cursor, cursor.modular)
        or _of_name(cursor, cursor.modular)
    )
    return [file.location(place) for place in places]


def _of_import(cursor: Cursor, modular: ModularFile) -> list[Place]:
    """From an imported name to its definition, from a module to its file."""
    statement = (
        import_of(cursor.statement)
        if cursor.statement and cursor.statement.kind is Kind.IMPORT
        else None
    )
    path = modular.parent_path(statement) if statement is not None else None
    if (
        statement is None
        or path is None
        or cursor.file.workspace.project.points_outside_root(path)
    ):
        return []
    names = [
        alias.name
        for alias in statement.names
        if cursor.name in (alias.name, alias.bound)
    ]
    in_parent = _in_parent(cursor.file, QualifiedName(path, names[0])) if names else []
    return in_parent or [Place(path)]


def _of_member(cursor: Cursor) -> list[Place]:
    """From a method to what it overrides, from a deleted attribute to its assignment."""
    parent = _parent_at(cursor)
    if parent is None or cursor.method is None:
        return []
    overridden = methods(parent.body.statements).get(cursor.name)
    if overridden is not None and cursor.before.endswith(("def", "super().")):
        return [place_of_word(overridden.header, cursor.name)]
    assigned = syntax.assigned_attributes(parent, cursor.method.name)
    is_attribute = cursor.before.endswith("self.") and cursor.name in assigned
    return [place_of(assigned[cursor.name].own)] if is_attribute else []


def _parent_at(cursor: Cursor) -> DefinitionView | None:
    """The parent of the class around the cursor, as its own file has it."""
    if cursor.owner is None:
        return None
    return inheritance.first_parent(
        cursor.file.workspace, cursor.modular, cursor.owner.name
    )


def _of_name(cursor: Cursor, modular: ModularFile) -> list[Place]:
    """From a class, where it is defined, to its parent; from other names to where they are defined."""
    is_class = (
        cursor.owner is not None
        and cursor.owner.name == cursor.name
        and cursor.name in modular.bases
    )
    base = (
        next(iter(modular.parents_of(cursor.name)), cursor.name)
        if is_class
        else cursor.name
    )
    parent = syntax.imported_definition(modular, base)
    if parent is not None:
        return _in_parent(cursor.file, parent)
    own = syntax.definition_place(modular.module, cursor.name)
    return [] if own is None else [own]


def _in_parent(file: ProjectFile, parent: QualifiedName) -> list[Place]:
    """Where a parent file defines a name, and where the modular file does that generates it."""
    workspace = file.workspace
    if workspace.project.points_outside_root(parent.path):
        return []
    paths = filter(None, [parent.path, workspace.project.generator(parent.path)])
    places = (
        syntax.definition_place(workspace.module(path), parent.name) for path in paths
    )
    return [place for place in places if place is not None]


def hover(cursor: Cursor) -> lsp.Hover | None:
    """Return, as Markdown, the flattened class or method at the cursor, or the definition of the name there."""
    if cursor.modular is None:
        return None
    shown = _of_super(cursor) or _of_imported(cursor) or _flat(cursor)
    return (
        None
        if shown is None
        else lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, shown))
    )


def _of_super(cursor: Cursor) -> str | None:
    """The parent's method that replaces `super().method(...)`."""
    called = cursor.name if cursor.before.endswith("super().") else ""
    if cursor.name == "super" and cursor.method is not None:
        called = cursor.method.name
    parent = _parent_at(cursor) if called else None
    code = None if parent is None else _member(parent, called)
    return (
        None
        if parent is None or code is None
        else _markdown(f"`{parent.name}.{called}`", parent.code.path, code)
    )


def _of_imported(cursor: Cursor) -> str | None:
    """The definition of an imported name, as its own file has it."""
    if cursor.imported is None:
        return None
    path, name = cursor.imported
    statement = statement_named(cursor.file.workspace.module(path), name)
    return (
        None if statement is None else _markdown(f"`{name}`", path, statement.own.text)
    )


def _flat(cursor: Cursor) -> str | None:
    """What is generated from a class, a function or a method."""
    name = (
        cursor.owner.name
        if cursor.owner is not None and cursor.is_method_name
        else cursor.name
    )
    for path, text in preview.formatted_texts(cursor.file, cursor.file.path).items():
        statement = statement_named(read_module(path, text), name)
        if statement is not None:
            code = (
                _member(view_definition(statement), cursor.name)
                if cursor.is_method_name
                else statement.own.text
            )
            if code is not None:
                return _markdown(f"`{cursor.name}` as generated", path, code)
    return None


def _member(owner: DefinitionView, name: str) -> str | None:
    members = [
        method
        for method in methods(owner.body.statements).values()
        if method.name == name
    ]
    lines = (
        line
        for method in members
        for line in lines_with_ends(method.statement.own.text)
    )
    return "".join(line.removeprefix(STEP) for line in lines) or None


def _markdown(title: str, path: str, code: str) -> str:
    lines = lines_with_ends(code)
    rest = len(lines) - _MOST
    more = f"# ... and {rest} more lines\n" if rest > 0 else ""
    return f"{title} in `{path.rpartition('/')[2]}`\n\n```python\n{''.join(lines[:_MOST])}{more}```"
