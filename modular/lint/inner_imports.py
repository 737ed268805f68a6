"""Finds the imports inside functions, classes and other compound statements."""

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
from modular.source.module import Module


_IMPORT = "import"

_CONDITIONS = ("if", "for", "while", "with", "async", "match", "case")
"""The words with which statements begin whose bodies may not run, or may not fail.

`branches_of` splits a `match` into one branch, whose statements begin with `case`.
"""

_TRY = "try"

_SUPPRESS = "suppress"
"""The context manager whose body may fail."""


class InnerImport(NamedTuple):
    """An import inside a compound statement of a generated file.

    Attributes:
        file: The generated file.
        definition: The name of the class or function that contains it; empty if it is
            in another statement.
        import_: The import. Its lines are those of the generated file.
        is_certain: Whether each call to the function, or the import of the file, runs
            it.
    """

    file: OutputFile
    definition: str
    import_: Import
    is_certain: bool


class _Block(NamedTuple):
    """When a block of statements runs.

    Attributes:
        is_certain: Whether it certainly runs.
        may_fail: Whether it may fail, as in a `try`.
        is_in_function: Whether it is in a function. A function that is defined there
            may never be called.
    """

    is_certain: bool = True
    may_fail: bool = False
    is_in_function: bool = False


def find_inner_imports(context: LintContext) -> Iterator[InnerImport]:
    """Yield the imports inside functions, classes and blocks such as `if`.

    An import in a `try` may fail on purpose, so it is left out.
    """
    for file in context.files:
        definitions = context.layout.drafts[file.file_type].statements.values()
        # Most files have no imports in definitions, and splitting definitions is slow.
        are_in_definitions = any(
            _IMPORT in definition.words for definition in definitions
        )
        for statement in context.outputs[file.file_type].block.statements:
            if statement.is_definition and not are_in_definitions:
                continue
            if not statement.is_compound or _IMPORT not in statement.words:
                continue
            name = statement.name if statement.is_definition else ""
            for import_, block in _find_in_statement(statement, _Block()):
                if not block.may_fail:
                    yield InnerImport(file, name, import_, block.is_certain)


def imports_of_modular(context: LintContext) -> Sequence[Import]:
    """Return the imports of the modular file, also those in blocks."""
    return context.memoized(_list_imports, context.modular.path)


def _list_imports(context: LintContext, _: str) -> list[Import]:
    """Return the imports of the modular file. See `imports_of_modular`."""
    module = context.modular.module
    return [*module.imports, *find_imports_in_blocks(module)]


def find_imports_in_blocks(module: Module) -> Iterator[Import]:
    """Yield the imports of a file that are in an `if`, `try`, `match` and so on."""
    for statement in module.block.statements:
        is_block = statement.is_compound and not statement.is_definition
        if is_block and _IMPORT in statement.words:
            for import_, _ in _find_in_statement(statement, _Block()):
                yield import_


def _find_in_block(
    statements: Sequence[Statement], block: _Block
) -> Iterator[tuple[Import, _Block]]:
    """Yield the imports in a block, each with the innermost block that contains it."""
    for statement in statements:
        if _IMPORT in statement.words:
            yield from _find_in_statement(statement, block)
        # The code below `return` and `raise` never runs.
        if _leaves(statement):
            return


def _leaves(statement: Statement) -> bool:
    """Whether a statement is a `return` or `raise`."""
    # Most statements contain neither word, and are not parsed.
    if statement.is_compound or statement.words.isdisjoint(("return", "raise")):
        return False
    return isinstance(tree_of(statement), ast.Return | ast.Raise)


def _find_in_statement(
    statement: Statement, block: _Block
) -> Iterator[tuple[Import, _Block]]:
    """Yield the imports in a statement, each with the innermost block that contains it.

    Args:
        statement: A statement, which can be an import itself.
        block: The block that contains the statement.
    """
    if statement.kind is Kind.IMPORT:
        import_ = import_of(statement)
        if import_ is not None:
            yield import_, block
            return
    if statement.is_definition:
        is_function = statement.kind is Kind.FUNCTION
        # A function that another function defines may never be called.
        may_never_run = is_function and block.is_in_function
        inner_block = block._replace(
            is_certain=block.is_certain and not may_never_run,
            is_in_function=is_function,
        )
        body = view_definition(statement).body
        yield from _find_in_block(body.statements, inner_block)
        return

    masked_text = statement.bare_code.masked_text.lstrip()
    if masked_text.startswith(_TRY) or _SUPPRESS in statement.words:
        inner_block = block._replace(may_fail=True)
    elif masked_text.startswith(_CONDITIONS):
        inner_block = block._replace(is_certain=False)
    else:
        return
    for branch in branches_of(statement):
        yield from _find_in_block(branch.body.statements, inner_block)
