"""Models of functions: their parameters, their kind, and what each statement does."""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property, lru_cache

from modular.semantics.facts import Argument, Call, CodeFacts
from modular.semantics.statements import facts_of, parse_statements
from modular.source.blocks import Statement
from modular.source.definition_view import view_definition
from modular.source.parameters import Parameter, ParameterKind
from modular.source.python_trees import dotted_name, parse_expression


_MAX_CACHED_FUNCTIONS = 512
"""As many functions as a large model and its parents have."""

_MAX_CACHED_DECORATORS = 512


class FunctionKind(Enum):
    """The kinds of functions in a class, by their decorators."""

    PLAIN = "def f(self)"
    CLASS_METHOD = "@classmethod"
    STATIC_METHOD = "@staticmethod"
    PROPERTY = "@property"
    SETTER = "@f.setter"
    DELETER = "@f.deleter"


@dataclass(frozen=True)
class BoundCall:
    """The parameters that the arguments of a call fill.

    Attributes:
        filled: The arguments of each parameter that the call fills for certain. Only
            parameters with a star can have several.
        unknown: The parameters that `*x` or `**x` in the call may fill.
        missing: The required parameters that nothing fills.
        rejected: The arguments for which the function has no parameter, or a parameter
            that is filled already.
    """

    filled: Mapping[str, tuple[Argument, ...]]
    unknown: tuple[str, ...]
    missing: tuple[str, ...]
    rejected: tuple[Argument, ...]

    @property
    def fails(self) -> bool:
        """Whether Python rejects the call for certain."""
        return bool(self.missing or self.rejected)


@dataclass(frozen=True, eq=False)
class FunctionModel:
    """A function, each part of which is read when first asked for.

    Attributes:
        statement: Its statement.
    """

    statement: Statement

    @property
    def name(self) -> str:
        """Its name."""
        return self.statement.name

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Its parameters in order; empty if the header cannot be read."""
        return view_definition(self.statement).signature or ()

    @property
    def is_async(self) -> bool:
        """Whether it is an `async def`."""
        return view_definition(self.statement).is_async

    @cached_property
    def decorators(self) -> tuple[str, ...]:
        """The dotted names of its decorators: `nn.wrap` for `@nn.wrap(size=1)`.

        A decorator that is another expression has an empty name.
        """
        return read_decorators_of(self.statement)

    @property
    def kind(self) -> FunctionKind:
        """Its kind, by its decorators."""
        for decorator in self.decorators:
            last = decorator.rpartition(".")[2]
            if last in _KINDS:
                return _KINDS[last]
        return FunctionKind.PLAIN

    @property
    def is_abstract(self) -> bool:
        """Whether it has the decorator `abstractmethod`."""
        return any(name.rpartition(".")[2] in _ABSTRACT for name in self.decorators)

    @property
    def other_decorators(self) -> tuple[str, ...]:
        """Those of its decorators whose effects are unknown."""
        return tuple(
            name
            for name in self.decorators
            if name.rpartition(".")[2] not in _KNOWN_DECORATORS
        )

    @property
    def instance_name(self) -> str | None:
        """The first parameter of a method, such as `self` or `cls`.

        None for a static method, and if Python cannot pass the instance or class to the
        parameter by position.
        """
        if self.kind is FunctionKind.STATIC_METHOD or not self.parameters:
            return None
        first = self.parameters[0]
        return first.name if first.takes_position else None

    @cached_property
    def body(self) -> tuple[tuple[Statement, CodeFacts], ...]:
        """The statements of the body with their facts, read when first asked for."""
        statements = view_definition(self.statement).body.statements
        return tuple((statement, facts_of(statement)) for statement in statements)

    @cached_property
    def is_generator(self) -> bool:
        """Whether the body contains `yield`, so that a call does not run it yet."""
        if "yield" not in self.statement.words:
            return False
        return any(facts.flow.yields for _, facts in self.body)

    @cached_property
    def local_names(self) -> frozenset[str]:
        """The variables of the function, parameters included."""
        names = {parameter.name for parameter in self.parameters}
        outer_names: set[str] = set()
        for _, facts in self.body:
            names |= facts.variables
            # Names after `global` and `nonlocal` are variables of the code around it. A
            # nested function can have a `global` statement, too.
            outer_names |= facts.nonlocal_names | facts.global_names
            outer_names |= facts.nested_global_names
        return frozenset(names - outer_names)

    @cached_property
    def free_names(self) -> frozenset[str]:
        """The names in the body that are not variables of the function."""
        names: set[str] = set()
        for _, facts in self.body:
            names |= facts.names
        return frozenset(names - self.local_names)

    @cached_property
    def changes_default(self) -> bool:
        """Whether it certainly changes the default of one of its parameters.

        `def f(x, seen=[]): seen.append(x)` changes the default of `seen`.
        """
        names_with_mutable_default = set()
        for parameter in self.parameters:
            if parameter.default is None:
                continue
            default = parse_expression(parameter.default)
            if default is not None and mutable_type(default) is not None:
                names_with_mutable_default.add(parameter.name)
        if not names_with_mutable_default:
            return False
        for _, facts in self.body:
            for mention in facts.mentions:
                has_mutable_default = mention.name in names_with_mutable_default
                if has_mutable_default and mention.changes_object:
                    return True
        return False

    def bind(self, call: Call, *, is_bound: bool = False) -> BoundCall | None:
        """Return the parameters that the arguments of a call fill.

        Args:
            call: The call.
            is_bound: Whether Python passes the first parameter itself, as in
                `self.f(x)`.

        Returns:
            None if the header cannot be read.
        """
        if view_definition(self.statement).signature is None:
            return None
        parameters = self.parameters[1:] if is_bound else self.parameters
        return bind_arguments(parameters, call.arguments)


def mutable_type(value: ast.expr) -> str | None:
    """Return the type of a default value whose object code may change.

    Returns:
        `list` for `[]`, the called function for a call such as `deque()`, an empty
        string if the type is unknown, as that of `TABLE[0]`, and None for other values.
    """
    match value:
        case ast.List() | ast.ListComp():
            return "list"
        case ast.Dict() | ast.DictComp():
            return "dict"
        case ast.Set() | ast.SetComp():
            return "set"
        case ast.Call(func=function):
            return dotted_name(function)
        case ast.Subscript() | ast.BinOp() | ast.BoolOp() | ast.IfExp():
            return ""
    return None


_KINDS = {
    "classmethod": FunctionKind.CLASS_METHOD,
    "staticmethod": FunctionKind.STATIC_METHOD,
    "property": FunctionKind.PROPERTY,
    "cached_property": FunctionKind.PROPERTY,
    "abstractproperty": FunctionKind.PROPERTY,
    "getter": FunctionKind.PROPERTY,
    "setter": FunctionKind.SETTER,
    "deleter": FunctionKind.DELETER,
}
"""The kind of a function by the last word of a decorator."""

_ABSTRACT = frozenset({"abstractmethod", "abstractproperty"})
_KNOWN_DECORATORS = frozenset({*_KINDS, *_ABSTRACT, "final", "overload", "override"})


@lru_cache(maxsize=_MAX_CACHED_FUNCTIONS)
def model_function(statement: Statement) -> FunctionModel:
    """Return the model of a function.

    Recent models are kept here. If a statement kept its own model, which refers to it,
    both would live until the garbage collector finds their cycle.
    """
    return FunctionModel(statement)


def read_decorators_of(definition: Statement) -> tuple[str, ...]:
    """Return the dotted names of the decorators of a function or class.

    The name of `@nn.wrap(size=1)` is `nn.wrap`. A decorator that is another expression
    has an empty name.
    """
    # Most definitions have none.
    if not definition.is_decorated:
        return ()
    decorators = view_definition(definition).decorators.text
    return _read_decorators(f"{decorators}{definition.indent}def f(): pass\n")


@lru_cache(maxsize=_MAX_CACHED_DECORATORS)
def _read_decorators(stub: str) -> tuple[str, ...]:
    """Return the dotted names of decorators: `nn.wrap` for `@nn.wrap(size=1)`.

    Another expression has an empty name.

    Args:
        stub: The decorators above a function. Many functions have the same ones.
    """
    decorators: Sequence[ast.expr] = ()
    match parse_statements(stub):
        case [ast.FunctionDef() as node]:
            decorators = node.decorator_list
    names = []
    for decorator in decorators:
        called = decorator
        while isinstance(called, ast.Call):
            called = called.func
        names.append(dotted_name(called))
    return tuple(names)


def bind_arguments(
    parameters: Sequence[Parameter], arguments: Sequence[Argument]
) -> BoundCall:
    """Return the parameters that the arguments of a call fill, by Python's rules.

    With the parameters `x, n=1, **kwargs`, the arguments `a, *b, m=2` fill `x` and
    `kwargs`. Whether `*b` fills `n` is unknown.

    Args:
        parameters: The parameters, without the one that Python fills with the instance.
        arguments: The arguments.
    """
    # A keyword can only fill a parameter that no position has filled, and `**x` only
    # one that neither has filled.
    binder = _Binder(parameters)
    for argument in arguments:
        is_positional = not argument.keyword and argument.stars != "**"
        if is_positional:
            binder.add_positional(argument)
    for argument in arguments:
        if argument.keyword:
            binder.add_keyword(argument)
    for argument in arguments:
        if argument.stars == "**":
            binder.add_dictionary(argument)
    return binder.finish()


class _Binder:
    """Fills parameters with arguments.

    Arguments by position are added first, then those by keyword, then dictionaries. All
    parameters are called by their names.
    """

    def __init__(self, parameters: Sequence[Parameter]) -> None:
        """Begin without arguments, so that no parameter is filled."""
        self._parameters = parameters
        self._positional_names = []
        self._keyword_names = []
        for parameter in parameters:
            if parameter.takes_position:
                self._positional_names.append(parameter.name)
            if parameter.takes_keyword:
                self._keyword_names.append(parameter.name)
        # The names of `*args` and `**kwargs`, if the function has them.
        self._args_name = _find_of_kind(parameters, ParameterKind.VAR_POSITIONAL)
        self._kwargs_name = _find_of_kind(parameters, ParameterKind.VAR_KEYWORD)
        # The number of parameters that positional arguments fill. After an argument such
        # as `*x`, it is unknown.
        self._filled_count = 0
        self._is_position_known = True
        self._filled: dict[str, tuple[Argument, ...]] = {}
        # The parameters that an argument with stars may fill.
        self._unknown: list[str] = []
        # The arguments that fill no parameter.
        self._rejected: list[Argument] = []

    def add_positional(self, argument: Argument) -> None:
        """Fill the next open parameter with a positional argument, such as `x` or `*x`.

        If no parameter is open, `*args` gets the argument. Without `*args`, it is rejected.
        """
        if not self._is_position_known:
            # After `*x`, it is unknown which parameters further arguments fill.
            return
        open_names = self._positional_names[self._filled_count :]
        if not open_names:
            if self._args_name is not None:
                self._append(self._args_name, argument)
            elif not argument.stars:
                # `*x` is never rejected: it may be empty.
                self._rejected.append(argument)
        elif argument.stars:
            # `*x` may fill any number of the open parameters.
            self._is_position_known = False
            self._unknown += open_names
            if self._args_name is not None:
                self._unknown.append(self._args_name)
        else:
            self._filled[open_names[0]] = (argument,)
            self._filled_count += 1

    def add_keyword(self, argument: Argument) -> None:
        """Add an argument such as `x=1`."""
        name = argument.keyword
        if name in self._keyword_names and name not in self._filled:
            self._filled[name] = (argument,)
        elif name not in self._keyword_names and self._kwargs_name is not None:
            self._append(self._kwargs_name, argument)
        else:
            # There is no such parameter, or it is filled already.
            self._rejected.append(argument)

    def add_dictionary(self, argument: Argument) -> None:
        """Add an argument such as `**x`, which may fill each parameter that is left.

        If no other parameter is left, all its items fill `**kwargs`.
        """
        open_names = [name for name in self._keyword_names if name not in self._filled]
        self._unknown += open_names
        if self._kwargs_name is None:
            return
        if open_names:
            self._unknown.append(self._kwargs_name)
        else:
            self._append(self._kwargs_name, argument)

    def _append(self, name: str, argument: Argument) -> None:
        """Add an argument to `*args` or `**kwargs`."""
        self._filled[name] = (*self._filled.get(name, ()), argument)

    def finish(self) -> BoundCall:
        """Return the filled parameters, those that are missing, and rejected arguments."""
        unknown = [name for name in self._unknown if name not in self._filled]
        missing = []
        for parameter in self._parameters:
            may_be_filled = parameter.name in self._filled or parameter.name in unknown
            if parameter.is_required and not may_be_filled:
                missing.append(parameter.name)
        return BoundCall(
            filled=self._filled,
            unknown=tuple(dict.fromkeys(unknown)),
            missing=tuple(missing),
            rejected=tuple(self._rejected),
        )


def _find_of_kind(parameters: Sequence[Parameter], kind: ParameterKind) -> str | None:
    """Return the name of the first parameter of a kind, or None."""
    for parameter in parameters:
        if parameter.kind is kind:
            return parameter.name
    return None
