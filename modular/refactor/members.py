"""The members that a class defines itself."""

import ast
from collections.abc import Iterator


METHOD = "method"
FIELD = "field"
ATTRIBUTE = "attribute"
REGISTERING_METHODS = frozenset(
    {"register_buffer", "register_parameter", "register_module", "add_module"}
)
"""Methods of `torch.nn.Module` that create the attribute named by the first argument."""


def class_members(node: ast.ClassDef) -> dict[str, str]:
    """Return the members of a class, by name, with their kinds.

    A method is defined with `def`. A field is annotated in the body of the class, as in
    `size: int = 1`. An attribute is assigned there, or to `self` in a method.

    If a name is bound several times, the last statement in the body of the class decides
    its kind. Assignments to `self` count only for names that the body does not bind.
    """
    members: dict[str, str] = {}
    for statement in node.body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            for name in _attributes_of_self(statement):
                members[name] = ATTRIBUTE
    for statement in node.body:
        match statement:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                members[name] = METHOD
            case ast.AnnAssign(target=ast.Name(id=name)):
                members[name] = FIELD
            case _:
                for target in assigned_targets(statement):
                    if isinstance(target, ast.Name):
                        members[target.id] = ATTRIBUTE
    return members


def assigned_targets(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the targets to which a statement or expression itself assigns.

    The targets in a tuple are yielded one by one: `a` and `b.c` for `a, b.c = 1, 2`.
    """
    match node:
        case ast.Assign(targets=targets):
            for target in targets:
                yield from _single_targets(target)
        case (
            ast.AnnAssign(target=target)
            | ast.AugAssign(target=target)
            | ast.NamedExpr(target=target)
            | ast.For(target=target)
            | ast.AsyncFor(target=target)
            | ast.comprehension(target=target)
            | ast.withitem(optional_vars=ast.expr() as target)
        ):
            yield from _single_targets(target)
        case ast.ExceptHandler(name=str(name)) | ast.alias(asname=str(name)):
            yield ast.Name(name)


def _single_targets(target: ast.expr) -> Iterator[ast.expr]:
    """Yield the targets in a target: `a`, `b` and `c` for `a, (b, c)`."""
    if isinstance(target, ast.Tuple | ast.List):
        for element in target.elts:
            yield from _single_targets(element)
    else:
        yield target


def _attributes_of_self(method: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    """Return the attributes that a method assigns to its first parameter.

    `self.x = 1` and `self.register_buffer("x", value)` both assign `x`.
    """
    parameters = [*method.args.posonlyargs, *method.args.args]
    if not parameters:
        return []
    self_name = parameters[0].arg
    names = []
    for node in ast.walk(method):
        for target in assigned_targets(node):
            attribute = _attribute_of(target, self_name)
            if attribute is not None:
                names.append(attribute)
        match node:
            case ast.Call(args=[ast.Constant(value=str(name)), *_]):
                if _attribute_of(node.func, self_name) in REGISTERING_METHODS:
                    names.append(name)
    return names


def _attribute_of(node: ast.expr, variable: str) -> str | None:
    """Return the attribute of `variable.attribute`, or None for other expressions."""
    match node:
        case ast.Attribute(value=ast.Name(id=name), attr=attribute):
            return attribute if name == variable else None
    return None
