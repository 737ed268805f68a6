"""Completes imports, base classes, methods to override and attributes in `del self.`."""

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from lsprotocol import types as lsp

from modular.lsp import inheritance, syntax
from modular.lsp.project_file import ProjectFile
from modular.rules.classes.methods import find_methods
from modular.rules.files import file_types
from modular.rules.reading.modular_file import ModularFile
from modular.source.blocks import Kind
from modular.source.definition_view import DefinitionView, class_named


_FROM = re.compile(r"\s*from\s+(\.+|[\w.]*\.)([\w.]*)\Z")
_NAMES = re.compile(r"from\s+(\.*)([\w.]+)\s+import\s*\(?[\w\s,]*\Z")
_DEL = re.compile(r"\s*del\s(?:[\w\s.,]*,)?\s*self\.(\w*)\Z")
_BASE = re.compile(r"class\s+\w+\((?:[\w\s.,]*,)?\s*\w*\Z")
_METHOD = re.compile(r"\s+(?:async\s+)?def\s+\w*\Z")
"""Patterns of the text before the cursor, which may not be Python yet."""

_MAX_IMPORT_LINES = 40
"""Number of lines of an import statement that are searched."""

_KINDS = {
    Kind.CLASS: lsp.CompletionItemKind.Class,
    Kind.FUNCTION: lsp.CompletionItemKind.Function,
    Kind.ASSIGNMENT: lsp.CompletionItemKind.Variable,
}


def completions(
    file: ProjectFile, params: lsp.CompletionParams
) -> list[lsp.CompletionItem]:
    """Return the completions at the cursor of a modular file.

    There are none where other language servers know more.
    """
    if not file.is_modular:
        return []
    cursor = file.cursor_position(params.position)
    lines = file.workspace.lines(file.path)[: cursor.line]
    line = lines[-1] if len(lines) == cursor.line else ""
    before = line[: cursor.column - 1]

    modular = file.workspace.modular_file(file.path)
    if modular is not None and _BASE.match(before):
        return list(_bases(file, modular))

    class_name, method = _enclosing(lines)
    parent = inheritance.first_parent(file.workspace, modular, class_name)
    if modular is not None and parent is not None:
        if _DEL.match(before):
            return _deleted_attributes(parent, method)
        if _METHOD.match(before):
            return list(_methods(modular, class_name, parent))

    module_match = _FROM.match(before)
    if module_match is not None:
        return list(_modules(file, module_match.group(1) + module_match.group(2)))
    import_text = "\n".join([*lines[-_MAX_IMPORT_LINES:-1], before])
    names_match = _NAMES.search(import_text)
    if names_match is not None:
        return list(_names(file, len(names_match.group(1)), names_match.group(2)))
    return []


def _deleted_attributes(
    parent: DefinitionView, method: str
) -> list[lsp.CompletionItem]:
    """Return the attributes that a method of the parent assigns."""
    kind = lsp.CompletionItemKind.Field
    detail = f"{parent.name}.{method}"
    attributes = syntax.assigned_attributes(parent, method)
    return [lsp.CompletionItem(name, kind=kind, detail=detail) for name in attributes]


def _modules(file: ProjectFile, module_prefix: str) -> Iterator[lsp.CompletionItem]:
    """Yield the models, or the model files of a model, that may follow a prefix."""
    folders, are_model_folders = _folders(file, module_prefix)
    own_folder = PurePosixPath(file.path).parent.name
    for folder in folders:
        place = file.workspace.project.locate(f"{folder}/_").parent
        if not place.is_dir():
            continue
        for entry in sorted(place.iterdir()):
            name = entry.name
            if are_model_folders:
                file_type = file_types.of_file(entry.stem, file.project.settings)
                if entry.suffix == ".py" and file_type is not None:
                    kind = lsp.CompletionItemKind.File
                    detail = f"{folder}/{name}"
                    yield lsp.CompletionItem(entry.stem, kind=kind, detail=detail)
            elif name.isidentifier() and name not in (own_folder, "__pycache__"):
                if entry.is_dir():
                    yield lsp.CompletionItem(name, kind=lsp.CompletionItemKind.Module)


def _folders(file: ProjectFile, module_prefix: str) -> tuple[list[str], bool]:
    """Return the folders that a module prefix names.

    Returns:
        The folders of a model and true, or the folders of all models and false.
    """
    project = file.workspace.project
    dots = len(module_prefix) - len(module_prefix.lstrip("."))
    parts = module_prefix[dots:].split(".")[:-1]
    if parts:
        module = ".".join([*parts, "modeling_model"])
        paths = project.resolve_module(file.path, dots, module)
        folders = sorted({str(PurePosixPath(path).parent) for path in paths})
        for folder in folders:
            if project.locate(f"{folder}/_").parent.is_dir():
                return folders, True

    module = ".".join([*parts, "model", "modeling_model"])
    paths = project.resolve_module(file.path, dots, module)
    return sorted({str(PurePosixPath(path).parents[1]) for path in paths}), False


def _names(file: ProjectFile, dots: int, module: str) -> Iterator[lsp.CompletionItem]:
    """Yield the names that a parent file defines, classes first."""
    workspace = file.workspace
    for path in workspace.project.resolve_module(file.path, dots, module):
        if not workspace.converter.exists(path):
            continue
        statements = workspace.module(path).block.statements
        for kind, item_kind in _KINDS.items():
            names: dict[str, None] = {}
            for statement in statements:
                if statement.kind is kind and statement.name != "__all__":
                    names[statement.name] = None
            for name in names:
                yield lsp.CompletionItem(name, kind=item_kind, detail=path)
        return


def _bases(file: ProjectFile, modular: ModularFile) -> Iterator[lsp.CompletionItem]:
    """Yield the classes that a file imports from models."""
    for name, path in modular.parent_of.items():
        module = file.workspace.module(path)
        if class_named(module, modular.original_names[name]) is not None:
            kind = lsp.CompletionItemKind.Class
            yield lsp.CompletionItem(name, kind=kind, detail=path)


def _methods(
    modular: ModularFile, class_name: str, parent: DefinitionView
) -> Iterator[lsp.CompletionItem]:
    """Yield the parent's methods that a class does not override, with parameters."""
    class_ = class_named(modular.module, class_name)
    overrides = {}
    if class_ is not None:
        overrides = find_methods(class_.body.statements)
    for key, method in find_methods(parent.body.statements).items():
        if key == method.name and key not in overrides:
            header = method.header.text.strip().rstrip(":").partition("def ")[2]
            yield lsp.CompletionItem(
                key,
                kind=lsp.CompletionItemKind.Method,
                detail=f"{parent.name}.{key}",
                insert_text=f"{header}:",
            )


def _enclosing(lines: Sequence[str]) -> tuple[str, str]:
    """Return the names of the class and method around the last line.

    Indents tell which, because the line itself may be half typed.
    """
    method_name = ""
    for line in reversed(lines):
        method = re.match(r"\s+(?:async\s+)?def\s+(\w+)", line)
        if method is not None and not method_name:
            method_name = method.group(1)
        class_ = re.match(r"class\s+(\w+)", line)
        if class_ is not None:
            return class_.group(1), method_name
    return "", method_name
