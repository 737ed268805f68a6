"""Completes base classes, methods to override and attributes in `del self.`."""

import re
from collections.abc import Iterator, Sequence

from lsprotocol import types as lsp

from modular.infer.relations import indexed_projects
from modular.lsp import inheritance, syntax
from modular.lsp.positions import line_at
from modular.lsp.project_file import ProjectFile
from modular.project.naming import is_modular_name
from modular.rules.classes.methods import find_methods
from modular.rules.reading.modular_file import ModularFile
from modular.semantics.imports import parent_module
from modular.source.blocks import Kind
from modular.source.definition_view import (
    DefinitionView,
    class_named,
    view_definition,
)


_DEL = re.compile(r"\s*del\s(?:[\w\s.,]*,)?\s*self\.(\w*)\Z")
_BASE = re.compile(r"class\s+\w+\((?:[\w\s.,]*,)?\s*(\w*)\Z")
_METHOD = re.compile(r"\s+(?:async\s+)?def\s+\w*\Z")
"""Patterns of the text before the cursor, which may not be Python yet."""


def completions(
    file: ProjectFile, params: lsp.CompletionParams
) -> list[lsp.CompletionItem]:
    """Return the completions at the cursor of a modular file.

    These are only completions that depend on parent files. Language servers for Python
    complete everything else.
    """
    if not file.is_modular:
        return []
    cursor = file.cursor_position(params.position)

    lines = file.workspace.lines(file.path)[: cursor.line]
    text_before = line_at(lines, cursor.line)[: cursor.column - 1]

    # After `class A(`.
    modular = file.workspace.last_readable_file(file.path)
    base = _BASE.match(text_before)
    if modular is not None and base is not None:
        imported = list(_imported_bases(file, modular))
        return imported + list(_bases_of_all_models(file, modular, base[1]))

    # After `del self.` or `def` in a class with a parent.
    class_name, method = _enclosing_names(lines)
    parent = inheritance.first_parent(file.workspace, modular, class_name)
    if modular is not None and parent is not None:
        if _DEL.match(text_before):
            return _deletable_attributes(parent, method)
        if _METHOD.match(text_before):
            return list(_methods(modular, class_name, parent))

    return []


def _deletable_attributes(
    parent: DefinitionView, method: str
) -> list[lsp.CompletionItem]:
    """Return the attributes that `del self.` can name in a method of a child class.

    These are the attributes that the parent's method assigns.
    """
    kind = lsp.CompletionItemKind.Field
    detail = f"{parent.name}.{method}"
    attributes = syntax.assigned_attributes(parent, method)
    return [lsp.CompletionItem(name, kind=kind, detail=detail) for name in attributes]


def _imported_bases(
    file: ProjectFile, modular: ModularFile
) -> Iterator[lsp.CompletionItem]:
    """Yield the classes that a file imports from models."""
    for name, path in modular.parent_of.items():
        module = file.workspace.module(path)
        if class_named(module, modular.original_names[name]) is not None:
            kind = lsp.CompletionItemKind.Class
            yield lsp.CompletionItem(name, kind=kind, detail=path)


def _bases_of_all_models(
    file: ProjectFile, modular: ModularFile, prefix: str
) -> Iterator[lsp.CompletionItem]:
    """Yield the classes of other models whose names begin with a prefix.

    Each completion also imports its class.

    Args:
        file: The modular file.
        modular: Its last readable text.
        prefix: The typed beginning of the name. Without one, there are no completions.
    """
    if not prefix:
        return
    project = file.project
    home_of_file = project.model_home(file.path)
    import_place = lsp.Position(syntax.first_import_line(file) - 1, 0)
    for candidate in indexed_projects(project, None):
        for path in candidate.files_of_models():
            is_own = project.model_home(path) == home_of_file
            if is_own or is_modular_name(path):
                continue
            # To read the statements of all models would take seconds.
            if f"class {prefix}" not in project.load(path, {}).text:
                continue
            module_name = parent_module(project, file.path, path)
            for statement in file.workspace.module(path).block.statements:
                name = statement.name
                is_class = statement.kind is Kind.CLASS
                is_new = is_class and name not in modular.parent_of
                if is_new and name.startswith(prefix):
                    text = f"from {module_name} import {name}\n"
                    edit = lsp.TextEdit(lsp.Range(import_place, import_place), text)
                    yield lsp.CompletionItem(
                        name,
                        kind=lsp.CompletionItemKind.Class,
                        detail=path,
                        additional_text_edits=[edit],
                    )


def _methods(
    modular: ModularFile, class_name: str, parent: DefinitionView
) -> Iterator[lsp.CompletionItem]:
    """Yield the parent's methods that a class can override, with their parameters.

    Methods that the class overrides already are left out. The completion of `forward`
    inserts `forward(self, x):`.
    """
    class_ = view_definition(modular.definitions.classes[class_name].statement)
    overrides = find_methods(class_.body.statements)
    for key, method in find_methods(parent.body.statements).items():
        # Setters and overloads have keys such as `size.setter`, and are not offered.
        is_setter_or_overload = key != method.name
        if not is_setter_or_overload and key not in overrides:
            # The user has typed `def` already.
            header = method.header.text.strip().rstrip(":").partition("def ")[2]
            yield lsp.CompletionItem(
                key,
                kind=lsp.CompletionItemKind.Method,
                detail=f"{parent.name}.{key}",
                insert_text=f"{header}:",
            )


def _enclosing_names(lines: Sequence[str]) -> tuple[str, str]:
    """Return the names of the class and method around the last line, or empty names.

    The last line may be half typed, so the lines cannot be parsed. They are searched
    upwards for the nearest `class` and `def` instead.
    """
    method_name = ""
    for line in reversed(lines):
        method = re.match(r"\s+(?:async\s+)?def\s+(\w+)", line)
        if method is not None and not method_name:
            method_name = method[1]
        class_ = re.match(r"class\s+(\w+)", line)
        if class_ is not None:
            return class_[1], method_name
    return "", method_name
