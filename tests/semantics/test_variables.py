"""Variables agree with Python's own symbol table."""

import ast
import symtable
from collections.abc import Iterator
from pathlib import Path

import pytest

import modular
from modular.semantics.variables import Variable, find_variables


CODE = """
import os.path as paths, sys
from typing import cast

size = 1


class Model:
    size = 2
    width = size

    def grow(self, size=size):
        def inner():
            nonlocal size
            global depth
            size = depth = 3
            return [size for size in range(size) if (last := size)]

        return lambda width: (width, size, depth)

    def read(self):
        try:
            with open("x") as size:
                return size
        except OSError as width:
            del width
        match self:
            case [first, *rest]:
                return first, rest
            case {"a": 1, **others} as whole:
                return others, whole


def make_class(depth):
    class Layer:
        global depth
        depth = 4

        def read(self):
            return depth

    return Layer


async def build(*sizes, depth, **options):
    import sys
    for size in sizes:
        yield size, sys, Model
"""
MODULES = sorted((Path(modular.__file__).parent / "refactor").glob("*.py"))
TEXTS = [text for text in map(Path.read_text, MODULES) if "def " in text]
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
INNER_SCOPES = (
    *SCOPES,
    ast.Lambda,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
)


def tables(table: symtable.SymbolTable) -> dict[tuple[str, int], symtable.SymbolTable]:
    """Return the tables of functions and classes by name and line."""
    found = {}
    for child in table.get_children():
        found[child.get_name(), child.get_lineno()] = child
        found.update(tables(child))
    return found


def variables_in(node: ast.AST) -> Iterator[ast.Name]:
    """Yield the variables below a node, without those of scopes in it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Name):
            yield child
        elif not isinstance(child, INNER_SCOPES):
            yield from variables_in(child)


def kind(variable: Variable, scope: ast.AST) -> str:
    """Return whether a variable in a scope is local, global or free."""
    if variable.scope.node is scope:
        return "local"
    return "global" if variable.is_global else "free"


@pytest.mark.parametrize("text", [CODE, *TEXTS])
def test_every_name_is_found_where_python_finds_it(text: str) -> None:
    expected = tables(symtable.symtable(text, "code.py", "exec"))
    tree = ast.parse(text)
    found = find_variables(tree).of_node
    compared = 0
    for scope in ast.walk(tree):
        if not isinstance(scope, SCOPES):
            continue
        line = min([scope.lineno, *(item.lineno for item in scope.decorator_list)])
        table = expected.get((scope.name, line)) or expected[scope.name, scope.lineno]
        for statement in scope.body:
            if isinstance(statement, SCOPES):
                continue
            for node in variables_in(statement):
                symbol = table.lookup(node.id)
                meaning = "free" if symbol.is_free() else "local"
                if symbol.is_global():
                    meaning = "global"
                assert kind(found[node], scope) == meaning, (scope.name, node.id)
                compared += 1
    assert compared > 0


def test_types_in_strings_use_their_names() -> None:
    text = 'x: "A"\ny = cast("list[B]", "C")\nz: Literal["D"] = List["E"]\n'
    imports = "from typing import List, Literal, cast\n"
    result = find_variables(ast.parse(imports + text))
    quoted = []
    for variable in result.all:
        if any(use.is_quoted for use in variable.uses):
            quoted.append(variable.name)
    assert quoted == ["A", "list", "B", "E"]


def test_a_class_reads_a_name_from_outside_until_it_binds_the_name() -> None:
    result = find_variables(ast.parse("size = 1\nclass A:\n    size = size\n"))
    outer, inner = [item for item in result.all if item.name == "size"]
    assert [len(outer.bindings), len(outer.uses)] == [1, 1]
    assert [len(inner.bindings), len(inner.uses)] == [1, 0]


def test_global_statements_refer_to_the_variable_of_the_module() -> None:
    text = "def f():\n    global size\n    def g():\n        return size\n"
    (variable,) = [v for v in find_variables(ast.parse(text)).all if v.name == "size"]
    assert variable.is_global
    assert len(variable.uses) == 2
