"""Go to definition, and implementations: between classes and methods and their parents and children."""

from lsprotocol import types as lsp

from modular.lsp import parents, preview, syntax
from modular.lsp.parents import ClassName
from modular.lsp.project_file import ProjectFile
from modular.lsp.syntax import Surrounding, Word
from modular.rules.classes.methods import methods
from modular.rules.modular_file import ModularFile
from modular.source.diagnostics import Place
from modular.source.places import place_of, place_of_word


def definition(file: ProjectFile, params: lsp.DefinitionParams) -> list[lsp.Location]:
    """Return where that is defined what the cursor is on.

    From a generated line it is the line that it comes from. A parent that is generated stands in two places: in the generated
    file, and in the modular file that defines it.
    """
    spot = file.spot(params.position)
    if file.workspace.generator(file.path) is not None:
        origin = preview.origin_of(file, spot.line)
        return [] if origin is None else [file.location(origin)]
    if not file.is_modular:
        return []
    text, spot = file.workspace.readable(file.path, spot)
    word = syntax.word_at(text.split("\n"), spot)
    modular = file.workspace.converter.read(file.path, text)
    if modular is None or word is None:
        return []
    around = syntax.surrounding(modular.module, spot.line)
    member = _of_member(file, modular, around, word)
    places = _of_import(file, modular, spot.line, word.name) if member is None else [member]
    return [file.location(place) for place in places or _of_name(file, modular, around, word.name)]


def _of_import(file: ProjectFile, modular: ModularFile, line: int, name: str) -> list[Place]:
    """From an imported name to its definition, from a module to its file."""
    statement = syntax.import_at(modular.module, line)
    path = modular.parent_path(statement) if statement is not None else None
    if statement is None or path is None or file.workspace.project.leads_out(path):
        return []
    imported = next((alias.name for alias in statement.names if name in (alias.name, alias.bound)), "")
    return (_in_parent(file, path, imported) if imported else []) or [Place(path)]


def _of_member(file: ProjectFile, modular: ModularFile, around: Surrounding | None, word: Word) -> Place | None:
    """From a method to what it overrides, from a deleted attribute to its assignment."""
    if around is None or around.owner is None or around.method is None:
        return None
    parent = parents.parent_parts(file.workspace, modular, around.owner.name)
    if parent is None:
        return None
    overridden = methods(parent.body.statements).get(word.name)
    if overridden is not None and word.before.endswith(("def", "super().")):
        return place_of_word(overridden.header, word.name)
    if word.before.endswith("self."):
        assignment = syntax.assigned_attributes(parent, around.method.name).get(word.name)
        return None if assignment is None else place_of(assignment.own)
    return None


def _of_name(file: ProjectFile, modular: ModularFile, around: Surrounding | None, name: str) -> list[Place]:
    """From a class, where it is defined, to its parent; from other names to where they are defined."""
    if around is not None and around.statement.name == name and name in modular.bases:
        if bases := modular.parents_of(name):
            return _in_parent(file, modular.parent_of[bases[0]], modular.original_names[bases[0]])
    if name in modular.parent_of:
        return _in_parent(file, modular.parent_of[name], modular.original_names[name])
    own = syntax.definition_place(modular.module, name)
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
    workspace = file.workspace
    text, spot = workspace.readable(file.path, file.spot(params.position))
    word = syntax.word_at(text.split("\n"), spot)
    around = syntax.surrounding(workspace.module(file.path), spot.line)
    if word is None or around is None or around.owner is None:
        return []
    is_method = around.method is not None and around.method.name == word.name
    places = []
    for child in parents.descendants_of(workspace, ClassName(file.path, around.owner.name)):
        owner = syntax.class_named(workspace.module(child.path), child.name)
        if not is_method:
            places.append(parents.place_of_class(workspace, child))
        elif owner is not None and (override := methods(owner.body.statements).get(word.name)) is not None:
            places.append(place_of_word(override.header, word.name))
    return [file.location(place) for place in places if place is not None]
