"""Tells the editor which models inherit from a class or use a name."""

from lsprotocol import types as lsp

from modular.lsp import syntax
from modular.lsp.commands import GO_TO_ORIGIN, SHOW_REFERENCES
from modular.lsp.index import Use
from modular.lsp.project_file import TOP, ProjectFile
from modular.lsp.syntax import Cursor
from modular.lsp.workspace import Workspace
from modular.rules.classes.methods import find_methods
from modular.rules.reading.modular_file import ModularFile
from modular.semantics.meanings import QualifiedName
from modular.source.blocks import Kind
from modular.source.definition_view import DefinitionView, class_named
from modular.source.diagnostics import Place
from modular.source.module import read as read_module
from modular.source.places import place_of_word
from modular.source.walking import walk


def class_to_edit(workspace: Workspace, class_: QualifiedName) -> QualifiedName:
    """Return the class that a person edits to change a class.

    For a generated class, this is the class of the same name in its modular file. If the
    modular file does not have it, or the class is hand-written, this is the class itself.
    """
    modular = workspace.project.generating_modular(class_.path)
    if modular is None or class_named(workspace.module(modular), class_.name) is None:
        return class_
    return QualifiedName(modular, class_.name)


def uses_of(workspace: Workspace, path: str, name: str) -> list[Use]:
    """Return the places in all modular files that import or inherit from a definition.

    Modular files do not import each other: they import generated files. So the uses of
    a class in `modular_llama.py` are the uses of this class in `modeling_llama.py`.

    Args:
        workspace: The project.
        path: The file that defines the name, or the modular file that generates it.
        name: The name of a class, a function or a variable.
    """
    workspace.complete_index()
    uses: list[Use] = []
    for output in workspace.outputs(path):
        uses += workspace.index.uses(output, name)
    return uses


def children_of(workspace: Workspace, class_: QualifiedName) -> list[QualifiedName]:
    """Return the classes of modular files that inherit from a class."""
    children = []
    for use in uses_of(workspace, class_.path, class_.name):
        if use.child:
            children.append(QualifiedName(use.modular, use.child))
    return children


def first_parent(
    workspace: Workspace, file: ModularFile | None, name: str
) -> DefinitionView | None:
    """Return the definition of a class's first parent, or None if it is not found.

    Args:
        workspace: The workspace with the parent's file.
        file: The modular file with the class; None if it cannot be read.
        name: The name of the class.
    """
    if file is None:
        return None
    parent_classes = file.parent_classes(name)
    if not parent_classes:
        return None
    parent = parent_classes[0]
    return class_named(workspace.module(parent.path), parent.name)


def implementations(cursor: Cursor) -> list[lsp.Location]:
    """Return all classes that inherit from the class around the cursor.

    If the cursor is on the name of a method, the methods that override it are returned.
    """
    if cursor.owner is None:
        return []

    workspace = cursor.file.workspace
    class_ = QualifiedName(cursor.file.path, cursor.owner.name)
    places = []
    for descendant in walk([class_], lambda parent: children_of(workspace, parent)):
        if descendant == class_:
            continue
        definition = class_named(workspace.module(descendant.path), descendant.name)
        if definition is None:
            continue

        if cursor.is_method_name:
            override = find_methods(definition.body.statements).get(cursor.name)
            if override is not None:
                places.append(place_of_word(override.header, override.name))
        else:
            places.append(place_of_word(definition.header, definition.name))
    return [cursor.file.location(place) for place in places]


def references(file: ProjectFile, params: lsp.ReferenceParams) -> list[lsp.Location]:
    """Return the places where modular files use the name at the cursor.

    If the editor asks for the declaration, the definition of the name comes first. For a
    generated class, this is the definition in its modular file.
    """
    cursor = syntax.cursor_at(file, params.position)
    if cursor is None:
        return []

    workspace = file.workspace
    places = []
    if params.context.include_declaration:
        name = cursor.imported or QualifiedName(file.path, cursor.name)
        name = class_to_edit(workspace, name)
        declaration = syntax.definition_place(workspace.module(name.path), name.name)
        if declaration is not None:
            places.append(declaration)

    # The name can be defined in this file, or be imported into it.
    uses = uses_of(workspace, file.path, cursor.name)
    if cursor.imported is not None:
        uses += workspace.index.uses(cursor.imported.path, cursor.imported.name)
    places += [use.place for use in uses]
    return [file.location(place) for place in places]


def lenses(file: ProjectFile, params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
    """Return the code lenses of a file: links that the editor shows above its lines.

    Above a class is the number of models that inherit from it. At the top of a
    generated file is a link to its modular file.
    """
    code_lenses = []
    modular = file.workspace.generating_modular(file.path)
    if modular is not None:
        title = f"generated from {modular.rpartition('/')[2]}: go there"
        command = lsp.Command(title, GO_TO_ORIGIN, arguments=[file.uri, 0])
        code_lenses.append(lsp.CodeLens(TOP, command))

    # While a statement is half typed, the classes are those of the last text that could
    # be parsed. Their lenses are shown above the same lines of the current text.
    module = read_module(file.path, file.workspace.last_readable_text(file.path))
    current_lines = file.workspace.current_lines(file.path)
    for statement in module.block.statements:
        if statement.kind is not Kind.CLASS:
            continue
        place = place_of_word(statement.bare_code, statement.name)
        uses = uses_of(file.workspace, file.path, statement.name)
        child_uses = [use for use in uses if use.child]
        if child_uses and place.line in current_lines:
            current_place = place._replace(line=current_lines[place.line])
            code_lenses.append(_children_lens(file, current_place, child_uses))
    return code_lenses


def _children_lens(
    file: ProjectFile, place: Place, child_uses: list[Use]
) -> lsp.CodeLens:
    """Return the lens of a class that shows how many models inherit from it."""
    model_count = len({use.modular for use in child_uses})
    title = "1 model inherits from this"
    if model_count > 1:
        title = f"{model_count} models inherit from this"
    span = file.range(place)
    locations = [file.location(use.place) for use in child_uses]
    arguments = [file.uri, span.start, locations]
    return lsp.CodeLens(span, lsp.Command(title, SHOW_REFERENCES, arguments=arguments))
