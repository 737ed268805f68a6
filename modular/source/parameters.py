"""Reads the parameters in the header of a function."""

import ast
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from modular.source.python_trees import parse


_MAX_CACHED_HEADERS = 2048


class ParameterKind(Enum):
    """The kinds of parameters."""

    POSITIONAL_ONLY = "x, /"
    POSITIONAL = "x"
    VAR_POSITIONAL = "*x"
    KEYWORD_ONLY = "*, x"
    VAR_KEYWORD = "**x"


class Parameter(NamedTuple):
    """A parameter of a function.

    Attributes:
        name: Its name, without stars.
        kind: Its kind.
        default: Its default as normalized text; None if it has none.
        annotation: Its annotation as normalized text; empty if it has none.
    """

    name: str
    kind: ParameterKind
    default: str | None
    annotation: str

    @property
    def is_required(self) -> bool:
        """Whether each call must fill it."""
        return self.default is None and self.kind not in _STARRED_KINDS

    @property
    def takes_position(self) -> bool:
        """Whether a positional argument can fill it."""
        return self.kind in (ParameterKind.POSITIONAL_ONLY, ParameterKind.POSITIONAL)

    @property
    def takes_keyword(self) -> bool:
        """Whether a keyword argument can fill it."""
        return self.kind in (ParameterKind.POSITIONAL, ParameterKind.KEYWORD_ONLY)


_STARRED_KINDS = (ParameterKind.VAR_POSITIONAL, ParameterKind.VAR_KEYWORD)


@lru_cache(maxsize=_MAX_CACHED_HEADERS)
def read_parameters(function: str) -> tuple[Parameter, ...] | None:
    """Return the parameters of a function in order.

    The result is cached, because functions of many models have the same header.

    Args:
        function: The function, which may be indented, with `pass` as its body.

    Returns:
        The parameters; None if Python cannot read the header.
    """
    for node in ast.walk(parse(function)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            return _list_parameters(node.args)
    return None


def _list_parameters(arguments: ast.arguments) -> tuple[Parameter, ...]:
    """Return the parameters of a function in order."""
    parameters = []
    positional = [*arguments.posonlyargs, *arguments.args]
    # The defaults belong to the last positional parameters.
    no_defaults = [None] * (len(positional) - len(arguments.defaults))
    defaults = [*no_defaults, *arguments.defaults]
    for node, default in zip(positional, defaults, strict=True):
        kind = ParameterKind.POSITIONAL
        if node in arguments.posonlyargs:
            kind = ParameterKind.POSITIONAL_ONLY
        parameters.append(_make_parameter(node, kind, default))
    if arguments.vararg is not None:
        kind = ParameterKind.VAR_POSITIONAL
        parameters.append(_make_parameter(arguments.vararg, kind, None))
    for node, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        parameters.append(_make_parameter(node, ParameterKind.KEYWORD_ONLY, default))
    if arguments.kwarg is not None:
        kind = ParameterKind.VAR_KEYWORD
        parameters.append(_make_parameter(arguments.kwarg, kind, None))
    return tuple(parameters)


def _make_parameter(
    node: ast.arg, kind: ParameterKind, default: ast.expr | None
) -> Parameter:
    """Return a parameter with its default and annotation as normalized text."""
    return Parameter(
        name=node.arg,
        kind=kind,
        default=None if default is None else ast.unparse(default),
        annotation="" if node.annotation is None else ast.unparse(node.annotation),
    )
