"""Finds statements of parent files that change a generated name and are not generated.

With the rules of transformers, modular copies functions, classes and assignments to one
name. Other statements that bind or change a name are dropped.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from modular.lint.context import LintContext
from modular.rules.files.imports import (
    all_guarded_imports,
    bound_names,
    read_guard,
)
from modular.rules.reading.module_changes import ModuleChange, find_changes
from modular.rules.reading.renamed_file import RenamedFile
from modular.semantics.statements import find_names_read_at_once
from modular.source.blocks import Kind, Statement
from modular.source.import_statements import plain_imports


class LostStatement(NamedTuple):
    """A statement of a parent file that is not generated.

    Attributes:
        statement: The statement in the parent file.
        name: The generated name that it binds or changes.
        owner: The generated definition that lacks the change.
    """

    statement: Statement
    name: str
    owner: str


def find_lost_statements(context: LintContext) -> Iterator[LostStatement]:
    """Yield the statements of parent files that change what is generated.

    Args:
        context: The modular file and what was generated from it.
    """
    for path, file in context.layout.parents.items():
        owners = _find_owners(context, path, file)
        for change in dropped_changes(context, path):
            for name in change.names:
                owner = owners.get(file.renamer.word(name))
                if owner is not None:
                    yield LostStatement(change.statement, name, owner)
                    break


def dropped_changes(context: LintContext, path: str) -> tuple[ModuleChange, ...]:
    """Return the statements of a source file that change names and are not copied."""
    return context.memoized(_find_dropped_changes, path)


def _find_dropped_changes(context: LintContext, path: str) -> tuple[ModuleChange, ...]:
    modular = context.modular
    module, definitions = modular.module, modular.definitions
    if path != modular.path:
        file = context.layout.parents[path]
        module, definitions = file.source.module, file.definitions
    statements = []
    for statement in module.block.statements:
        # A guard with imports is written with the other imports.
        if not any(all_guarded_imports([statement])):
            statements.append(statement)
    kept = definitions.by_name()
    changes = []
    for change in find_changes(statements, definitions):
        # Of `def f` and another `def f` below it, only the second one counts.
        binding = kept.get(change.names[0])
        is_replaced = (
            change.statement.name
            and binding is not None
            and binding.original.line > change.statement.line
            and not _is_read_above(
                change.names[0], change.statement, binding.original, statements
            )
        )
        if not is_replaced:
            changes.append(change)
    return tuple(changes)


def _is_read_above(
    name: str, first: Statement, last: Statement, statements: Sequence[Statement]
) -> bool:
    """Whether code reads a name between two statements that define it.

    The second one, such as `SIZE = 2 * SIZE`, counts. Of functions and classes, only that
    one does: `UnusedDefinition` reports others.
    """
    for statement in [last] if first.is_definition else statements:
        if first.line < statement.line <= last.line:
            if find_names_read_at_once(statement, {name}):
                return True
    return False


def _find_owners(context: LintContext, path: str, file: RenamedFile) -> dict[str, str]:
    """Return the definitions that are generated from a parent file, by their new names.

    A class of the modular file stands for its parent class.
    """
    owners = {}
    for name, definition in context.generated.items():
        if definition.parts[0].code.path == path:
            owners[name] = name
    modular = context.modular
    for child in context.layout.flattened:
        owners.pop(child, None)
        for parent in modular.parents_of(child):
            if modular.parent_of[parent] == path:
                owners[file.renamer.word(modular.original_names[parent])] = child
    return owners


class LostImport(NamedTuple):
    """A `try` of a generated file that does not import what its source imports.

    Attributes:
        guard: The `try` in its source file.
        name: The name that is not imported.
    """

    guard: Statement
    name: str


def find_lost_imports(context: LintContext) -> Iterator[LostImport]:
    """Yield each `try` whose import is left out, because no code uses its name.

    Then `try: import x; HAS_X = True` always sets `HAS_X`.

    Args:
        context: The modular file and what was generated from it.
    """
    sources = {}
    for statement in context.modular.import_statements:
        sources[(context.modular.path, statement.line)] = statement
    for path, file in context.layout.parents.items():
        for statement in file.import_statements:
            sources[(path, statement.line)] = statement
    for file_with_imports in context.files:
        for output in file_with_imports.statements:
            code = output.parts[0].code
            if output.name or not code.mask.lstrip().startswith("try"):
                continue
            blank_lines = len(code.text) - len(code.text.lstrip("\n"))
            source = sources.get((code.path, code.line + blank_lines))
            generated_text = "".join(run.code.mask for run in output.parts)
            name = "" if source is None else _find_lost_name(source, generated_text)
            if source is not None and name:
                yield LostImport(source, name)


def _find_lost_name(source: Statement, generated: str) -> str:
    """Return an import of a `try` that the generated code lacks; empty if there is none.

    A `try` without other statements, such as `HAS_X = True`, needs only used imports.
    """
    guard = read_guard(source)
    if guard is None:
        return ""
    others = [item for item in guard.first_statements if item.kind is not Kind.IMPORT]
    if not any(bound_names(statement) for statement in others):
        return ""
    for import_ in plain_imports(guard.first_statements):
        for alias in import_.names:
            if alias.name not in generated:
                return alias.name
    return ""
