"""The names that code reads, assigns and deletes, according to its syntax tree.

No Python runs the code, so the answer does not depend on the Python that runs this.
"""

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
    """Yield the targets to which a node assigns, but not those of the nodes below it.

    The targets in a tuple are yielded one by one: `a` and `b.c` for `a, b.c = 1, 2`.
    """
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
            yield from _single_targets(target)


def deleted(node: cst.CSTNode) -> Iterator[cst.BaseExpression]:
    """Yield the targets of a `del` statement one by one; none for any other node."""
    if isinstance(node, cst.Del):
        yield from _single_targets(node.target)


def _single_targets(target: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    """Yield the targets in a target: `a`, `b` and `c` for `a, (b, c)`."""
    if isinstance(target, cst.Tuple | cst.List):
        for element in target.elements:
            yield from _single_targets(element.value)
    else:
        yield target


def names_read_at_once(tree: Tree) -> Iterator[str]:
    """Yield the names that Python reads as soon as a statement runs.

    The bodies of functions and lambdas are left out, because they run later. For
    `def f(x=a): return b` only `a` is read at once.
    """
    # The wrapper must not copy the module: the nodes of `tree` are the keys of `contexts`.
    wrapper = MetadataWrapper(tree.module, unsafe_skip_copy=True)
    contexts = wrapper.resolve(ExpressionContextProvider)
    root: cst.CSTNode = tree.node
    for node in descend(root, _children_run_at_once):
        is_read = contexts.get(node) is ExpressionContext.LOAD
        if is_read and isinstance(node, cst.Name):
            yield node.value


def _children_run_at_once(node: cst.CSTNode) -> Sequence[cst.CSTNode]:
    """Return the children of a node that Python evaluates when it runs the node.

    Of a function, these are its decorators, defaults and annotations, but not its body.
    An import or a `global` statement reads no names. Type parameters and the values of
    type aliases are evaluated later (PEP 695).
    """
    match node:
        case cst.FunctionDef(decorators=decorators, params=params, returns=returns):
            children = [*decorators, params]
            if returns is not None:
                children.append(returns)
            return children
        case cst.Lambda(params=params):
            return [params]
        case cst.Arg(value=value):
            # The `key` of `f(key=value)` is not a variable.
            return [value]
        case (
            cst.Import()
            | cst.ImportFrom()
            | cst.Global()
            | cst.Nonlocal()
            | cst.TypeParameters()
            | cst.TypeAlias()
        ):
            return []
    return node.children


def super_method_name(called: cst.CSTNode) -> str | None:
    """Return `method` for `super().method`; None for anything else."""
    match called:
        case cst.Attribute(
            value=cst.Call(func=cst.Name(value="super")), attr=cst.Name(value=method)
        ):
            return method
    return None
