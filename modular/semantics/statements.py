"""The facts about single statements, which are read once for each text."""

import ast
from collections.abc import Iterable, Sequence, Set
from functools import lru_cache

from modular.semantics.fact_reader import opaque_facts, read_facts
from modular.semantics.facts import CodeFacts, OpaqueReason, Return, When, join_facts
from modular.source import shortcuts
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import view_definition
from modular.source.python_trees import parse
from modular.source.scan import find_outside_brackets
from modular.source.source_slice import has_word


_MAX_CACHED_FACTS = 4096
"""Enough that the statements of a parent file are read once for most of its children."""


def facts_of(statement: Statement) -> CodeFacts:
    """Return what a statement does.

    The lines in the facts count from the first line of `Statement.bare_code`.
    """
    # If the statement kept its facts, they would live as long as the model.
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


def facts_of_statements(statements: Iterable[Statement]) -> CodeFacts:
    """Return what several statements do together, one after the other.

    The lines in the facts count from the first line of each statement.
    """
    return join_facts([facts_of(statement) for statement in statements])


def tree_of(statement: Statement) -> ast.stmt | None:
    """Return Python's tree of one statement; None if it cannot be read.

    It is for code that needs the form of the statement. Ask `facts_of` for what it does.
    """
    trees = parse_statements(statement.bare_code.text)
    return trees[0] if len(trees) == 1 else None


def facts_of_header(statement: Statement) -> CodeFacts:
    """Return what the decorators and the header of a function or class do.

    Its body is not parsed.
    """
    return statement.memoized(_read_header)


def _read_header(statement: Statement) -> CodeFacts:
    """Return the facts about a definition without its body."""
    return facts_of_text(stub_of(statement))


def stub_of(statement: Statement) -> str:
    """Return a function or class with `pass` as its body."""
    view = view_definition(statement)
    return f"{view.decorators.text}{view.header.text}{statement.indent} pass\n"


def find_names_read_at_once(statement: Statement, names: Set[str]) -> set[str]:
    """Return which of the given names a statement reads as soon as it runs.

    This finds `CodeFacts.variables_read_at_once`, and parses less: no bodies of functions,
    which run later, and no code without any of the names. If a statement with a `lambda`
    calls something, it may call the `lambda`, so the names in it count, too.

    Args:
        statement: The statement. For a class, names that its own body binds count, too.
        names: The names to look for.
    """
    read_names: set[str] = set()
    statements_to_read = [statement]
    while statements_to_read:
        current = statements_to_read.pop()
        # The body of a class is read statement by statement.
        if current.kind is Kind.CLASS:
            statements_to_read += view_definition(current).body.statements
        if current.is_definition:
            header = current.code.cut(0, current.header_end)
            if not names.isdisjoint(header.words()):
                read_names |= facts_of_header(current).variables_read_at_once
        elif not names.isdisjoint(current.code.words()):
            facts = facts_of(current)
            read_names |= facts.variables_read_at_once
            calls_something = any(call.when is When.NOW for call in facts.calls)
            may_call_lambda = "lambda" in current.words and calls_something
            if may_call_lambda:
                read_names |= facts.variables_read_later
    return read_names & names


def returns_in(statement: Statement) -> Sequence[Return]:
    """Return each `return` of a statement, except for those of nested functions."""
    # Most statements have no `return`, and are not parsed.
    if statement.is_definition or not has_word(statement.code.masked_text, "return"):
        return ()
    return facts_of(statement).flow.returns


def count_returned_values(statements: Sequence[Statement]) -> set[int]:
    """Return how many values each `return` statement of a function returns.

    The statement `return a, b` returns 2 values. The set is empty if any `return` has
    no tuple, because its number of values is then uncertain.

    Args:
        statements: The body of the function.
    """
    counts: set[int] = set()
    # Most functions end with `return x`, so the last statement is read first.
    for statement in reversed(statements):
        for return_ in returns_in(statement):
            if not return_.item_count:
                return set()
            counts.add(return_.item_count)
    return counts


def names_read_by(statement: Statement) -> Set[str]:
    """Return the names and dotted names that a statement reads when it runs.

    See `CodeFacts.read_names`.
    """
    return facts_of(statement).read_names


def names_bound_by(statement: Statement) -> Set[str]:
    """Return the names and dotted names that a statement binds, changes or deletes.

    See `CodeFacts.changed_names`. Most statements are not parsed for this.
    """
    return statement.memoized(_find_bound_names)


def _find_bound_names(statement: Statement) -> frozenset[str]:
    """Return the names that a statement binds, from its text or else from its facts."""
    names = bound_names_without_parsing(statement)
    return facts_of(statement).changed_names if names is None else names


def variables_set_by(statement: Statement) -> Set[str]:
    """Return the variables that a statement binds or deletes.

    See `CodeFacts.variables`. Most statements are not parsed for this.
    """
    names = bound_names_without_parsing(statement)
    if names is None:
        return facts_of(statement).variables
    return {name for name in names if "." not in name}


def bound_names_without_parsing(statement: Statement) -> frozenset[str] | None:
    """Return the names that a statement binds; None if only parsing can tell.

    The text tells for an assignment to one name or attribute: `self.size` for
    `self.size = f(x=1)`. It also tells that an expression such as `f(x)` binds none. Most
    statements are of these kinds.
    """
    return statement.memoized(_read_bound_names)


def _read_bound_names(statement: Statement) -> frozenset[str] | None:
    """Return the names that the text of a statement shows. See `bound_names_without_parsing`."""
    masked_text = statement.code.masked_text
    # `setattr(self, "size", 1)` sets an attribute.
    if statement.is_compound or ":=" in masked_text or "attr" in masked_text:
        return None
    # Imports and `del` bind or delete names without an equals sign.
    if statement.kind is Kind.IMPORT or has_word(masked_text, "del"):
        return None
    # The equals signs inside brackets belong to arguments or comparisons. `x == y`
    # outside of brackets has two, so that the text does not decide.
    sign_count = len(list(find_outside_brackets(masked_text, "=", statement.start)))
    if sign_count > 1:
        return None
    # `self.size: int` binds the name, although it has no value.
    target = None
    if ":" in masked_text:
        target = shortcuts.annotated_target(masked_text, statement.start)
    if target is None and sign_count == 1:
        target = shortcuts.plain_target(masked_text, statement.start)
    if target is not None:
        return frozenset({target})
    # Only an expression has neither an equals sign nor a colon.
    has_colon = any(find_outside_brackets(masked_text, ":", statement.start))
    return None if sign_count or has_colon else frozenset()


def parse_statements(text: str) -> list[ast.stmt]:
    """Return the trees of some statements; an empty list if Python cannot parse them.

    Args:
        text: The statements, which may be indented. See `first_line_of` for their lines.
    """
    statements = parse(text).body
    is_indented = first_line_of(text) > 1
    if is_indented and statements:
        # `parse` puts indented statements into the body of `if True:`.
        frame = statements[0]
        assert isinstance(frame, ast.If)
        return frame.body
    return statements


def first_line_of(text: str) -> int:
    """Return the line number of a text's first line in the trees of `parse_statements`.

    It is 2 for indented statements, because they are parsed below `if True:`.
    """
    return 2 if text[:1] in (" ", "\t") else 1
