"""Give the module-level names of each file of a project spellings of their own."""

import ast
from collections.abc import Mapping

from tests.properties.class_traces import MODULAR, PARENT, SECOND_PARENT


SUFFIXES = {PARENT: "p", SECOND_PARENT: "r", MODULAR: "m"}


def rename_apart(files: Mapping[str, str]) -> dict[str, str]:
    """Return the files without a name that two of them use at module level.

    Classes of the models keep their names, since they say which class replaces which.
    """
    changed = dict(files)
    for path, suffix in SUFFIXES.items():
        if path not in files:
            continue
        tree = ast.parse(files[path])
        names = {
            name: f"{name}_{suffix}"
            for name in module_names(tree)
            if not name.startswith(("Fern", "Moss", "Reed"))
        }
        tree = _Rename(names).visit(tree)
        changed[path] = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
    return changed


def module_names(tree: ast.Module) -> set[str]:
    """Return the names that the statements at module level bind."""
    found: set[str] = set()
    waiting: list[ast.AST] = list(tree.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
            continue
        if isinstance(node, ast.Lambda):
            continue
        if isinstance(node, ast.alias):
            found.add((node.asname or node.name).partition(".")[0])
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        waiting += ast.iter_child_nodes(node)
    return found


class _Rename(ast.NodeTransformer):
    """Rename variables, functions and imported names, but no attributes."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names
        self.in_class = False

    def new(self, name: str) -> str:
        return self.names.get(name, name)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self.new(node.id)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.name = self.new(node.name)
        outer, self.in_class = self.in_class, True
        self.generic_visit(node)
        self.in_class = outer
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if not self.in_class:
            node.name = self.new(node.name)
        outer, self.in_class = self.in_class, False
        self.generic_visit(node)
        self.in_class = outer
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        if not self.in_class:
            node.name = self.new(node.name)
        outer, self.in_class = self.in_class, False
        self.generic_visit(node)
        self.in_class = outer
        return node

    def visit_Global(self, node: ast.Global) -> ast.AST:
        node.names = [self.new(name) for name in node.names]
        return node

    def visit_Nonlocal(self, node: ast.Nonlocal) -> ast.AST:
        node.names = [self.new(name) for name in node.names]
        return node

    def visit_alias(self, node: ast.alias) -> ast.AST:
        bound = node.asname or node.name
        if bound in self.names:
            node.asname = self.names[bound]
        return node

    def visit_MatchAs(self, node: ast.MatchAs) -> ast.AST:
        if node.name is not None:
            node.name = self.new(node.name)
        return self.generic_visit(node)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        if node.name is not None:
            node.name = self.new(node.name)
        return self.generic_visit(node)
