"""Classes that are a parent's but for what decides nothing: docstrings, comments, annotations, decorators, names of variables.

The converter compares texts, so such a class is not inherited. What differs is named here, and what to write to inherit it.
"""

import ast
import io
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from modular.source.code import words


_KINDS = ("docstrings", "annotations", "decorators", "names of variables")

_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A class that could be inherited: ``parent`` is a path and a class in it, ``kinds`` say in what it differs.

    ``changes`` are what to write in its place, one for each method or line.
    """

    name: str
    parent: tuple[str, str]
    kinds: tuple[str, ...]
    changes: tuple[str, ...]


def near_miss(
    own: str, parent: tuple[str, str], theirs: str, known: set[str]
) -> NearMiss | None:
    """Compare a class with one of another model, both as they stand; None if they differ in more, or there is nothing to change.

    ``parent`` is where the other one appears; its text, ``theirs``, is renamed already. Headers with other words than those
    that are ``known``, from the file or the parent, stay as they are.
    """
    try:
        if _form(own) != _form(theirs):
            return None
    except (SyntaxError, ValueError, RecursionError):
        return None
    kinds = [kind for kind in _KINDS if _form(own, kind) != _form(theirs, kind)]
    changes = list(_changes(_class(own), _class(theirs), known))
    comments, wanted = _comments(own), _comments(theirs)
    if comments != wanted:
        kinds.insert(0, "comments")
        changes += [
            f"leave out the comment `{comment}`"
            for comment in comments
            if comment not in wanted
        ]
        changes += [
            f"add the comment `{comment}`"
            for comment in wanted
            if comment not in comments
        ]
    return (
        NearMiss(_class(own).name, parent, tuple(kinds), tuple(changes))
        if changes
        else None
    )


def _class(text: str) -> ast.ClassDef:
    """The one class that a text is. Raises ValueError, or what `ast.parse` does, for any other text."""
    (statement,) = ast.parse(text).body
    if not isinstance(statement, ast.ClassDef):
        raise ValueError("not a class")
    return statement


@lru_cache(maxsize=100)
def _form(text: str, kept: str = "") -> str:
    """Return a class as something that is equal for two that only differ in what decides nothing, but for the kind that is ``kept``."""
    statement = (
        _class(text) if kept == "annotations" else _Unannotated().visit(_class(text))
    )
    statement.name = ""
    for node in ast.walk(statement):
        if isinstance(node, ast.ClassDef | _Function):
            if kept != "docstrings" and ast.get_docstring(node) is not None:
                node.body = node.body[1:] or [ast.Pass()]
            if kept != "decorators":
                node.decorator_list = []
        if isinstance(node, _Function) and kept != "names of variables":
            _number_locals(node)
    return ast.unparse(statement)


class _Unannotated(ast.NodeTransformer):
    """Takes annotations off."""

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        if isinstance(node, _Function):
            node.returns = None
        elif isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            return ast.copy_location(ast.Assign([node.target], node.value), node)
        return node


def _number_locals(function: _Function) -> None:
    """Call the local variables of a function by the order in which they come."""
    numbers = {name: f"_{number}" for number, name in enumerate(_locals(function))}
    for node in ast.walk(function):
        if isinstance(node, ast.arg):
            node.arg = numbers.get(node.arg, node.arg)
        elif isinstance(node, ast.Name):
            node.id = numbers.get(node.id, node.id)


def _locals(function: _Function) -> list[str]:
    """The parameters of a method but its first, then the other local variables in the order in which they come."""
    given = function.args
    parameters = [
        parameter.arg
        for parameter in (*given.posonlyargs, *given.args, *given.kwonlyargs)
    ]
    stored = (
        node
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )
    ordered = sorted(stored, key=lambda node: (node.lineno, node.col_offset))
    return list(dict.fromkeys([*parameters, *(node.id for node in ordered)]))[1:]


def _comments(text: str) -> list[str]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return [token.string for token in tokens if token.type == tokenize.COMMENT]


def _changes(mine: ast.ClassDef, other: ast.ClassDef, known: set[str]) -> Iterator[str]:
    """Say what to write so that a class is the other one: for itself, then for each method."""
    yield from _at("the class", mine, other)
    for function, wanted in zip(_functions(mine), _functions(other), strict=True):
        where = f"`{function.name}`"
        yield from _at(where, function, wanted)
        pairs = zip(_locals(function), _locals(wanted), strict=True)
        yield from (
            f"rename `{old}` to `{new}` in {where}" for old, new in pairs if old != new
        )
        if (header := _header(wanted)) != _header(function) and words(header) <= known:
            yield f"write the header of {where} as `{header}`"


def _at(
    where: str, mine: ast.ClassDef | _Function, other: ast.ClassDef | _Function
) -> Iterator[str]:
    decorators = [ast.unparse(decorator) for decorator in other.decorator_list]
    if [ast.unparse(decorator) for decorator in mine.decorator_list] != decorators:
        yield f"give {where} {', '.join(f'`@{decorator}`' for decorator in decorators) or 'no decorators'}"
    if ast.get_docstring(mine) != ast.get_docstring(other):
        yield f"{'leave out' if ast.get_docstring(other) is None else 'copy'} the docstring of {where}"


def _functions(statement: ast.ClassDef) -> list[_Function]:
    return [member for member in statement.body if isinstance(member, _Function)]


def _header(function: _Function) -> str:
    alone = ast.FunctionDef(
        function.name, function.args, [ast.Pass()], [], function.returns
    )
    return ast.unparse(ast.fix_missing_locations(alone)).partition(":\n")[0]
