"""The members that a class defines itself."""

import libcst as cst

from modular.source.reads import assigned
from modular.source.trees import walk


METHODS = "method"
FIELDS = "field"
ATTRIBUTES = "attribute"
REGISTERING_METHODS = frozenset(
    {"register_buffer", "register_parameter", "register_module", "add_module"}
)
"""Methods of `torch.nn.Module` that create the attribute named by the first argument."""


def class_members(node: cst.ClassDef) -> dict[str, str]:
    """Return the members of a class with their kinds.

    A field is annotated in the body of the class; an attribute is assigned there
    or to `self`.
    """
    members: dict[str, str] = {}
    for statement in node.body.body:
        if isinstance(statement, cst.FunctionDef):
            for name in _attributes_of_self(statement):
                members.setdefault(name, ATTRIBUTES)
            members[statement.name.value] = METHODS
        elif isinstance(statement, cst.SimpleStatementLine):
            for part in statement.body:
                kind = FIELDS if isinstance(part, cst.AnnAssign) else ATTRIBUTES
                members.update(dict.fromkeys(_assigned_names(part), kind))
    return members


def _assigned_names(statement: cst.BaseSmallStatement) -> list[str]:
    """Return the names that a statement assigns in the body of a class."""
    names = []
    for child in (statement, *statement.children):
        for target in assigned(child):
            if isinstance(target, cst.Name):
                names.append(target.value)
    return names


def _attributes_of_self(method: cst.FunctionDef) -> list[str]:
    """Return the attributes that a method assigns to its first parameter.

    `self.x = 1` and `self.register_buffer("x", value)` both assign `x`.
    """
    parameters = (*method.params.posonly_params, *method.params.params)
    if not parameters:
        return []
    self_name = parameters[0].name.value
    names = []
    for node in walk(method.body):
        for target in assigned(node):
            attribute = _attribute_of(target, self_name)
            if attribute is not None:
                names.append(attribute)
        match node:
            case cst.Call(args=[cst.Arg(value=cst.SimpleString() as string), *_]):
                if _attribute_of(node.func, self_name) in REGISTERING_METHODS:
                    names.append(str(string.evaluated_value))
    return names


def _attribute_of(node: cst.BaseExpression, variable: str) -> str | None:
    """Return the attribute of `variable.attribute`, or None for other expressions."""
    if not isinstance(node, cst.Attribute) or not isinstance(node.value, cst.Name):
        return None
    return node.attr.value if node.value.value == variable else None
