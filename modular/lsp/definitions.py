"""Go to definition: from classes and methods to their parents, and from generated lines to their sources."""

from lsprotocol import types as lsp

from modular.lsp import parents, preview, syntax
from modular.lsp.project_file import ProjectFile
from modular.lsp.syntax import Cursor, QualifiedName
from modular.rules.classes.methods import methods
from modular.rules.modular_file import ModularFile
from modular.source.blocks import Kind
from modular.source.diagnostics import Place
from modular.source.import_statements import import_of
from modular.source.places import place_of, place_of_word


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
    places = _of_member(cursor) or _of_import(cursor, cursor.modular) or _of_name(cursor, cursor.modular)
    return [file.location(place) for place in places]


def _of_import(cursor: Cursor, modular: ModularFile) -> list[Place]:
    """From an imported name to its definition, from a module to its file."""
    statement = import_of(cursor.statement) if cursor.statement and cursor.statement.kind is Kind.IMPORT else None
    path = modular.parent_path(statement) if statement is not None else None
    if statement is None or path is None or cursor.file.workspace.project.leads_out(path):
        return []
    names = [alias.name for alias in statement.names if cursor.name in (alias.name, alias.bound)]
    in_parent = _in_parent(cursor.file, QualifiedName(path, names[0])) if names else []
    return in_parent or [Place(path)]


def _of_member(cursor: Cursor) -> list[Place]:
    """From a method to what it overrides, from a deleted attribute to its assignment."""
    parent = parents.parent_parts(cursor.file.workspace, cursor.modular, cursor.owner.name) if cursor.owner else None
    if parent is None or cursor.method is None:
        return []
    overridden = methods(parent.body.statements).get(cursor.name)
    if overridden is not None and cursor.before.endswith(("def", "super().")):
        return [place_of_word(overridden.header, cursor.name)]
    assigned = syntax.assigned_attributes(parent, cursor.method.name)
    is_attribute = cursor.before.endswith("self.") and cursor.name in assigned
    return [place_of(assigned[cursor.name].own)] if is_attribute else []


def _of_name(cursor: Cursor, modular: ModularFile) -> list[Place]:
    """From a class, where it is defined, to its parent; from other names to where they are defined."""
    is_class = cursor.owner is not None and cursor.owner.name == cursor.name and cursor.name in modular.bases
    base = next(iter(modular.parents_of(cursor.name)), cursor.name) if is_class else cursor.name
    parent = syntax.imported(modular, base)
    if parent is not None:
        return _in_parent(cursor.file, parent)
    own = syntax.definition_place(modular.module, cursor.name)
    return [] if own is None else [own]


def _in_parent(file: ProjectFile, parent: QualifiedName) -> list[Place]:
    """Where a parent file defines a name, and where the modular file does that generates it."""
    workspace = file.workspace
    if workspace.project.leads_out(parent.path):
        return []
    paths = filter(None, [parent.path, workspace.project.generator(parent.path)])
    places = (syntax.definition_place(workspace.module(path), parent.name) for path in paths)
    return [place for place in places if place is not None]
