"""Models of functions: parameters, kinds, and how calls fill parameters."""

import inspect
import symtable
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from modular.semantics.functions import (
    FunctionKind,
    FunctionModel,
    model_function,
)
from modular.semantics.statements import facts_of_text
from modular.source.blocks import Kind, Statement, split
from modular.source.definition_view import view_definition
from modular.source.module import read
from modular.source.parameters import ParameterKind
from modular.source.source_slice import synthetic
from modular.source.walking import walk


def function(text: str) -> FunctionModel:
    (statement,) = split(synthetic(text, "modular_olmo.py", 1)).statements
    return model_function(statement)


def test_parameters_have_kinds_defaults_and_annotations() -> None:
    model = function("def f(a, /, b: int = 1, *c, d, e='x', **k): pass\n")
    assert model.parameters is not None
    assert [(item.name, item.kind) for item in model.parameters] == [
        ("a", ParameterKind.POSITIONAL_ONLY),
        ("b", ParameterKind.POSITIONAL),
        ("c", ParameterKind.VAR_POSITIONAL),
        ("d", ParameterKind.KEYWORD_ONLY),
        ("e", ParameterKind.KEYWORD_ONLY),
        ("k", ParameterKind.VAR_KEYWORD),
    ]
    defaults = [item.default for item in model.parameters]
    assert defaults == [None, "1", None, None, "'x'", None]
    assert model.parameters[1].annotation == "int"
    required = [item.name for item in model.parameters if item.is_required]
    assert required == ["a", "d"]


@pytest.mark.parametrize(
    ("decorators", "kind", "instance"),
    [
        ("", FunctionKind.PLAIN, "self"),
        ("@nn.wrap(1)\n", FunctionKind.PLAIN, "self"),
        ("@classmethod\n", FunctionKind.CLASS_METHOD, "self"),
        ("@staticmethod\n", FunctionKind.STATIC_METHOD, None),
        ("@property\n", FunctionKind.PROPERTY, "self"),
        ("@functools.cached_property\n", FunctionKind.PROPERTY, "self"),
        ("@f.setter\n", FunctionKind.SETTER, "self"),
        ("@f.deleter\n", FunctionKind.DELETER, "self"),
    ],
)
def test_decorators_decide_the_kind(
    decorators: str, kind: FunctionKind, instance: str | None
) -> None:
    model = function(f"{decorators}def f(self): pass\n")
    assert (model.kind, model.instance_name) == (kind, instance)


def test_unknown_decorators_are_listed() -> None:
    model = function("@abc.abstractmethod\n@nn.wrap(1)\n@x[0]\ndef f(self): pass\n")
    assert model.is_abstract
    assert model.other_decorators == ("nn.wrap", "")


def test_async_functions_and_generators_are_told_apart() -> None:
    assert function("async def f():\n    await x\n").is_async
    assert function("def f():\n    if x:\n        yield 1\n").is_generator
    assert not function("def f():\n    def g():\n        yield 1\n").is_generator


def test_names_are_local_or_free() -> None:
    model = function(
        "def f(a):\n    global g\n    b = g = c\n    return lambda d: (a, b, d, e)\n"
    )
    assert model.local_names == {"a", "b"}
    assert model.free_names == {"c", "e", "g"}


def test_an_unreadable_header_has_no_parameters() -> None:
    model = function("def f(a b): pass\n")
    assert model.parameters == ()


@pytest.mark.parametrize(
    ("parameters", "arguments", "filled", "unknown", "missing", "rejected"),
    [
        ("a, b=1", "x", "a", "", "", 0),
        ("a, b=1", "b=x", "b", "", "a", 0),
        ("a", "x, y", "a", "", "", 1),
        ("a", "x, a=y", "a", "", "", 1),
        ("a", "b=x", "", "", "a", 1),
        ("a, *b", "x, y, z", "a b", "", "", 0),
        ("*b", "*x", "b", "", "", 0),
        ("a, *b", "*x", "", "a b", "", 0),
        ("a, b, c", "x, *y", "a", "b c", "", 0),
        ("a, **k", "x, n=y", "a k", "", "", 0),
        ("a, **k", "x, **y", "a k", "", "", 0),
        ("a, b, **k", "x, **y", "a", "b k", "", 0),
        ("a, /, **k", "a=x", "k", "", "a", 0),
        ("*, a, b=1", "a=x", "a", "", "", 0),
        ("*, a", "", "", "", "a", 0),
        ("", "*x, **y", "", "", "", 0),
    ],
)
def test_arguments_fill_parameters(
    parameters: str,
    arguments: str,
    filled: str,
    unknown: str,
    missing: str,
    rejected: int,
) -> None:
    (call,) = facts_of_text(f"f({arguments})").calls
    bound = function(f"def f({parameters}): pass\n").bind(call)
    assert bound is not None
    assert " ".join(sorted(bound.filled)) == filled
    assert " ".join(sorted(bound.unknown)) == unknown
    assert " ".join(bound.missing) == missing
    assert len(bound.rejected) == rejected


def test_python_passes_the_instance_itself() -> None:
    (call,) = facts_of_text("self.f(x)").calls
    bound = function("def f(self, a): pass\n").bind(call, is_bound=True)
    assert bound is not None
    assert list(bound.filled) == ["a"]
    assert not bound.fails


def test_names_are_those_of_pythons_symbol_table() -> None:
    text = Path(inspect.__file__).read_text(encoding="utf-8")
    compared_count = 0
    for statement in functions_in(read("inspect.py", text).block.statements):
        frame = "if True:\n" if statement.indent else ""
        table = symtable.symtable(frame + statement.bare_code.text, "", "exec")
        (function_table,) = [
            child
            for child in table.get_children()
            if child.get_type() == "function" and child.get_name() == statement.name
        ]
        local_names = set()
        for symbol in function_table.get_symbols():
            if symbol.is_local():
                local_names.add(symbol.get_name())
        model = model_function(statement)
        assert model.local_names == local_names
        # Python adds `__class__` to the names of a function that has `super()`.
        assert model.free_names == global_names(function_table) - {"__class__"}
        compared_count += 1
    assert compared_count > 100


def functions_in(statements: Iterable[Statement]) -> Iterator[Statement]:
    """The functions and methods among some statements."""
    for statement in statements:
        if statement.kind is Kind.FUNCTION:
            yield statement
        elif statement.kind is Kind.CLASS:
            yield from functions_in(view_definition(statement).body.statements)


def global_names(table: symtable.SymbolTable) -> set[str]:
    """The names of the module that a function and the functions in it use."""
    names = set()
    for scope in walk([table], symtable.SymbolTable.get_children):
        for symbol in scope.get_symbols():
            if symbol.is_global():
                names.add(symbol.get_name())
    return names


@pytest.mark.parametrize(
    ("code", "is_changed"),
    [
        ("def f(x=[]): x.append(1)\n", True),
        ("def f(x=deque()): x[0] = 1\n", True),
        ("def f(x=TABLE[0]): x.size = 1\n", True),
        ("def f(x=(1)): x.append(1)\n", False),
        ("def f(x=[]): x = [1]\n", False),
        ("def f(x=[], y=None): y.append(x)\n", False),
    ],
)
def test_a_function_that_changes_its_default_is_known(
    code: str, is_changed: bool
) -> None:
    assert function(code).changes_default is is_changed
