"""Go to definition, and implementations: between classes and methods and their parents and children."""

from lsprotocol import types as lsp

from modular.lsp import parents, preview, syntax
from modular.lsp.parents import ClassName
from modular.lsp.project_file import ProjectFile
from modular.lsp.syntax import Cursor
from modular.rules.classes.methods import methods
from modular.rules.modular_file import ModularFile
from modular.source.blocks import Kind
from modular.source.diagnostics import Place
from modular.source.import_statements import import_of
from modular.source.places import place_of, place_of_word


def definition(file: ProjectFile, params: lsp.DefinitionParams) -> list[lsp.Location]:
    """Return where that is defined what the cursor is on.

    From a generated line it is the line that it comes from. A parent that is generated stands in two places: in the generated
    file, and in the modular file that defines it.
    """
    if file.workspace.generator(file.path) is not None:
        origin = preview.origin_of(file, params.position.line + 1)
        return [] if origin is None else [file.location(origin)]
    cursor = syntax.cursor_at(file, params.position)
    if cursor is None or cursor.modular is None:
        return []
    places = _of_member(file, cursor.modular, cursor) or _of_import(file, cursor.modular, cursor)
    return [file.location(place) for place in places or _of_name(file, cursor.modular, cursor)]


def _of_import(file: ProjectFile, modular: ModularFile, cursor: Cursor) -> list[Place]:
    """From an imported name to its definition, from a module to its file."""
    statement = import_of(cursor.statement) if cursor.statement and cursor.statement.kind is Kind.IMPORT else None
    path = modular.parent_path(statement) if statement is not None else None
    if statement is None or path is None or file.workspace.project.leads_out(path):
        return []
    imported = next((alias.name for alias in statement.names if cursor.name in (alias.name, alias.bound)), "")
    return (_in_parent(file, path, imported) if imported else []) or [Place(path)]


def _of_member(file: ProjectFile, modular: ModularFile, cursor: Cursor) -> list[Place]:
    """From a method to what it overrides, from a deleted attribute to its assignment."""
    parent = parents.parent_parts(file.workspace, modular, cursor.owner.name) if cursor.owner is not None else None
    if parent is None or cursor.method is None:
        return []
    overridden = methods(parent.body.statements).get(cursor.name)
    if overridden is not None and cursor.before.endswith(("def", "super().")):
        return [place_of_word(overridden.header, cursor.name)]
    assigned = syntax.assigned_attributes(parent, cursor.method.name)
    is_attribute = cursor.before.endswith("self.") and cursor.name in assigned
    return [place_of(assigned[cursor.name].own)] if is_attribute else []


def _of_name(file: ProjectFile, modular: ModularFile, cursor: Cursor) -> list[Place]:
    """From a class, where it is defined, to its parent; from other names to where they are defined."""
    is_class = cursor.owner is not None and cursor.owner.name == cursor.name and cursor.name in modular.bases
    base = next(iter(modular.parents_of(cursor.name)), cursor.name) if is_class else cursor.name
    if base in modular.parent_of:
        return _in_parent(file, modular.parent_of[base], modular.original_names[base])
    own = syntax.definition_place(modular.module, cursor.name)
    return [] if own is None else [own]


def _in_parent(file: ProjectFile, path: str, name: str) -> list[Place]:
    """Where a parent file defines a name, and where the modular file does that generates it."""
    workspace = file.workspace
    if workspace.project.leads_out(path):
        return []
    paths = [path, workspace.project.generator(path)]
    places = [syntax.definition_place(workspace.module(each), name) for each in paths if each is not None]
    return [place for place in places if place is not None]


def implementations(file: ProjectFile, params: lsp.ImplementationParams) -> list[lsp.Location]:
    """Return the classes of all models that inherit from a class, directly or not; for a method, their overrides."""
    cursor = syntax.cursor_at(file, params.position)
    if cursor is None or cursor.owner is None:
        return []
    places = []
    for child in parents.descendants_of(file.workspace, ClassName(file.path, cursor.owner.name)):
        owner = syntax.class_named(file.workspace.module(child.path), child.name)
        if owner is not None and not cursor.is_method_name:
            places.append(place_of_word(owner.header, child.name))
        elif owner is not None and (override := methods(owner.body.statements).get(cursor.name)) is not None:
            places.append(place_of_word(override.header, cursor.name))
    return [file.location(place) for place in places]
