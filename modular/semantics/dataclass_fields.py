"""Facts about dataclasses: the arguments of their decorator, and their fields."""

import ast
from collections.abc import Mapping
from typing import NamedTuple

from modular.semantics.functions import mutable_type
from modular.semantics.statements import parse_statements, stub_of
from modular.source.blocks import Statement
from modular.source.definition_view import view_definition
from modular.source.python_trees import dotted_name


_DECORATOR = "dataclass"
_DEFAULT = "default"
_REFUSED_TYPES = frozenset({"bytearray", "dict", "list", "set"})
_DEFAULT_ARGUMENTS = {
    "init": "True",
    "repr": "True",
    "eq": "True",
    "order": "False",
    "unsafe_hash": "False",
    "frozen": "False",
    "match_args": "True",
    "kw_only": "False",
    "slots": "False",
    "weakref_slot": "False",
}
"""The values that `dataclasses.dataclass` has for arguments that are left out."""


class DataclassDecorator(NamedTuple):
    """The decorator that makes a class a dataclass.

    Attributes:
        name: Its dotted name, such as `dataclasses.dataclass`.
        arguments: Its arguments as code by keyword, without those that have their
            default value. None if they are not listed by keyword.
    """

    name: str
    arguments: Mapping[str, str] | None

    def may_have(self, argument: str) -> bool:
        """Whether an argument such as `frozen` is not certainly false."""
        if self.arguments is None:
            return True
        return self.arguments.get(argument, _DEFAULT_ARGUMENTS[argument]) != "False"


class DataclassField(NamedTuple):
    """A field of a dataclass that is a positional parameter of its `__init__`.

    Attributes:
        name: Its name.
        statement: Its statement in the class body.
        has_default: Whether the parameter has a default value. Without one, the field
            still has a default if a base has an attribute with this name.
    """

    name: str
    statement: Statement
    has_default: bool


def dataclass_decorator(statement: Statement) -> DataclassDecorator | None:
    """Return the decorator `@dataclass` of a class, or None."""
    decorators: list[ast.expr] = []
    match parse_statements(stub_of(statement)):
        case [ast.ClassDef() as node]:
            decorators = node.decorator_list
    for decorator in decorators:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        name = dotted_name(called)
        if name.rpartition(".")[2] == _DECORATOR:
            return DataclassDecorator(name, _read_arguments(decorator))
    return None


def _read_arguments(decorator: ast.expr) -> Mapping[str, str] | None:
    """Return the arguments of the decorator `@dataclass`, as code by keyword.

    Arguments that have their default value are left out.

    Returns:
        For `@dataclass(frozen=True)`, this is `{"frozen": "True"}`. None if the decorator
        has positional arguments, or arguments such as `**options`.
    """
    arguments: dict[str, str] = {}
    if not isinstance(decorator, ast.Call):
        return arguments
    if decorator.args:
        return None
    for keyword in decorator.keywords:
        if keyword.arg is None:
            return None
        value = ast.unparse(keyword.value)
        if value != _DEFAULT_ARGUMENTS.get(keyword.arg):
            arguments[keyword.arg] = value
    return arguments


def positional_fields(statement: Statement) -> tuple[DataclassField, ...] | None:
    """Return the fields of a dataclass that its `__init__` takes by position, in order.

    For the fields `x: int` and `y: int = 0`, `__init__` is called as `C(1, 2)`. Fields of
    bases, `ClassVar`s, keyword-only fields, and fields with `init=False` are left out.

    Returns:
        The fields. None if the body contains code, such as an `if`, that may define other
        fields.
    """
    body = _read_body(statement)
    if body is None:
        return None
    fields = []
    for name, (inner, node) in body.annotated.items():
        annotation = ast.unparse(node.annotation)
        if "KW_ONLY" in annotation:
            # All fields below it are keywords.
            break
        if "ClassVar" in annotation:
            continue
        options = _field_options(node.value)
        if options is None:
            return None
        is_parameter = options.get("init") != "False"
        is_keyword = options.get("kw_only") == "True"
        if is_parameter and not is_keyword:
            has_default = name in body.names_with_value or _DEFAULT in options
            fields.append(DataclassField(name, inner, has_default))
    return tuple(fields)


def refused_default(statement: Statement) -> str | None:
    """Return the type of a field's default value if `@dataclass` refuses it.

    Args:
        statement: A statement in the body of a dataclass.

    Returns:
        `list`, `dict`, `set` or `bytearray` for a field such as `sizes: list = []`; None
        for other statements.
    """
    match parse_statements(statement.bare_code.text):
        case [ast.AnnAssign(annotation=annotation, value=ast.expr() as value)]:
            type_name = ast.unparse(annotation)
        case _:
            return None
    # `InitVar` is a parameter and no field.
    if "ClassVar" in type_name or "InitVar" in type_name:
        return None
    match value:
        case ast.Call(func=ast.Name(id="field"), keywords=keywords):
            for keyword in keywords:
                if keyword.arg == _DEFAULT:
                    return _refused_type(keyword.value)
            return None
    return _refused_type(value)


def _refused_type(value: ast.expr) -> str | None:
    """Return the type of a default value that `@dataclass` refuses; None for others."""
    type_name = mutable_type(value)
    return type_name if type_name in _REFUSED_TYPES else None


class _Body(NamedTuple):
    """The annotated names in a class body, and the names defined without a type.

    Attributes:
        annotated: The statement of each annotated name, with its node.
        names_with_value: The names that are assigned or defined without a type. Both
            `size = 4` and a method `size` give the field `size: int` its default value.
    """

    annotated: Mapping[str, tuple[Statement, ast.AnnAssign]]
    names_with_value: frozenset[str]


def _read_body(statement: Statement) -> _Body | None:
    """Return the annotated names of a class body, and the names defined without a type.

    In `x: int = 0`, the name `x` is annotated. Methods, and `y` in `y = 1`, are not.

    Returns:
        None if the body contains code such as an `if`, which may define any name.
    """
    annotated: dict[str, tuple[Statement, ast.AnnAssign]] = {}
    names_with_value: set[str] = set()
    for inner in view_definition(statement).body.statements:
        if inner.is_definition:
            names_with_value.add(inner.name)
            continue
        for node in parse_statements(inner.bare_code.text):
            match node:
                # `x: int = 0`
                case ast.AnnAssign(target=ast.Name(id=name)):
                    annotated[name] = (inner, node)
                # `y = 1`
                case ast.Assign(targets=[ast.Name(id=name)]):
                    names_with_value.add(name)
                # A docstring, `...` or `pass`
                case ast.Expr() | ast.Pass():
                    pass
                case _:
                    return None
    return _Body(annotated, frozenset(names_with_value))


def _field_options(value: ast.expr | None) -> Mapping[str, str] | None:
    """Return the options of a field as code by keyword.

    Both a plain value such as `4` and a `default_factory` are the option `default`.

    Args:
        value: What the field is assigned; None if it has no value.

    Returns:
        The options; None for `field(**options)`, whose options are unknown.
    """
    if value is None:
        return {}
    match value:
        case ast.Call() if dotted_name(value.func).rpartition(".")[2] == "field":
            keywords = value.keywords
        case _:
            return {_DEFAULT: ast.unparse(value)}
    options = {}
    for keyword in keywords:
        if keyword.arg is None:
            return None
        options[keyword.arg.removesuffix("_factory")] = ast.unparse(keyword.value)
    return options
