"""Answers requests for the definition of a symbol, and for the code that a hover shows."""

from lsprotocol import types as lsp

from modular.lsp import inheritance, preview, syntax
from modular.lsp.project_file import ProjectFile
from modular.lsp.syntax import Cursor
from modular.rules.classes.methods import find_methods
from modular.rules.reading.modular_file import ModularFile
from modular.semantics.meanings import QualifiedName
from modular.source.blocks import Kind
from modular.source.definition_view import DefinitionView, class_named
from modular.source.diagnostics import Place
from modular.source.import_statements import import_of
from modular.source.indentation import STEP
from modular.source.module import Module, statement_named
from modular.source.module import read as read_module
from modular.source.places import place_of_word


_MAX_HOVER_LINES = 300
"""Number of lines of code that a hover shows."""


def definition(file: ProjectFile, params: lsp.DefinitionParams) -> list[lsp.Location]:
    """Return the definition of the class, function or method under the cursor.

    On a line of a generated file, this is the origin of the line. A class of another
    model has two definitions: in the generated file and in its modular file. Language
    servers for Python know the definitions of attributes.
    """
    if file.workspace.generating_modular(file.path) is not None:
        origin = preview.origin_of(file, params.position.line + 1)
        return [] if origin is None else [file.location(origin)]

    cursor = syntax.cursor_at(file, params.position)
    if cursor is None or cursor.modular is None:
        return []
    # Names come last, since `_name_places` also answers for methods and imports.
    places = (
        _parent_method_places(cursor)
        or _import_places(cursor, cursor.modular)
        or _name_places(cursor, cursor.modular)
    )
    return [file.location(place) for place in places]


def _import_places(cursor: Cursor, modular: ModularFile) -> list[Place]:
    """Return the definition of the imported name under the cursor.

    For `LlamaMLP` in `from ..llama.modeling_llama import LlamaMLP`, this is the class.
    For `modeling_llama`, or if the class does not exist, this is the start of the file.
    If the cursor is not in an import from another model, the list is empty.
    """
    if cursor.statement is None or cursor.statement.kind is not Kind.IMPORT:
        return []
    statement = import_of(cursor.statement)
    if statement is None:
        return []
    path = modular.find_parent_path(statement)
    if path is None or cursor.file.workspace.project.points_outside_root(path):
        return []

    start_of_file = Place(path)
    for alias in statement.names:
        # In `import LlamaMLP as Base`, the cursor can be on either name.
        if cursor.name in (alias.name, alias.bound):
            definition_name = QualifiedName(path, alias.name)
            return _definition_places(cursor.file, definition_name) or [start_of_file]
    return [start_of_file]


def _parent_method_places(cursor: Cursor) -> list[Place]:
    """Return the parent's method that the method name under the cursor refers to.

    The cursor is on `forward` in `def forward` or `super().forward`.
    """
    parent = _parent_at(cursor)
    is_method = cursor.is_after("def") or cursor.is_after("super().")
    if parent is None or not is_method:
        return []
    parent_method = find_methods(parent.body.statements).get(cursor.name)
    if parent_method is None:
        return []
    return [place_of_word(parent_method.header, cursor.name)]


def _parent_at(cursor: Cursor) -> DefinitionView | None:
    """Return the first parent of the class around the cursor."""
    if cursor.owner is None:
        return None
    workspace = cursor.file.workspace
    return inheritance.first_parent(workspace, cursor.modular, cursor.owner.name)


def _name_places(cursor: Cursor, modular: ModularFile) -> list[Place]:
    """Return the definition of the name under the cursor.

    - An imported name leads to its definition in the parent file.
    - The name of the class around the cursor leads to its first parent class. So both
      names in `class MyModelMLP(LlamaMLP)` lead to the definition of `LlamaMLP`.
    - Other names lead to their definition in the modular file.
    """
    name = cursor.name
    if cursor.owner is not None and cursor.owner.name == name:
        name = _first_parent_name(modular, name) or name

    imported = modular.imported_definition(name)
    if imported is not None:
        return _definition_places(cursor.file, imported)
    place = syntax.definition_place(modular.module, name)
    return [] if place is None else [place]


def _first_parent_name(modular: ModularFile, class_name: str) -> str:
    """Return the first base of a class that comes from a parent file; "" if none does."""
    if class_name not in modular.bases:
        return ""
    return next(iter(modular.parents_of(class_name)), "")


def _definition_places(file: ProjectFile, name: QualifiedName) -> list[Place]:
    """Return the places of a definition: in a parent file, and in its modular file.

    A file that does not define the name has no place.

    Args:
        file: Any file of the project.
        name: The name, with the path of the parent file that defines it.
    """
    workspace = file.workspace
    if workspace.project.points_outside_root(name.path):
        return []
    paths = [name.path]
    modular = workspace.project.generating_modular(name.path)
    if modular is not None:
        paths.append(modular)
    places = []
    for path in paths:
        place = syntax.definition_place(workspace.module(path), name.name)
        if place is not None:
            places.append(place)
    return places


def hover(cursor: Cursor) -> lsp.Hover | None:
    """Return the code that the identifier at the cursor stands for, as Markdown.

    For `super()`, this is the parent's method. For an imported name, it is the definition
    of the name, and for a class, function or method, its generated code.
    """
    if cursor.modular is None:
        return None
    text = _show_super(cursor) or _show_imported(cursor) or _show_generated(cursor)
    # There is nothing to show for a local variable, for example.
    if text is None:
        return None
    return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, text))


def _show_super(cursor: Cursor) -> str | None:
    """Return the parent's method that replaces the `super()` call at the cursor.

    Returns:
        The method as Markdown, or None if the cursor is not on such a call.
    """
    if cursor.is_after("super()."):
        method_name = cursor.name
    elif cursor.name == "super" and cursor.method is not None:
        method_name = cursor.method.name
    else:
        return None

    parent = _parent_at(cursor)
    if parent is None:
        return None
    code = _member_code(parent, method_name)
    if code is None:
        return None
    return _markdown(f"`{parent.name}.{method_name}`", parent.code.path, code)


def _show_imported(cursor: Cursor) -> str | None:
    """Return the definition of the imported name at the cursor as Markdown."""
    if cursor.imported is None:
        return None
    module = cursor.file.workspace.module(cursor.imported.path)
    statement = statement_named(module, cursor.imported.name)
    if statement is None:
        return None
    title = f"`{cursor.imported.name}`"
    return _markdown(title, cursor.imported.path, statement.bare_code.text)


def _show_generated(cursor: Cursor) -> str | None:
    """Return the generated code of the definition at the cursor as Markdown.

    The generated code of a class contains all that it inherits. If the cursor is on the
    name of a method in its definition, only the method is shown.
    """
    texts = preview.formatted_texts(cursor.file, cursor.file.path)
    for path, text in texts.items():
        code = _code_at_cursor(cursor, read_module(path, text))
        if code is not None:
            return _markdown(f"`{cursor.name}` as generated", path, code)
    return None


def _code_at_cursor(cursor: Cursor, generated: Module) -> str | None:
    """Return a generated file's code of the method or definition at the cursor, if any."""
    if cursor.owner is not None and cursor.is_method_name:
        class_ = class_named(generated, cursor.owner.name)
        return None if class_ is None else _member_code(class_, cursor.name)
    statement = statement_named(generated, cursor.name)
    return None if statement is None else statement.bare_code.text


def _member_code(class_: DefinitionView, name: str) -> str | None:
    """Return the code of a method of a class, indented as at module level.

    For a property, this is the code of its getter and its setter. If the class has no
    such method, the result is None.
    """
    lines = []
    for method in find_methods(class_.body.statements).values():
        if method.name == name:
            code = method.statement.bare_code.text.removesuffix("\n")
            lines += [line.removeprefix(STEP) for line in code.split("\n")]
    return "".join(f"{line}\n" for line in lines) or None


def _markdown(title: str, path: str, code: str) -> str:
    """Return code as Markdown below a title and file name, shortened if it is long."""
    lines = code.removesuffix("\n").split("\n")
    shown_lines = lines[:_MAX_HOVER_LINES]
    if len(lines) > _MAX_HOVER_LINES:
        shown_lines.append(f"# ... and {len(lines) - _MAX_HOVER_LINES} more lines")
    file_name = path.rpartition("/")[2]
    shown_code = "\n".join(shown_lines)
    return f"{title} in `{file_name}`\n\n```python\n{shown_code}\n```"
