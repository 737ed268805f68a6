"""Who inherits from a class and who uses a name, over all models: hierarchy, implementations, references and lenses."""

from collections.abc import Iterable, Iterator

from lsprotocol import types as lsp

from modular.lsp import syntax
from modular.lsp.commands import GO_TO_ORIGIN, SHOW_REFERENCES
from modular.lsp.index import Use
from modular.lsp.project_file import TOP, ProjectFile
from modular.lsp.syntax import Cursor, QualifiedName
from modular.lsp.workspace import Workspace
from modular.rules.classes.methods import methods
from modular.rules.reading.modular_file import ModularFile
from modular.source.blocks import Kind
from modular.source.definition_view import DefinitionView, class_named
from modular.source.places import place_of_word
from modular.source.walking import walk


def written_class(workspace: Workspace, class_: QualifiedName) -> QualifiedName:
    """Return the class of the modular file that a generated class comes from, if it is defined there; else the same."""
    modular = workspace.project.generator(class_.path)
    if modular is None or class_named(workspace.module(modular), class_.name) is None:
        return class_
    return QualifiedName(modular, class_.name)


def parents_of(workspace: Workspace, class_: QualifiedName) -> list[QualifiedName]:
    """Return the classes of other models that a class inherits from, as they were written."""
    class_ = written_class(workspace, class_)
    file = (
        workspace.modular_file(class_.path)
        if workspace.is_modular(class_.path)
        else None
    )
    return [
        written_class(workspace, parent) for parent in _parents_in(file, class_.name)
    ]


def _parents_in(file: ModularFile | None, name: str) -> list[QualifiedName]:
    """The parent classes of a class of a modular file, in the files that it imports them from."""
    bases = file.parents_of(name) if file is not None and name in file.bases else []
    return [
        parent
        for base in bases
        if file is not None and (parent := syntax.imported(file, base)) is not None
    ]


def uses_of(workspace: Workspace, path: str, name: str) -> list[Use]:
    """Return the uses of a name that a model file defines, or that a modular file generates."""
    workspace.complete_index()
    return [
        use
        for output in workspace.outputs(path)
        for use in workspace.index.uses(output, name)
    ]


def children_of(workspace: Workspace, class_: QualifiedName) -> list[QualifiedName]:
    """Return the classes of modular files that inherit from a class."""
    return [
        QualifiedName(use.modular, use.child)
        for use in uses_of(workspace, *class_)
        if use.child
    ]


def parent_parts(
    workspace: Workspace, file: ModularFile | None, name: str
) -> DefinitionView | None:
    """Return the first parent of a class of a modular file, as its own file has it."""
    parent = next(iter(_parents_in(file, name)), None)
    return (
        None
        if parent is None
        else class_named(workspace.module(parent.path), parent.name)
    )


def prepare(cursor: Cursor) -> list[lsp.TypeHierarchyItem]:
    """Return the class that the cursor is in, or on the name of which it is."""
    class_ = cursor.imported
    if class_ is None and cursor.owner is not None:
        class_ = QualifiedName(cursor.file.path, cursor.owner.name)
    return list(_items(cursor.file, [] if class_ is None else [class_]))


def supertypes(
    file: ProjectFile, params: lsp.TypeHierarchySupertypesParams
) -> list[lsp.TypeHierarchyItem]:
    """Return the classes of other models that a class inherits from."""
    return list(
        _items(
            file, parents_of(file.workspace, QualifiedName(file.path, params.item.name))
        )
    )


def subtypes(
    file: ProjectFile, params: lsp.TypeHierarchySubtypesParams
) -> list[lsp.TypeHierarchyItem]:
    """Return the classes of other models that inherit from a class."""
    return list(
        _items(
            file,
            children_of(file.workspace, QualifiedName(file.path, params.item.name)),
        )
    )


def _items(
    file: ProjectFile, classes: Iterable[QualifiedName]
) -> Iterator[lsp.TypeHierarchyItem]:
    for class_ in classes:
        place = syntax.definition_place(file.workspace.module(class_.path), class_.name)
        if place is not None:
            at, kind = file.location(place), lsp.SymbolKind.Class
            detail = class_.path.rpartition("/")[2]
            yield lsp.TypeHierarchyItem(
                class_.name, kind, at.uri, at.range, at.range, detail=detail
            )


def implementations(cursor: Cursor) -> list[lsp.Location]:
    """Return the classes of all models that inherit from a class, directly or not; for a method, their overrides."""
    if cursor.owner is None:
        return []
    workspace, places = cursor.file.workspace, []
    class_ = QualifiedName(cursor.file.path, cursor.owner.name)
    _, *descendants = walk([class_], lambda child: children_of(workspace, child))
    for child in descendants:
        owner = class_named(workspace.module(child.path), child.name)
        if owner is not None and not cursor.is_method_name:
            places.append(place_of_word(owner.header, child.name))
        elif (
            owner is not None
            and (override := methods(owner.body.statements).get(cursor.name))
            is not None
        ):
            places.append(place_of_word(override.header, cursor.name))
    return [cursor.file.location(place) for place in places]


def references(cursor: Cursor) -> list[lsp.Location]:
    """Return where modular files use the name at the cursor, which a file of a model defines or a modular file imports."""
    workspace = cursor.file.workspace
    uses = uses_of(workspace, cursor.file.path, cursor.name)
    if cursor.imported is not None:
        uses += workspace.index.uses(*cursor.imported)
    return [cursor.file.location(use.place) for use in uses]


def lenses(file: ProjectFile, params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
    """Return the number of models above each class, and at the top of a generated file its modular file."""
    code_lenses = []
    if (modular := file.workspace.generator(file.path)) is not None:
        title = f"generated from {modular.rpartition('/')[2]}: go there"
        code_lenses.append(
            lsp.CodeLens(TOP, lsp.Command(title, GO_TO_ORIGIN, arguments=[file.uri, 0]))
        )
    for statement in file.workspace.module(file.path).block.statements:
        if statement.kind is Kind.CLASS:
            uses = [
                use
                for use in uses_of(file.workspace, file.path, statement.name)
                if use.child
            ]
            if count := len({use.modular for use in uses}):
                title = (
                    "1 model inherits from this"
                    if count == 1
                    else f"{count} models inherit from this"
                )
                span = file.range(place_of_word(statement.own, statement.name))
                places = [file.location(use.place) for use in uses]
                command = lsp.Command(
                    title, SHOW_REFERENCES, arguments=[file.uri, span.start, places]
                )
                code_lenses.append(lsp.CodeLens(span, command))
    return code_lenses
