"""Scopes agree with Python's own symbol table."""

import ast
import symtable
from pathlib import Path

import pytest

import modular
from modular.refactor.scopes import Scope, analyze_scopes


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


def tables(table: symtable.SymbolTable) -> dict[tuple[str, int], symtable.SymbolTable]:
    """Return the tables of functions and classes by name and line."""
    found = {}
    for child in table.get_children():
        found[child.get_name(), child.get_lineno()] = child
        found.update(tables(child))
    return found


def kind(scope: Scope, name: str, module: Scope) -> str:
    """Return whether a name in a scope is local, global or free."""
    binding_scope = scope.find(name)
    if binding_scope is scope:
        return "local"
    return "global" if binding_scope in (None, module) else "free"


@pytest.mark.parametrize("text", [CODE, *TEXTS])
def test_every_name_is_found_where_python_finds_it(text: str) -> None:
    expected = tables(symtable.symtable(text, "code.py", "exec"))
    result = analyze_scopes(ast.parse(text))
    compared = 0
    for scope in result.scopes:
        node = scope.node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        line = min([node.lineno, *(item.lineno for item in node.decorator_list)])
        table = expected.get((node.name, line)) or expected[node.name, node.lineno]
        for symbol in table.get_symbols():
            if symbol.is_global():
                meaning = "global"
            else:
                meaning = "free" if symbol.is_free() else "local"
            name = symbol.get_name()
            is_used = symbol.is_referenced() or symbol.is_assigned()
            if is_used and name != "__class__":
                # `super()` refers to `__class__`, which no code binds.
                assert kind(scope, name, result.module) == meaning, (node.name, name)
                compared += 1
    assert compared > 0


def test_types_in_strings_use_their_names() -> None:
    text = 'x: "A"\ny = cast("list[B]", "C")\nz: Literal["D"] = List["E"]\n'
    imports = "from typing import List, Literal, cast\n"
    result = analyze_scopes(ast.parse(imports + text))
    strings = [use for use in result.module.uses if isinstance(use.node, ast.Constant)]
    assert [use.name for use in strings] == ["A", "list", "B", "E"]
