"""The type hierarchy: parents and children of a class over all models."""

from collections.abc import Iterable

from lsprotocol import types as lsp

from modular.lsp import parents, syntax
from modular.lsp.parents import ClassName
from modular.lsp.project_file import ProjectFile


def prepare(file: ProjectFile, params: lsp.TypeHierarchyPrepareParams) -> list[lsp.TypeHierarchyItem]:
    """Return the class that the cursor is in, or on the name of which it is."""
    text, spot = file.workspace.readable(file.path, file.spot(params.position))
    word = syntax.word_at(text.split("\n"), spot)
    modular = file.workspace.modular_file(file.path) if file.is_modular else None
    if word is not None and modular is not None and word.name in modular.parent_of:
        return _items(file, [ClassName(modular.parent_of[word.name], modular.original_names[word.name])])
    around = syntax.surrounding(file.workspace.module(file.path), spot.line)
    return [] if around is None or around.owner is None else _items(file, [ClassName(file.path, around.owner.name)])


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
