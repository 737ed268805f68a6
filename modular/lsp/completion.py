"""Completion: models, files and names in imports, bases, methods to override, and attributes in `del self.`."""

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from lsprotocol import types as lsp

from modular.lsp import inheritance, syntax
from modular.lsp.project_file import ProjectFile
from modular.rules.classes.methods import methods
from modular.rules.files import file_types
from modular.rules.reading.modular_file import ModularFile
from modular.source.blocks import Kind
from modular.source.definition_view import DefinitionView, class_named


_FROM = re.compile(r"\s*from\s+(\.+|[\w.]*\.)([\w.]*)\Z")
_NAMES = re.compile(r"from\s+(\.*)([\w.]+)\s+import\s*\(?[\w\s,]*\Z")
_DEL = re.compile(r"\s*del\s(?:[\w\s.,]*,)?\s*self\.(\w*)\Z")
_BASE = re.compile(r"class\s+\w+\((?:[\w\s.,]*,)?\s*\w*\Z")
_METHOD = re.compile(r"\s+(?:async\s+)?def\s+\w*\Z")
"""The text before the cursor: it may not be Python yet, so it cannot be parsed."""

_FARTHEST = 40
"""Lines that an import statement may go back."""

_KINDS = {
    Kind.CLASS: lsp.CompletionItemKind.Class,
    Kind.FUNCTION: lsp.CompletionItemKind.Function,
    Kind.ASSIGNMENT: lsp.CompletionItemKind.Variable,
}


def completions(
    file: ProjectFile, params: lsp.CompletionParams
) -> list[lsp.CompletionItem]:
    """Return completions at the cursor of a modular file; none where other language servers know better."""
    if not file.is_modular:
        return []
    spot = file.cursor_position(params.position)
    lines = file.workspace.lines(file.path)[: spot.line]
    before = (lines[-1] if len(lines) == spot.line else "")[: spot.column - 1]
    modular = file.workspace.modular_file(file.path)
    if modular is not None and _BASE.match(before):
        return list(_bases(file, modular))
    owner, method = _enclosing(lines)
    parent = inheritance.first_parent(file.workspace, modular, owner)
    if parent is not None and _DEL.match(before):
        detail = f"{parent.name}.{method}"
        names = syntax.assigned_attributes(parent, method)
        return [
            lsp.CompletionItem(name, kind=lsp.CompletionItemKind.Field, detail=detail)
            for name in names
        ]
    if modular is not None and parent is not None and _METHOD.match(before):
        return list(_methods(modular, owner, parent))
    if match := _FROM.match(before):
        return list(_modules(file, match.group(1) + match.group(2)))
    if match := _NAMES.search("\n".join([*lines[-_FARTHEST:-1], before])):
        return list(_names(file, len(match.group(1)), match.group(2)))
    return []


def _modules(file: ProjectFile, written: str) -> Iterator[lsp.CompletionItem]:
    """The models, or the model files of one, that may follow what is written of a module."""
    folders, are_files = _folders(file, written)
    own = PurePosixPath(file.path).parent.name
    for folder in folders:
        place = file.workspace.project.locate(f"{folder}/_").parent
        for entry in sorted(place.iterdir()) if place.is_dir() else ():
            is_model_file = (
                entry.suffix == ".py"
                and file_types.of_file(entry.stem, file.project.settings) is not None
            )
            if are_files and is_model_file:
                detail = f"{folder}/{entry.name}"
                yield lsp.CompletionItem(
                    entry.stem, kind=lsp.CompletionItemKind.File, detail=detail
                )
            elif (
                not are_files
                and entry.name.isidentifier()
                and entry.name not in (own, "__pycache__")
            ):
                if entry.is_dir():
                    yield lsp.CompletionItem(
                        entry.name, kind=lsp.CompletionItemKind.Module
                    )


def _folders(file: ProjectFile, written: str) -> tuple[list[str], bool]:
    """The folders of models, or that of the model that is written last; and whether it is that."""
    project = file.workspace.project
    dots = len(written) - len(written.lstrip("."))
    parts = written[dots:].split(".")[:-1]
    files = (
        project.resolve_module(file.path, dots, ".".join([*parts, "modeling_model"]))
        if parts
        else ()
    )
    folders = {str(PurePosixPath(path).parent) for path in files}
    if any(project.locate(f"{folder}/_").parent.is_dir() for folder in folders):
        return sorted(folders), True
    files = project.resolve_module(
        file.path, dots, ".".join([*parts, "model", "modeling_model"])
    )
    return sorted({str(PurePosixPath(path).parents[1]) for path in files}), False


def _names(file: ProjectFile, dots: int, module: str) -> Iterator[lsp.CompletionItem]:
    """What can be imported from a parent file: its classes first."""
    paths = file.workspace.project.resolve_module(file.path, dots, module)
    path = next((path for path in paths if file.workspace.converter.exists(path)), None)
    if path is None:
        return
    statements = file.workspace.module(path).block.statements
    for kind, item_kind in _KINDS.items():
        names = (
            statement.name
            for statement in statements
            if statement.kind is kind and statement.name != "__all__"
        )
        yield from (
            lsp.CompletionItem(name, kind=item_kind, detail=path)
            for name in dict.fromkeys(names)
        )


def _bases(file: ProjectFile, modular: ModularFile) -> Iterator[lsp.CompletionItem]:
    """The classes that the file imports from models."""
    for name, path in modular.parent_of.items():
        if (
            class_named(file.workspace.module(path), modular.original_names[name])
            is not None
        ):
            yield lsp.CompletionItem(
                name, kind=lsp.CompletionItemKind.Class, detail=path
            )


def _methods(
    modular: ModularFile, owner: str, parent: DefinitionView
) -> Iterator[lsp.CompletionItem]:
    """The methods of the parent that the class does not override yet, with their parameters."""
    own = class_named(modular.module, owner)
    overrides = methods(own.body.statements) if own is not None else {}
    for key, method in methods(parent.body.statements).items():
        if key == method.name and key not in overrides:
            header = method.header.text.strip().rstrip(":").partition("def ")[2]
            detail = f"{parent.name}.{key}"
            yield lsp.CompletionItem(
                key,
                kind=lsp.CompletionItemKind.Method,
                detail=detail,
                insert_text=f"{header}:",
            )


def _enclosing(lines: Sequence[str]) -> tuple[str, str]:
    """The names of the class and of the method around the last line, told by indents: the line itself is half typed."""
    owner = method = ""
    for text in reversed(lines):
        if not method and (match := re.match(r"\s+(?:async\s+)?def\s+(\w+)", text)):
            method = match.group(1)
        if match := re.match(r"class\s+(\w+)", text):
            owner = match.group(1)
            break
    return owner, method
