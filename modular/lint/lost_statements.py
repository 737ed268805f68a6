"""Finds statements of parent files that change a generated name and are not generated.

With the rules of transformers, modular copies functions, classes and assignments to one
name. Other statements that bind or change a name are dropped.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import NamedTuple

from modular.lint.context import LintContext
from modular.rules.files.imports import (
    bound_names,
    read_guard,
)
from modular.rules.reading.module_changes import ModuleChange, find_changes
from modular.rules.reading.renamed_file import RenamedFile
from modular.semantics.facts import Usage
from modular.semantics.imports import ImportedName, imported_names
from modular.semantics.modules import bindings_of, effects_of_statement
from modular.semantics.statements import find_names_read_at_once
from modular.source.blocks import Kind, Statement
from modular.source.definitions import Definitions
from modular.source.import_statements import plain_imports
from modular.source.module import Module


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
    """Return the statements of a source file that change names and are not copied.

    Args:
        context: The modular file and what was generated from it.
        path: The path of the modular file or of a parent file.
    """
    return context.memoized(_find_dropped_changes, path)


def _find_dropped_changes(context: LintContext, path: str) -> tuple[ModuleChange, ...]:
    """Compute the result of `dropped_changes`.

    A change does not count if a later statement gives the name another value.
    """
    modular = context.modular
    if path == modular.path:
        module, definitions = modular.module, modular.definitions
    else:
        file = context.layout.parents[path]
        module, definitions = file.source.module, file.definitions
    statements = module.block.statements
    changes = list(_find_contested_blocks(module))
    for change in find_changes(statements, definitions):
        if change.statement.kind is not Kind.GUARD:
            changes.append(change)
    replaced = _find_replaced(changes, definitions, statements)
    return tuple(change for change in changes if change.statement not in replaced)


def _find_contested_blocks(module: Module) -> Iterator[ModuleChange]:
    """Yield each `if` and `try` with those of its names that another statement binds.

    A block at module level counts as an import: it is written above all other code, or
    not at all if another statement binds its names.
    """
    for statement in module.block.statements:
        if statement.kind is not Kind.GUARD or "__name__" in statement.words:
            continue
        changed = {name for name, _ in effects_of_statement(statement)}
        names = [
            name
            for name in sorted(changed)
            if _has_other_value(module, statement, name)
        ]
        if names:
            yield ModuleChange(statement, tuple(names), frozenset(names))


def _has_other_value(module: Module, block: Statement, name: str) -> bool:
    """Whether another statement binds a name that a block binds or changes.

    Imports of the same object do not count.
    """
    bindings = bindings_of(module, name)
    statements = {block, *(binding.statement for binding in bindings)}
    imported = set[ImportedName]()
    for statement in statements:
        imported.update(imported_names(statement, name))
    are_imports = all(binding.usage is Usage.IMPORTED for binding in bindings)
    is_one_object = are_imports and len(imported) == 1
    return len(statements) > 1 and not is_one_object


def _find_replaced(
    changes: Iterable[ModuleChange],
    definitions: Definitions,
    statements: Sequence[Statement],
) -> set[Statement]:
    """Return the statements whose name another one defines before any code reads it.

    Of `def f` and another `def f` below it, only the second one counts. If that one, or
    code between them, reads the name, as `SIZE = 2 * SIZE` does, the first one counts,
    too.
    """
    kept = definitions.by_name()
    last_statements = {}
    candidates = []
    for change in changes:
        name = change.names[0]
        binding = kept.get(name)
        binds_one_name = change.bound_names == set(change.names) == {name}
        if not binds_one_name or binding is None:
            continue
        if binding.original.line > change.statement.line:
            last_statements[name] = binding.original
            candidates.append((name, change.statement))
    if not candidates:
        return set()

    # Each statement is searched once for all names, since a file can have many of both.
    names = last_statements.keys()
    lines_that_read = _find_reading_lines(statements, names)
    replaced = set()
    for name, first in candidates:
        last_line = last_statements[name].line
        lines = lines_that_read[name]
        index = bisect_right(lines, first.line)
        is_read = index < len(lines) and lines[index] <= last_line
        if not is_read:
            replaced.add(first)
    return replaced


def _find_reading_lines(
    statements: Iterable[Statement], names: Set[str]
) -> dict[str, list[int]]:
    """Return the lines of statements that read a name when they run, for each name."""
    lines: dict[str, list[int]] = {name: [] for name in names}
    for statement in statements:
        for name in sorted(find_names_read_at_once(statement, names)):
            lines[name].append(statement.line)
    return lines


def _find_owners(context: LintContext, path: str, file: RenamedFile) -> dict[str, str]:
    """Return the definitions that are generated from a parent file, by their new names.

    A class of the modular file stands for its parent class. The owner of a name that an
    import or a block binds is empty.
    """
    owners = {}
    for imports in context.output_imports.values():
        for statement in imports.block.statements:
            owners.update(dict.fromkeys(bound_names(statement), ""))
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
