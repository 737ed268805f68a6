"""Finds the parts of parsed code that a rename reads or edits: strings, names and values."""

import ast
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeVar

from modular.source.walking import descend


Function = ast.FunctionDef | ast.AsyncFunctionDef
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
"""Nodes that can have a docstring."""

_Node = TypeVar("_Node", bound=ast.AST)


class BoundValue(NamedTuple):
    """A variable or attribute that code binds.

    Attributes:
        owner: The variable whose attribute it is: `self` for `self.mlp`; empty for a
            variable.
        name: The variable or attribute.
        value: What is assigned to it alone; None if it is bound otherwise.
        annotation: Its annotation, or None.
    """

    owner: str
    name: str
    value: ast.expr | None = None
    annotation: ast.expr | None = None

    @property
    def is_variable(self) -> bool:
        """Whether it is a variable, and not an attribute."""
        return not self.owner


def find_bound_values(node: ast.AST) -> Iterator[BoundValue]:
    """Yield the variables and attributes that code binds, with what it assigns to them.

    `x = f()` and `self.x: int = f()` bind one name to the value `f()`. All other ways to
    bind a variable, such as `a, b = f()` and `for x in y`, give it no known value.

    Args:
        node: A function, with the functions in it, or a module, whose functions and
            classes are left out.
    """
    targets_with_value: set[ast.expr] = set()
    for child in _nodes_in_scope(node):
        match child:
            case ast.Assign(targets=[target], value=value):
                bound = _bind(target, value)
            case ast.AnnAssign(target=target, value=value, annotation=annotation):
                bound = _bind(target, value, annotation)
            # A node comes after the assignment that contains it.
            case ast.Name(id=name, ctx=ast.Store()) if child not in targets_with_value:
                yield BoundValue("", name)
                continue
            case _:
                continue
        if bound is not None:
            targets_with_value.add(target)
            yield bound


def _bind(
    target: ast.expr, value: ast.expr | None, annotation: ast.expr | None = None
) -> BoundValue | None:
    """Return the variable or attribute that a target means; None for `a, b` and others."""
    match target:
        case ast.Name(id=name):
            return BoundValue("", name, value, annotation)
        case ast.Attribute(value=ast.Name(id=owner), attr=name):
            return BoundValue(owner, name, value, annotation)
    return None


def _nodes_in_scope(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a function, or those of a module outside of definitions."""
    if isinstance(node, Function):
        yield from ast.walk(node)
        return
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, Function | ast.ClassDef):
            yield from ast.walk(child)


def names_in_annotation(annotation: ast.expr) -> set[str]:
    """Return the names in an annotation: `list`, `m` and `Cache` for `list[m.Cache]`.

    A string is returned as a whole, also a type in quotes such as `"list[Cache]"`.
    """
    names = set()
    for node in ast.walk(annotation):
        if isinstance(node, ast.Name):
            names.add(node.id)
        elif isinstance(node, ast.Attribute):
            names.add(node.attr)
        elif isinstance(node, ast.Constant) and node.value is not None:
            names.add(str(node.value))
    return names


def nodes_of_type(tree: ast.AST, node_type: type[_Node]) -> Iterator[_Node]:
    """Yield the nodes of one type, such as `ast.Attribute`."""
    for node in ast.walk(tree):
        if isinstance(node, node_type):
            yield node


def find_docstrings(tree: ast.Module) -> Iterator[ast.expr]:
    """Yield the docstrings of a file, of its classes and of its functions."""
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED):
            docstring = docstring_of(node)
            if docstring is not None:
                yield docstring


def docstring_of(node: ast.AST) -> ast.expr | None:
    """Return the docstring of a module, class or function; None if it has none."""
    body = getattr(node, "body", None) or [None]
    match body[0]:
        case ast.Expr(value=ast.Constant(value=str()) as docstring):
            return docstring
    return None


def find_strings_outside_functions(tree: ast.Module) -> Iterator[ast.Constant]:
    """Yield the strings of a module and of class bodies, as in `__all__`."""
    root: ast.AST = tree
    for node in descend(root, _children_outside_functions):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node


def _children_outside_functions(node: ast.AST) -> Iterable[ast.AST]:
    if isinstance(node, Function | ast.Lambda):
        return ()
    return ast.iter_child_nodes(node)
