"""Completes base classes that a modular file does not import yet."""

import re
from collections.abc import Iterator

from lsprotocol import types as lsp

from modular.infer.relations import indexed_projects
from modular.lsp import syntax
from modular.lsp.positions import line_at
from modular.lsp.project_file import ProjectFile
from modular.project.naming import is_modular_name
from modular.rules.reading.modular_file import ModularFile
from modular.semantics.imports import parent_module
from modular.source.blocks import Kind


_BASE = re.compile(r"class\s+\w+\((?:[\w\s.,]*,)?\s*(\w*)\Z")
"""The text before the cursor, which may not be Python yet."""


def completions(
    file: ProjectFile, params: lsp.CompletionParams
) -> list[lsp.CompletionItem]:
    """Return the completions at the cursor of a modular file.

    These are the classes of all models after `class A(`, which may not be imported yet.
    Language servers for Python complete everything else.
    """
    if not file.is_modular:
        return []
    cursor = file.cursor_position(params.position)
    line = line_at(file.workspace.lines(file.path), cursor.line)
    base = _BASE.match(line[: cursor.column - 1])
    modular = file.workspace.last_readable_file(file.path)
    if modular is None or base is None:
        return []
    return list(_bases_of_all_models(file, modular, base[1]))


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
    # The models of the project, and those of its source library.
    for searched_project in indexed_projects(project, None):
        for path in searched_project.files_of_models():
            is_same_model = project.model_home(path) == home_of_file
            if is_same_model or is_modular_name(path):
                continue
            # To read the statements of all models would take seconds.
            if f"class {prefix}" not in project.load(path, {}).text:
                continue
            module_name = parent_module(project, file.path, path)
            for statement in file.workspace.module(path).block.statements:
                name = statement.name
                is_match = statement.kind is Kind.CLASS and name.startswith(prefix)
                is_imported = name in modular.parent_of
                if not is_match or is_imported:
                    continue
                text = f"from {module_name} import {name}\n"
                edit = lsp.TextEdit(lsp.Range(import_place, import_place), text)
                yield lsp.CompletionItem(
                    name,
                    kind=lsp.CompletionItemKind.Class,
                    detail=path,
                    additional_text_edits=[edit],
                )
