"""Reduce a project to the code that shows a difference."""

import ast
from collections.abc import Callable, Iterator, Mapping

from tests.properties.class_traces import MODULAR, PARENT, SECOND_PARENT


Files = dict[str, str]

_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


def _blocks(tree: ast.AST) -> Iterator[tuple[ast.AST, str, list[ast.stmt]]]:
    """Yield the blocks of statements, with the node and the field that have them."""
    for node in ast.walk(tree):
        for name in _BLOCKS:
            found = getattr(node, name, None)
            if isinstance(found, list):
                yield node, name, found


def _shorter_blocks(text: str) -> Iterator[str]:
    """Yield the text without one of its statements."""
    count = sum(len(found) for _, _, found in _blocks(ast.parse(text)))
    for index in range(count):
        tree = ast.parse(text)
        position = index
        for node, name, found in _blocks(tree):
            if position >= len(found):
                position -= len(found)
                continue
            statement = found[position]
            inner = getattr(statement, "body", None)
            is_block = isinstance(inner, list) and not isinstance(
                statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
            )
            before = list(found)
            found[position : position + 1] = []
            if not found and name == "body" and not isinstance(node, ast.Module):
                found.append(ast.Pass())
            yield ast.unparse(tree)
            if is_block and isinstance(statement, ast.stmt):
                found[:] = [*before[:position], *inner, *before[position + 1 :]]
                yield ast.unparse(tree)
            break


def _edit_nodes(
    text: str, kinds: tuple[type, ...], edit: Callable[[ast.AST, int], bool]
) -> Iterator[str]:
    """Yield the text after each edit of one node."""
    count = sum(isinstance(node, kinds) for node in ast.walk(ast.parse(text)))
    for index in range(count):
        for variant in range(4):
            tree = ast.parse(text)
            nodes = [node for node in ast.walk(tree) if isinstance(node, kinds)]
            if not edit(nodes[index], variant):
                break
            try:
                yield ast.unparse(tree)
            except Exception:
                continue


def _edit_definition(node: ast.AST, variant: int) -> bool:
    """Remove one decorator, base or parameter of a definition."""
    lists: list[list[ast.AST]] = []
    for name in ("decorator_list", "bases", "keywords"):
        lists.append(getattr(node, name, []))
    arguments = getattr(node, "args", None)
    if isinstance(arguments, ast.arguments):
        if variant == 0 and arguments.kwarg is not None:
            arguments.kwarg = None
            return True
        if variant == 1 and arguments.vararg is not None:
            arguments.vararg = None
            return True
        if variant <= 2 and len(arguments.args) > 1 and arguments.defaults:
            arguments.args.pop()
            arguments.defaults.pop()
            return True
    lists = [found for found in lists if found]
    if variant < len(lists):
        lists[variant].pop()
        return True
    return False


def _simpler_expressions(text: str) -> Iterator[str]:
    """Yield the text with one expression replaced by a part of it or a number."""
    kinds = (ast.BinOp, ast.Call, ast.IfExp, ast.BoolOp, ast.UnaryOp, ast.Subscript)
    kinds += (ast.Compare, ast.Lambda, ast.NamedExpr, ast.Await, ast.Tuple)
    count = sum(isinstance(node, kinds) for node in ast.walk(ast.parse(text)))
    for index in range(count):
        for variant in range(3):
            tree = ast.parse(text)
            nodes = [node for node in ast.walk(tree) if isinstance(node, kinds)]
            if index >= len(nodes):
                return
            node = nodes[index]
            parts = [
                each
                for each in ast.iter_child_nodes(node)
                if isinstance(each, ast.expr)
            ]
            replacements: list[ast.expr] = [ast.Constant(3), *parts]
            if variant >= len(replacements):
                break
            _Replace(node, replacements[variant]).visit(tree)
            try:
                yield ast.unparse(ast.fix_missing_locations(tree))
            except Exception:
                continue


class _Replace(ast.NodeTransformer):
    """Replace one node."""

    def __init__(self, old: ast.AST, new: ast.expr) -> None:
        self.old = old
        self.new = new

    def visit(self, node: ast.AST) -> ast.AST:
        if node is self.old:
            return self.new
        return self.generic_visit(node)


def smaller(files: Mapping[str, str]) -> Iterator[Files]:
    """Yield projects that have a little less code."""
    paths = [path for path in (SECOND_PARENT, PARENT, MODULAR) if path in files]
    for path in paths:
        for text in _shorter_blocks(files[path]):
            yield {**files, path: text + "\n"}
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    for path in paths:
        for text in _edit_nodes(files[path], kinds, _edit_definition):
            yield {**files, path: text + "\n"}
    for path in paths:
        for text in _simpler_expressions(files[path]):
            yield {**files, path: text + "\n"}


def reduce_project(
    files: Mapping[str, str], is_interesting: Callable[[Files], bool], most: int = 1500
) -> Files:
    """Return a project that no single step makes smaller and keeps interesting.

    Args:
        files: The texts by path.
        is_interesting: Whether a project still shows what is looked for.
        most: Maximum number of projects to try.
    """
    best = dict(files)
    tried = 0
    has_changed = True
    while has_changed and tried < most:
        has_changed = False
        skipped = 0
        while tried < most:
            candidates = smaller(best)
            for _ in range(skipped):
                next(candidates, None)
            for candidate in candidates:
                tried += 1
                if candidate != best and is_interesting(candidate):
                    best = candidate
                    has_changed = True
                    break
                skipped += 1
                if tried >= most:
                    break
            else:
                break
    return best
