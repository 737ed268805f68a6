"""The type hierarchy: parents and children of a class over all models."""

from collections.abc import Iterable, Iterator

from lsprotocol import types as lsp

from modular.lsp import parents
from modular.lsp.project_file import ProjectFile
from modular.lsp.syntax import Cursor, QualifiedName


def prepare(cursor: Cursor) -> list[lsp.TypeHierarchyItem]:
    """Return the class that the cursor is in, or on the name of which it is."""
    class_ = cursor.imported
    if class_ is None and cursor.owner is not None:
        class_ = QualifiedName(cursor.file.path, cursor.owner.name)
    return list(_items(cursor.file, [] if class_ is None else [class_]))


def supertypes(file: ProjectFile, params: lsp.TypeHierarchySupertypesParams) -> list[lsp.TypeHierarchyItem]:
    """Return the classes of other models that a class inherits from."""
    return list(_items(file, parents.parents_of(file.workspace, QualifiedName(file.path, params.item.name))))


def subtypes(file: ProjectFile, params: lsp.TypeHierarchySubtypesParams) -> list[lsp.TypeHierarchyItem]:
    """Return the classes of other models that inherit from a class."""
    return list(_items(file, parents.children_of(file.workspace, QualifiedName(file.path, params.item.name))))


def _items(file: ProjectFile, classes: Iterable[QualifiedName]) -> Iterator[lsp.TypeHierarchyItem]:
    for class_ in classes:
        place = parents.place_of_class(file.workspace, class_)
        if place is not None:
            at, kind = file.location(place), lsp.SymbolKind.Class
            detail = class_.path.rpartition("/")[2]
            yield lsp.TypeHierarchyItem(class_.name, kind, at.uri, at.range, at.range, detail=detail)
