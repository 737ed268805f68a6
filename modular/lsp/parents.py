"""Classes and their parents and children over all models: ancestry, implementations and references build on it."""

from collections.abc import Iterator
from dataclasses import dataclass

from modular.lsp import syntax
from modular.lsp.index import Use
from modular.lsp.workspace import Workspace
from modular.rules.modular_file import ModularFile
from modular.source.diagnostics import Place
from modular.source.parts import Parts
from modular.source.walking import walk


@dataclass(frozen=True, slots=True)
class ClassName:
    """A class of a file."""

    path: str
    name: str


def written_class(workspace: Workspace, class_: ClassName) -> ClassName:
    """Return the class of the modular file that a generated class comes from, if it is defined there; else the same."""
    modular = workspace.project.generator(class_.path)
    if modular is None or syntax.class_named(workspace.module(modular), class_.name) is None:
        return class_
    return ClassName(modular, class_.name)


def parents_of(workspace: Workspace, class_: ClassName) -> list[ClassName]:
    """Return the classes of other models that a class inherits from, as they were written."""
    class_ = written_class(workspace, class_)
    file = workspace.modular_file(class_.path) if workspace.is_modular(class_.path) else None
    if file is None or class_.name not in file.bases:
        return []
    bases = file.parents_of(class_.name)
    return [written_class(workspace, ClassName(file.parent_of[base], file.original_names[base])) for base in bases]


def uses_of(workspace: Workspace, path: str, name: str) -> list[Use]:
    """Return the uses of a name that a model file defines, or that a modular file generates."""
    workspace.complete_index()
    return [use for output in workspace.outputs(path) for use in workspace.index.uses(output, name)]


def children_of(workspace: Workspace, class_: ClassName) -> list[ClassName]:
    """Return the classes of modular files that inherit from a class."""
    uses = uses_of(workspace, class_.path, class_.name)
    return [ClassName(use.modular, use.child) for use in uses if use.child]


def descendants_of(workspace: Workspace, class_: ClassName) -> Iterator[ClassName]:
    """Yield all classes that inherit from a class, directly or not, the nearest first."""
    found = walk([class_], lambda each: children_of(workspace, each))
    return (each for each in found if each != class_)


def place_of_class(workspace: Workspace, class_: ClassName) -> Place | None:
    """Return where the name of a class stands that its file defines; None if the file must not be read."""
    return syntax.definition_place(workspace.module(class_.path), class_.name)


def parent_parts(workspace: Workspace, file: ModularFile, name: str) -> Parts | None:
    """Return the first parent of a class of a modular file, as its own file has it."""
    parents = file.parents_of(name) if name in file.bases else []
    if not parents:
        return None
    return syntax.class_named(workspace.module(file.parent_of[parents[0]]), file.original_names[parents[0]])
