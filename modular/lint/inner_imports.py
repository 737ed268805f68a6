"""Finds the imports inside the functions and classes of generated files."""

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from modular.flatten.outputs import OutputFile
from modular.lint.context import LintContext
from modular.semantics.statements import tree_of
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import view_definition
from modular.source.headers import branches_of
from modular.source.import_statements import Import, import_of


_IMPORT = "import"

_CONDITIONS = ("if", "for", "while", "with", "async")
"""The words with which statements begin whose bodies may not run, or may not fail."""

_SUPPRESS = "suppress"
"""The context manager whose body may fail."""


class InnerImport(NamedTuple):
    """An import inside a function or class of a generated file.

    Attributes:
        file: The generated file.
        import_: The import. Its lines are those of the generated file.
        is_certain: Whether each call of the function, or the import of the file, runs it.
    """

    file: OutputFile
    import_: Import
    is_certain: bool


def find_inner_imports(context: LintContext) -> Iterator[InnerImport]:
    """Yield the imports in functions and classes, except those that may fail in a `try`."""
    for file in context.files:
        definitions = context.layout.drafts[file.file_type].statements.values()
        # Most files have no such imports, and splitting their definitions is slow.
        if not any(_IMPORT in definition.words for definition in definitions):
            continue
        for statement in context.outputs[file.file_type].block.statements:
            if statement.is_definition and _IMPORT in statement.words:
                for import_, is_certain in _find_in_definition(statement, True):
                    yield InnerImport(file, import_, is_certain)


def _find_in_definition(
    definition: Statement, is_certain: bool
) -> Iterator[tuple[Import, bool]]:
    """Yield the imports in a function or class, and whether they certainly run.

    Args:
        definition: The function or class.
        is_certain: Whether somebody certainly calls the function, or the class is
            certainly defined.
    """
    is_function = definition.kind is Kind.FUNCTION
    body = view_definition(definition).body.statements
    yield from _find_in_block(body, is_certain, is_function)


def _find_in_block(
    statements: Sequence[Statement], is_certain: bool, is_in_function: bool
) -> Iterator[tuple[Import, bool]]:
    """Yield the imports in a block, and whether they certainly run.

    Args:
        statements: The statements of the block.
        is_certain: Whether the block certainly runs.
        is_in_function: Whether it is in a function, so that functions in it need not be
            called.
    """
    for statement in statements:
        if _IMPORT in statement.words:
            yield from _find_in_statement(statement, is_certain, is_in_function)
        # The code below `return` and `raise` never runs.
        if isinstance(_read_leaving(statement), ast.Return | ast.Raise):
            return


def _read_leaving(statement: Statement) -> ast.stmt | None:
    """Return the tree of a simple statement with `return` or `raise`; None for others."""
    may_leave = not statement.words.isdisjoint(("return", "raise"))
    return tree_of(statement) if may_leave and not statement.is_compound else None


def _find_in_statement(
    statement: Statement, is_certain: bool, is_in_function: bool
) -> Iterator[tuple[Import, bool]]:
    """Yield the imports in a statement of a block; see `_find_in_block`."""
    import_ = import_of(statement) if statement.kind is Kind.IMPORT else None
    if import_ is not None:
        yield import_, is_certain
    elif statement.is_definition:
        is_called_later = is_in_function and statement.kind is Kind.FUNCTION
        yield from _find_in_definition(statement, is_certain and not is_called_later)
    elif _SUPPRESS in statement.words:
        return
    elif statement.bare_code.mask.lstrip().startswith(_CONDITIONS):
        for branch in branches_of(statement):
            yield from _find_in_block(branch.body.statements, False, is_in_function)
