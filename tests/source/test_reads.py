"""The names that code reads, assigns and deletes."""

import libcst as cst
import pytest

from modular.source.reads import (
    assigned,
    deleted,
    names_read_at_once,
    super_method_name,
)
from modular.source.trees import Tree


def tree(text: str) -> Tree:
    module = cst.parse_module(text)
    return Tree(module, module.body[0])


def statement(text: str) -> cst.CSTNode:
    line = cst.parse_module(text).body[0]
    return line.body[0] if isinstance(line, cst.SimpleStatementLine) else line


def codes(expressions: object) -> list[str]:
    return [cst.Module([]).code_for_node(node) for node in expressions]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("x = y", ["y"]),
        ("a.b[c] = d", ["a", "c", "d"]),
        ("call(key=value)", ["call", "value"]),
        ("@wrap\ndef f(x: Kind = default) -> Result:\n    return later", None),
        ("handler = lambda x=default: later", ["default"]),
        ("import a.b", []),
    ],
)
def test_names_that_are_read_when_a_statement_runs(
    text: str, names: list[str] | None
) -> None:
    expected = ["Kind", "Result", "default", "wrap"] if names is None else names
    assert sorted(names_read_at_once(tree(text))) == sorted(expected)


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("a, (b, c.d) = x", ["a", "b", "c.d"]),
        ("for a, b in x:\n    pass", ["a", "b"]),
        ("a: int = 1", ["a"]),
        ("a += 1", ["a"]),
        ("del a", []),
    ],
)
def test_targets_in_tuples_are_yielded_one_by_one(
    text: str, targets: list[str]
) -> None:
    node = statement(text)
    nodes = node.targets if isinstance(node, cst.Assign) else [node]
    assert codes(target for one in nodes for target in assigned(one)) == targets


def test_deleted_targets_are_yielded_one_by_one() -> None:
    assert codes(deleted(statement("del a, (b.c, d[0])"))) == ["a", "b.c", "d[0]"]
    assert list(deleted(statement("a = 1"))) == []


@pytest.mark.parametrize(
    ("text", "method"),
    [
        ("super().forward", "forward"),
        ("super.forward", None),
        ("self.forward", None),
        ("super()", None),
    ],
)
def test_the_method_that_super_names(text: str, method: str | None) -> None:
    assert super_method_name(cst.parse_expression(text)) == method
