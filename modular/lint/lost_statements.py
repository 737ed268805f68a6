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
    """Yield the statements of parent files whose changes the generated files lack.

    An example is `SIZES, NAMES = [1], ["x"]` if a class uses `SIZES`. A statement is
    yielded once, with the first generated name that it binds or changes.

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
    """Return the statements of a source file that change names and are not copied.

    A statement is left out if a later one gives its name another value.
    """
    modular = context.modular
    if path == modular.path:
        module, definitions = modular.module, modular.definitions
    else:
        file = context.layout.parents[path]
        module, definitions = file.source.module, file.definitions
    statements = module.block.statements
    # The blocks come first, and the other statements follow.
    changes = list(_find_contested_blocks(module))
    for change in find_changes(statements, definitions):
        if change.statement.kind is not Kind.GUARD:
            changes.append(change)
    replaced = _find_replaced(changes, definitions, statements)
    return tuple(change for change in changes if change.statement not in replaced)


def _find_contested_blocks(module: Module) -> Iterator[ModuleChange]:
    """Yield each `if` and `try` at module level whose names another statement binds, too.

    Such a block is not copied. A block is only copied if nothing else binds its names:
    it is written above all other code, as imports are.
    """
    for statement in module.block.statements:
        # `if __name__ == "__main__":` does not run in an imported file.
        if statement.kind is not Kind.GUARD or "__name__" in statement.words:
            continue
        contested_names = []
        for name in sorted({name for name, _ in effects_of_statement(statement)}):
            if _has_other_value(module, statement, name):
                contested_names.append(name)
        if contested_names:
            yield ModuleChange(
                statement, tuple(contested_names), frozenset(contested_names)
            )


def _has_other_value(module: Module, block: Statement, name: str) -> bool:
    """Whether a name has another value outside of a block that binds or changes it.

    Several imports of the same object count as one value.
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
    """Return the statements whose name is defined again before any code reads it.

    If `SIZE = 4` stands below `SIZE = 2`, return `SIZE = 2`, unless code between them
    or the second definition reads the name, as `SIZE = 2 * SIZE` does.

    Args:
        changes: Statements that bind or change names.
        definitions: The definitions of the file, of which the last one of each name
            counts.
        statements: All statements of the file.
    """
    definition_of_name = definitions.by_name()
    last_definitions = {}
    candidates = []
    for change in changes:
        name = change.names[0]
        definition = definition_of_name.get(name)
        # A later `A = 3` does not replace `A, B = 1, 2`, which also binds `B`.
        binds_one_name = change.bound_names == set(change.names) == {name}
        if not binds_one_name or definition is None:
            continue
        if definition.original.line > change.statement.line:
            last_definitions[name] = definition.original
            candidates.append((name, change.statement))
    if not candidates:
        return set()

    # Each statement is searched once for all names, since a file can have many of both.
    names = last_definitions.keys()
    lines_that_read = _find_reading_lines(statements, names)
    replaced = set()
    for name, statement in candidates:
        lines = lines_that_read[name]
        # The index of the first line below the statement that reads the name.
        index = bisect_right(lines, statement.line)
        last_line = last_definitions[name].line
        is_read = index < len(lines) and lines[index] <= last_line
        if not is_read:
            replaced.add(statement)
    return replaced


def _find_reading_lines(
    statements: Iterable[Statement], names: Set[str]
) -> dict[str, list[int]]:
    """Return, for each name, the lines of the statements that read it when they run."""
    lines: dict[str, list[int]] = {name: [] for name in names}
    for statement in statements:
        for name in sorted(find_names_read_at_once(statement, names)):
            lines[name].append(statement.line)
    return lines


def _find_owners(context: LintContext, path: str, file: RenamedFile) -> dict[str, str]:
    """Return the generated definition that contains each definition of a parent file.

    `LlamaMLP` is in the generated `OlmoFastMLP` if the modular file has
    `class OlmoFastMLP(LlamaMLP)`.

    Args:
        context: The modular file and what was generated from it.
        path: The path of the parent file.
        file: The parent file after renaming.

    Returns:
        The names of the generated definitions by the parent file's names, which are
        renamed: `OlmoFastMLP` for `OlmoMLP`. Empty for a name that an import or a
        block binds.
    """
    owners = {}
    for imports in context.output_imports.values():
        for statement in imports.block.statements:
            owners.update(dict.fromkeys(bound_names(statement), ""))
    # Definitions that are copied from the parent file.
    for name, definition in context.generated.items():
        if definition.parts[0].code.path == path:
            owners[name] = name
    # A child can begin with code of the parent file, too, but has the code of its parent.
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
    # The imports of the source files by path and line.
    source_imports = {}
    for statement in context.modular.import_statements:
        source_imports[(context.modular.path, statement.line)] = statement
    for path, parent_file in context.layout.parents.items():
        for statement in parent_file.import_statements:
            source_imports[(path, statement.line)] = statement
    for file in context.files:
        for output in file.statements:
            code = output.parts[0].code
            # Imports, and blocks of imports, are statements without a name.
            is_import = not output.name
            if not is_import or not code.masked_text.lstrip().startswith("try"):
                continue
            # The generated code begins with the blank lines above the `try`.
            blank_lines = len(code.text) - len(code.text.lstrip("\n"))
            source = source_imports.get((code.path, code.line + blank_lines))
            if source is None:
                continue
            generated_text = "".join(run.code.masked_text for run in output.parts)
            lost_name = _find_lost_name(source, generated_text)
            if lost_name:
                yield LostImport(source, lost_name)


def _find_lost_name(source: Statement, generated: str) -> str:
    """Return the first name that a `try` imports, and that the generated code lacks.

    Args:
        source: The `try` in its source file.
        generated: The code that is generated for it.

    Returns:
        The name. Empty if no name is lacking, or if the `try` only imports: a missing
        import matters only if the `try` also sets `HAS_X = True`.
    """
    guard = read_guard(source)
    if guard is None:
        return ""
    sets_variable = any(
        statement.kind is not Kind.IMPORT and bound_names(statement)
        for statement in guard.first_statements
    )
    if not sets_variable:
        return ""
    for import_ in plain_imports(guard.first_statements):
        for alias in import_.names:
            if alias.name not in generated:
                return alias.name
    return ""
