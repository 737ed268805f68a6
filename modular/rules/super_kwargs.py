"""`**super_kwargs`: the parent's parameters, overridden and extended by the modular's own."""

from collections.abc import Sequence

from libcst import FunctionDef, MaybeSentinel, Module, Param, Parameters, ensure_type, parse_statement

_FRAME = ("def f(", "): pass\n")


def merge_parameters(parent: str, own: str) -> str:
    """Return the parameter list that the modular's own one, which ends with `**super_kwargs`, stands for.

    All three are what stands between the parentheses, comments and trailing commas included.
    """
    theirs, ours = _read(parent), _read(own)
    merged = theirs.with_changes(
        posonly_params=_merge(theirs.posonly_params, ours.posonly_params),
        params=_merge(theirs.params, ours.params),
        star_arg=ours.star_arg if isinstance(theirs.star_arg, MaybeSentinel) else theirs.star_arg,
        kwonly_params=_merge(theirs.kwonly_params, ours.kwonly_params),
    )
    function = _function("").with_changes(params=merged)
    return Module([]).code_for_node(function).removeprefix(_FRAME[0]).removesuffix(_FRAME[1])


def _function(parameters: str) -> FunctionDef:
    return ensure_type(parse_statement(_FRAME[0] + parameters + _FRAME[1]), FunctionDef)


def _read(parameters: str) -> Parameters:
    return _function(parameters).params


def _merge(theirs: Sequence[Param], ours: Sequence[Param]) -> list[Param]:
    """The parent's parameters in their order, ours of the same name in their place, the others behind them."""
    merged = {param.name.value: param for param in theirs}
    merged.update({param.name.value: param for param in ours})
    return list(merged.values())
