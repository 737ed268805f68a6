"""Completes base classes that a modular file does not import yet."""

import re
from collections.abc import Iterator

from lsprotocol import types as lsp

from modular.infer.relations import indexed_projects
from modular.lsp import syntax
from modular.lsp.positions import line_at
from modular.lsp.project_file import ProjectFile
from modular.project.naming import is_modular_name
from modular.project.project import Project
from modular.rules.reading.modular_file import ModularFile
from modular.semantics.imports import parent_module
from modular.source.blocks import Kind


_BASE = re.compile(r"class\s+\w+\((?:[\w\s.,]*,)?\s*(\w*)\Z")
"""The text before the cursor, which may not be Python yet."""


def completions(
    file: ProjectFile, params: lsp.CompletionParams
) -> list[lsp.CompletionItem]:
    """Return the completions at the cursor of a modular file.

    After `class A(`, the completions are the classes of all models, also of those that
    are not imported yet. Language servers for Python complete everything else.
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
    import_line = syntax.first_import_line(file)
    for path in _files_of_other_models(project, file.path):
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
            place = lsp.Position(import_line - 1, 0)
            text = f"from {module_name} import {name}\n"
            yield lsp.CompletionItem(
                name,
                kind=lsp.CompletionItemKind.Class,
                detail=path,
                additional_text_edits=[lsp.TextEdit(lsp.Range(place, place), text)],
            )


def _files_of_other_models(project: Project, path: str) -> Iterator[str]:
    """Yield the files of all models but one, except for their modular files.

    Args:
        project: The project, whose source library can have models, too.
        path: A file of the model that is left out.
    """
    home = project.model_home(path)
    for searched_project in indexed_projects(project, None):
        for other_path in searched_project.files_of_models():
            is_same_model = project.model_home(other_path) == home
            if not is_same_model and not is_modular_name(other_path):
                yield other_path
