"""What code reads, calls and assigns to: told from its tree, so that it does not depend on the Python that runs this."""

from collections.abc import Iterator, Sequence

import libcst as cst
from libcst.metadata import (
    ExpressionContext,
    ExpressionContextProvider,
    MetadataWrapper,
)

from modular.source.trees import Tree
from modular.source.walking import descend


def assigned(node: cst.CSTNode) -> Iterator[cst.BaseExpression]:
    """Yield what a node assigns to itself: names, attributes and items, each of several alone."""
    match node:
        case (
            cst.AssignTarget(target=target)
            | cst.AnnAssign(target=target)
            | cst.AugAssign(target=target)
            | cst.NamedExpr(target=target)
            | cst.For(target=target)
            | cst.CompFor(target=target)
            | cst.AsName(name=target)
        ):
            yield from _single(target)


def deleted(node: cst.CSTNode) -> Iterator[cst.BaseExpression]:
    """Yield what a `del` statement deletes, each of several alone."""
    if isinstance(node, cst.Del):
        yield from _single(node.target)


def _single(target: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    """Yield a target, or each of those in a tuple or list of targets."""
    for node in descend(target, _targets):
        if not isinstance(node, cst.Tuple | cst.List):
            yield node


def _targets(target: cst.BaseExpression) -> Sequence[cst.BaseExpression]:
    return (
        [element.value for element in target.elements]
        if isinstance(target, cst.Tuple | cst.List)
        else ()
    )


def names_read_at_once(tree: Tree) -> Iterator[str]:
    """Yield the names that code reads as soon as it is reached: the bodies of functions aside, which are not run then."""
    contexts = MetadataWrapper(tree.module, unsafe_skip_copy=True).resolve(
        ExpressionContextProvider
    )
    root: cst.CSTNode = tree.node
    for node in descend(root, _run_at_once):
        if isinstance(node, cst.Name) and contexts.get(node) is ExpressionContext.LOAD:
            yield node.value


def _run_at_once(node: cst.CSTNode) -> Sequence[cst.CSTNode]:
    """What below a node is run when it is reached."""
    match node:
        case cst.FunctionDef(decorators=decorators, params=params, returns=returns):
            return (*decorators, params, *((returns,) if returns is not None else ()))
        case cst.Lambda(params=params):
            return (params,)
        case cst.Arg(value=value):
            return (value,)
        case (
            cst.Import()
            | cst.ImportFrom()
            | cst.Global()
            | cst.Nonlocal()
            | cst.TypeParameters()
            | cst.TypeAlias()
        ):
            return ()
    return node.children


def method_of_super(called: cst.CSTNode) -> str | None:
    """Return the method that `super().method` names, whatever the arguments of `super`; None for anything else."""
    match called:
        case cst.Attribute(
            value=cst.Call(func=cst.Name(value="super")), attr=cst.Name(value=method)
        ):
            return method
    return None
