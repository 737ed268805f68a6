"""The facts about single statements, which are read once for each text."""

import ast
from functools import lru_cache

from modular.semantics.fact_reader import opaque_facts, read_facts
from modular.semantics.facts import CodeFacts, OpaqueReason
from modular.source.blocks import Statement
from modular.source.python_trees import parse


_MAX_CACHED_FACTS = 4096
"""As many statements as the methods of a large model and its parents have."""


def facts_of(statement: Statement) -> CodeFacts:
    """Return what a statement does.

    The lines in the facts count from the first line of `Statement.bare_code`.
    """
    return statement.memoized(_read_statement)


def _read_statement(statement: Statement) -> CodeFacts:
    return facts_of_text(statement.bare_code.text)


@lru_cache(maxsize=_MAX_CACHED_FACTS)
def facts_of_text(text: str) -> CodeFacts:
    """Return what some statements do.

    Args:
        text: The statements, which may be indented.

    Returns:
        The facts. Code that Python cannot parse is opaque.
    """
    statements = parse_statements(text)
    if not statements and text.strip():
        return opaque_facts(OpaqueReason.UNREADABLE)
    return read_facts(statements, first_line=first_line_of(text))


def parse_statements(text: str) -> list[ast.stmt]:
    """Return the trees of some statements; an empty list if Python cannot parse them.

    Args:
        text: The statements, which may be indented. See `first_line_of` for their lines.
    """
    statements = parse(text).body
    if first_line_of(text) > 1 and statements:
        # `parse` puts indented statements into the body of `if True:`.
        frame = statements[0]
        assert isinstance(frame, ast.If)
        return frame.body
    return statements


def first_line_of(text: str) -> int:
    """Return the line that the trees of `parse_statements` have for the first line."""
    return 2 if text[:1] in (" ", "\t") else 1
