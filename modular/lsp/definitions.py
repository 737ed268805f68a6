"""Go to definition: from a class to its parent, from a method to what it overrides, from a generated line to its origin."""

from modular.lsp import origins, syntax
from modular.lsp.documents import Spot
from modular.lsp.syntax import Around, Word
from modular.lsp.workspace import Workspace
from modular.rules.classes.methods import methods
from modular.rules.modular_file import ModularFile
from modular.source.assignments import assigned_target
from modular.source.diagnostics import Place
from modular.source.parts import Parts
from modular.source.places import place_of, place_of_word


def definition(workspace: Workspace, path: str, spot: Spot) -> Place | None:
    """Return where that is defined what the cursor is on; None if it is nothing of ours."""
    if (modular := workspace.generator(path)) is not None:
        return origins.of_line(workspace, modular, path, spot.line)
    if not workspace.is_modular(path):
        return None
    text, spot = workspace.readable(path, spot)
    word = syntax.word_at(text.split("\n"), spot)
    file = workspace.converter.read(path, text)
    if file is None or word is None:
        return None
    around = syntax.around(file.module, spot.line)
    return (
        _of_import(workspace, file, spot.line, word.name)
        or _of_member(workspace, file, around, word)
        or _of_name(workspace, file, around, word.name)
    )


def _of_import(workspace: Workspace, file: ModularFile, line: int, name: str) -> Place | None:
    """From a name that is imported to its definition, from a module to its file."""
    statement = syntax.imported(file.module, line)
    path = file.parent_path(statement) if statement is not None else None
    if statement is None or path is None:
        return None
    taken = next((each.name for each in statement.names if name in (each.name, each.bound)), None)
    return _in_file(workspace, path, taken or "")


def _of_member(workspace: Workspace, file: ModularFile, around: Around | None, word: Word) -> Place | None:
    """From a method to what it overrides, from a deleted attribute to its assignment."""
    if around is None or around.owner is None:
        return None
    parent = parent_class(workspace, file, around.owner.name)
    method = around.method
    if parent is None or method is None:
        return None
    overridden = methods(parent.body.statements).get(word.name)
    if overridden is not None and word.before.endswith(("def", "super().")):
        return place_of_word(overridden.header, word.name)
    if word.before.endswith("self."):
        return assignment(parent, method.name, f"self.{word.name}")
    return None


def _of_name(workspace: Workspace, file: ModularFile, around: Around | None, name: str) -> Place | None:
    """From a class, where it is defined, to its parent; from other names to where they are defined."""
    if around is not None and around.statement.name == name and name in file.bases:
        if parents := file.parents_of(name):
            return _in_file(workspace, file.parent_of[parents[0]], file.original_names[parents[0]])
    if name in file.parent_of:
        return _in_file(workspace, file.parent_of[name], file.original_names[name])
    return syntax.definition_of(file.module, name)


def parent_class(workspace: Workspace, file: ModularFile, name: str) -> Parts | None:
    """Return the parent's class of a class of a modular file, as it stands in its own file."""
    parents = file.parents_of(name) if name in file.bases else []
    if not parents:
        return None
    module = syntax.module_of(file.parent_of[parents[0]], workspace.text(file.parent_of[parents[0]]))
    return syntax.class_of(module, file.original_names[parents[0]])


def assignment(parent: Parts, method: str, target: str) -> Place | None:
    """Return where a method of a class assigns to a target; without such a method, where any of them does."""
    found = methods(parent.body.statements)
    for each in [found[method]] if method in found else found.values():
        for statement in each.body.statements:
            assigned = assigned_target(statement)
            if assigned is not None and assigned.text == target:
                return place_of(statement.own)
    return None


def _in_file(workspace: Workspace, path: str, name: str) -> Place | None:
    """Where a file defines a name, or the file; None if it is not to be looked at."""
    if workspace.project.leads_out(path):
        return None
    module = syntax.module_of(path, workspace.text(path))
    return (syntax.definition_of(module, name) if name else None) or Place(path)
