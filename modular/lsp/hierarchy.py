"""The type hierarchy: parents and children of a class over all models."""

from collections.abc import Iterable

from lsprotocol import types as lsp

from modular.lsp import parents, syntax
from modular.lsp.parents import ClassName
from modular.lsp.project_file import ProjectFile


def prepare(file: ProjectFile, params: lsp.TypeHierarchyPrepareParams) -> list[lsp.TypeHierarchyItem]:
    """Return the class that the cursor is in, or on the name of which it is."""
    cursor = syntax.cursor_at(file, params.position)
    if cursor is not None and cursor.modular is not None and cursor.name in cursor.modular.parent_of:
        parent = ClassName(cursor.modular.parent_of[cursor.name], cursor.modular.original_names[cursor.name])
        return _items(file, [parent])
    if cursor is None or cursor.owner is None:
        return []
    return _items(file, [ClassName(file.path, cursor.owner.name)])


def supertypes(file: ProjectFile, params: lsp.TypeHierarchySupertypesParams) -> list[lsp.TypeHierarchyItem]:
    """Return the classes of other models that a class inherits from."""
    return _items(file, parents.parents_of(file.workspace, ClassName(file.path, params.item.name)))


def subtypes(file: ProjectFile, params: lsp.TypeHierarchySubtypesParams) -> list[lsp.TypeHierarchyItem]:
    """Return the classes of other models that inherit from a class."""
    return _items(file, parents.children_of(file.workspace, ClassName(file.path, params.item.name)))


def _items(file: ProjectFile, classes: Iterable[ClassName]) -> list[lsp.TypeHierarchyItem]:
    items = []
    for class_ in classes:
        place = parents.place_of_class(file.workspace, class_)
        if place is not None:
            location, detail = file.location(place), class_.path.rpartition("/")[2]
            span = location.range
            items.append(
                lsp.TypeHierarchyItem(class_.name, lsp.SymbolKind.Class, location.uri, span, span, detail=detail)
            )
    return items
