"""Classes that are a parent's but for what decides nothing: docstrings, comments, annotations, decorators, names of variables.

The converter compares texts, so such a class is not inherited. What differs is named here, and what to write to inherit it.
"""

import ast
import io
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass


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


def near_miss(name: str, own: str, parent: tuple[str, str], theirs: str) -> NearMiss | None:
    """Compare a class with one of another model, both as they stand; None if they differ in more, or in nothing.

    ``parent`` is where the other one stands; its text, ``theirs``, is renamed already.
    """
    mine, other = _class(own), _class(theirs)
    if mine is None or other is None or _form(mine) != _form(other):
        return None
    kinds = [kind for kind in _KINDS if _form(mine, kind) != _form(other, kind)]
    comments = _comments(own) != _comments(theirs)
    changes = list(_changes(mine, other))
    if comments:
        kinds.insert(0, "comments")
        changes += [
            f"leave out the comment `{comment}`" for comment in _comments(own) if comment not in _comments(theirs)
        ]
        changes += [f"add the comment `{comment}`" for comment in _comments(theirs) if comment not in _comments(own)]
    return NearMiss(name, parent, tuple(kinds), tuple(changes)) if kinds else None


def _class(text: str) -> ast.ClassDef | None:
    try:
        (found,) = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError):
        return None
    return found if isinstance(found, ast.ClassDef) else None


def _form(statement: ast.ClassDef, kept: str = "") -> str:
    """Return a class as something that is equal for two that only differ in what decides nothing, but for the kind that is ``kept``."""
    return ast.dump(_Plain(kept).visit(ast.parse(ast.unparse(statement)).body[0]))


class _Plain(ast.NodeTransformer):
    """Leaves out of a class what decides nothing, but for one kind of it."""

    def __init__(self, kept: str) -> None:
        self.kept = kept
        self.names: dict[str, str] = {}

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        self._open(node)
        node.name = ""
        self.generic_visit(node)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self._visit_function(node)
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AsyncFunctionDef:
        self._visit_function(node)
        return node

    def _visit_function(self, node: _Function) -> None:
        self._open(node)
        if self.kept != "annotations":
            node.returns = None
        outer = self.names
        if self.kept != "names of variables":
            self.names = {name: f"{number}" for number, name in enumerate(_locals(node))}
        self.generic_visit(node)
        self.names = outer

    def _open(self, node: ast.ClassDef | _Function) -> None:
        if self.kept != "docstrings" and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        if self.kept != "decorators":
            node.decorator_list = []

    def visit_arg(self, node: ast.arg) -> ast.arg:
        if self.kept != "annotations":
            node.annotation = None
        node.arg = self.names.get(node.arg, node.arg)
        return node

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self.names.get(node.id, node.id)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        self.generic_visit(node)
        if self.kept == "annotations" or node.value is None:
            return node
        return ast.Assign([node.target], node.value)


def _locals(function: _Function) -> list[str]:
    """The parameters of a method but its first, then the other local variables in the order in which they come."""
    given = function.args
    parameters = [each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    stored = (each for each in ast.walk(function) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store))
    ordered = sorted(stored, key=lambda each: (each.lineno, each.col_offset))
    return list(dict.fromkeys([*parameters, *(each.id for each in ordered)]))[1:]


def _comments(text: str) -> list[str]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return [token.string for token in tokens if token.type == tokenize.COMMENT]


def _changes(mine: ast.ClassDef, other: ast.ClassDef) -> Iterator[str]:
    """Say what to write so that a class is the other one: for itself, then for each method."""
    yield from _at("the class", mine, other)
    for function, wanted in zip(_functions(mine), _functions(other), strict=True):
        where = f"`{function.name}`"
        yield from _at(where, function, wanted)
        pairs = zip(_locals(function), _locals(wanted), strict=True)
        yield from (f"rename `{old}` to `{new}` in {where}" for old, new in pairs if old != new)
        if (header := _header(wanted)) != _header(function):
            yield f"write the header of {where} as `{header}`"


def _at(where: str, mine: ast.ClassDef | _Function, other: ast.ClassDef | _Function) -> Iterator[str]:
    if [ast.unparse(each) for each in mine.decorator_list] != [ast.unparse(each) for each in other.decorator_list]:
        wanted = ", ".join(f"`@{ast.unparse(each)}`" for each in other.decorator_list) or "no decorators"
        yield f"give {where} {wanted}"
    if ast.get_docstring(mine) != ast.get_docstring(other):
        yield f"{'leave out' if ast.get_docstring(other) is None else 'copy'} the docstring of {where}"


def _functions(statement: ast.ClassDef) -> list[_Function]:
    return [each for each in statement.body if isinstance(each, _Function)]


def _header(function: _Function) -> str:
    alone = ast.FunctionDef(function.name, function.args, [ast.Pass()], [], function.returns)
    return ast.unparse(ast.fix_missing_locations(alone)).partition(":\n")[0]
