"""Classes and their parents and children over all models: ancestry, implementations and references build on it."""

from collections.abc import Iterator

from modular.lsp import syntax
from modular.lsp.index import Use
from modular.lsp.syntax import QualifiedName
from modular.lsp.workspace import Workspace
from modular.rules.modular_file import ModularFile
from modular.source.diagnostics import Place
from modular.source.parts import Parts
from modular.source.walking import walk


def written_class(workspace: Workspace, class_: QualifiedName) -> QualifiedName:
    """Return the class of the modular file that a generated class comes from, if it is defined there; else the same."""
    modular = workspace.project.generator(class_.path)
    if modular is None or syntax.class_named(workspace.module(modular), class_.name) is None:
        return class_
    return QualifiedName(modular, class_.name)


def parents_of(workspace: Workspace, class_: QualifiedName) -> list[QualifiedName]:
    """Return the classes of other models that a class inherits from, as they were written."""
    class_ = written_class(workspace, class_)
    file = workspace.modular_file(class_.path) if workspace.is_modular(class_.path) else None
    return [written_class(workspace, parent) for parent in _parents_in(file, class_.name)]


def _parents_in(file: ModularFile | None, name: str) -> list[QualifiedName]:
    """The parent classes of a class of a modular file, in the files that it imports them from."""
    bases = file.parents_of(name) if file is not None and name in file.bases else []
    return [parent for base in bases if file is not None and (parent := syntax.imported(file, base)) is not None]


def uses_of(workspace: Workspace, path: str, name: str) -> list[Use]:
    """Return the uses of a name that a model file defines, or that a modular file generates."""
    workspace.complete_index()
    return [use for output in workspace.outputs(path) for use in workspace.index.uses(output, name)]


def children_of(workspace: Workspace, class_: QualifiedName) -> list[QualifiedName]:
    """Return the classes of modular files that inherit from a class."""
    return [QualifiedName(use.modular, use.child) for use in uses_of(workspace, *class_) if use.child]


def descendants_of(workspace: Workspace, class_: QualifiedName) -> Iterator[QualifiedName]:
    """Yield all classes that inherit from a class, directly or not, the nearest first."""
    classes = walk([class_], lambda child: children_of(workspace, child))
    return (child for child in classes if child != class_)


def place_of_class(workspace: Workspace, class_: QualifiedName) -> Place | None:
    """Return the place of a class's name in its file; None if the file must not be read."""
    return syntax.definition_place(workspace.module(class_.path), class_.name)


def parent_parts(workspace: Workspace, file: ModularFile | None, name: str) -> Parts | None:
    """Return the first parent of a class of a modular file, as its own file has it."""
    parent = next(iter(_parents_in(file, name)), None)
    return None if parent is None else syntax.class_named(workspace.module(parent.path), parent.name)
