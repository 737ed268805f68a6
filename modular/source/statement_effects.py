"""The names that statements of a method use and bind, and what they do with `self`.

The answers are cautious: a name in a nested function or in a comprehension counts as one
of the method itself.
"""

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from modular.source import python_trees
from modular.source.blocks import Statement


_NAMESPACE_FUNCTIONS = frozenset(
    {"dir", "eval", "exec", "globals", "locals", "vars", "_getframe"}
)
"""Functions that can read variables without naming them."""

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.GeneratorExp)
_OPAQUE = (
    ast.Global,
    ast.Nonlocal,
    ast.Yield,
    ast.YieldFrom,
    ast.Await,
    ast.AsyncFor,
    ast.AsyncWith,
    ast.ClassDef,
)
"""Nodes that tie statements to the method that contains them."""


@dataclass
class Effects:
    """The names that some statements use, and what they do with attributes.

    Attributes:
        used: The variables that they read, assign or delete.
        bound: The variables that they assign or delete.
        changed: The variables of which they set an attribute or an item.
        attributes: The names of all attributes, and all strings that are a name.
        has_scope: Whether they contain a nested function, which can run later.
        is_opaque: Whether they cannot be moved to another method.
        returns: The number of `return` statements.
    """

    used: set[str] = field(default_factory=set)
    bound: set[str] = field(default_factory=set)
    changed: set[str] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)
    has_scope: bool = False
    is_opaque: bool = False
    returns: int = 0

    def add(self, node: ast.AST) -> None:
        """Add what one node of a syntax tree does, without the nodes below it.

        A node that depends on its method, such as `yield` or `locals()`, makes the
        effects opaque.
        """
        if isinstance(node, _SCOPES):
            self.has_scope = True
        if isinstance(node, _OPAQUE):
            self.is_opaque = True
        match node:
            case ast.Name(id=name, ctx=context):
                self.used.add(name)
                if not isinstance(context, ast.Load):
                    self.bound.add(name)
                self.is_opaque = self.is_opaque or name in _NAMESPACE_FUNCTIONS
            case ast.Attribute(attr=name, value=owner, ctx=context):
                self.attributes.add(name)
                self.is_opaque = self.is_opaque or name in _NAMESPACE_FUNCTIONS
                self._add_changed_variable(owner, context)
            case ast.Subscript(value=owner, ctx=context):
                self._add_changed_variable(owner, context)
            case ast.Constant(value=str() as text):
                # It may name an attribute, as in `getattr(self, "size")`.
                self.attributes.add(text)
            case ast.Return():
                self.returns += 1
            case _:
                # For example, `import torch as t` binds `t`.
                for name in _names_bound_without_name_node(node):
                    self.used.add(name)
                    self.bound.add(name)

    def _add_changed_variable(self, owner: ast.expr, context: ast.expr_context) -> None:
        """Record the variable whose object is changed: `self` of `self.layers[0].x = 1`.

        Args:
            owner: The expression before the attribute or item: `self.layers[0]`.
            context: Whether the attribute or item is read, set or deleted.
        """
        if isinstance(context, ast.Load):
            return
        while isinstance(owner, ast.Attribute | ast.Subscript | ast.Call):
            owner = owner.func if isinstance(owner, ast.Call) else owner.value
        if isinstance(owner, ast.Name):
            self.changed.add(owner.id)


def effects_of(statements: Iterable[Statement]) -> Effects:
    """Return the names that some statements use, and what they do with attributes."""
    effects = Effects()
    for statement in statements:
        tree = tree_of(statement)
        if tree is None:
            effects.is_opaque = True
        else:
            for node in ast.walk(tree):
                effects.add(node)
    return effects


def effects_of_expression(expression: ast.expr) -> Effects:
    """Return the names that an expression uses, and what it does with attributes."""
    effects = Effects()
    for node in ast.walk(expression):
        effects.add(node)
    return effects


def tree_of(statement: Statement) -> ast.stmt | None:
    """Return Python's tree of one statement; None if it cannot be read."""
    parsed = python_trees.parse(statement.bare_code.text).body
    if statement.indent and parsed:
        # `parse` put the indented statement into the body of `if True:`.
        frame = parsed[0]
        assert isinstance(frame, ast.If)
        parsed = frame.body
    return parsed[0] if len(parsed) == 1 else None


def leaves_object_alone(trees: Sequence[ast.AST], name: str) -> bool:
    """Whether some code uses an object only by reading and setting its attributes.

    `self.size = self.width` does so. `self.reset()`, `register(self)` and
    `super().reset()` may run any method of the object.

    Args:
        trees: The code.
        name: The variable of the object, such as `self`.
    """
    for tree in trees:
        nodes = list(ast.walk(tree))
        # The expressions before a dot, such as the `self` of `self.size`.
        attribute_owners = {
            id(node.value) for node in nodes if isinstance(node, ast.Attribute)
        }
        for node in nodes:
            match node:
                case ast.Name(id="super"):
                    return False
                case ast.Name(id=used) if used == name:
                    is_passed_on = id(node) not in attribute_owners
                    if is_passed_on:
                        return False
                case ast.Call(func=ast.Attribute(value=ast.Name(id=owner))):
                    # This calls a method of the object, and not one of `self.layers`.
                    if owner == name:
                        return False
    return True


def _names_bound_without_name_node(node: ast.AST) -> Iterator[str]:
    """Yield the names that a node binds and holds as strings, not as `Name` nodes.

    For the alias in `import torch as t` this is `t`. The names of classes are left out:
    `Effects.add` handles classes in another way.
    """
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            yield name
        case ast.arg(arg=name):
            yield name
        case ast.alias(name=name, asname=other):
            yield other or name.partition(".")[0]
        case (
            ast.ExceptHandler(name=str() as name)
            | ast.MatchAs(name=str() as name)
            | ast.MatchStar(name=str() as name)
            | ast.MatchMapping(rest=str() as name)
        ):
            yield name
