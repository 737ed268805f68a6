"""The names that a statement reads and binds."""

import pytest

from bench.corpus import installed
from modular.semantics.statements import (
    bound_names_without_parsing,
    facts_of,
    names_bound_by,
    names_read_by,
)
from modular.source.blocks import Statement, split
from modular.source.definition_view import view_definition
from modular.source.module import read
from modular.source.source_slice import synthetic


def statement(text: str) -> Statement:
    (only,) = split(synthetic(text, "modular_olmo.py", 1)).statements
    return only


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("    self.x = a.b + c[d]\n", {"a.b", "c", "d"}),
        ("x += 1\n", {"x"}),
        ("x[i].y = 1\n", {"x", "i"}),
        ("del x[i]\n", {"x", "i"}),
        ("f(key=value)(*rest)\n", {"f", "value", "rest"}),
        ("y = [x.a for x in items if x in known]\n", {"items", "known"}),
        ("y = lambda a=b: later\n", {"b"}),
        ("@wrap\ndef f(x=y):\n    return later\n", {"wrap", "y"}),
        ("class A(B, key=c):\n    d = x\n", {"B", "c", "x"}),
        ('y = f"{x.a:{width}}"\n', {"x.a", "width"}),
        ("y = '\\d' + x\n", {"x"}),
    ],
)
def test_names_that_a_statement_reads(text: str, names: set[str]) -> None:
    assert names_read_by(statement(text)) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("    self.x = a\n", {"self.x"}),
        ("a, (b, *c.d) = e\n", {"a", "b", "c.d"}),
        ("a = b = c\n", {"a", "b"}),
        ("x[0][1] = 1\n", {"x"}),
        ("x: int = 1\n", {"x"}),
        ("    self.x: int\n", {"self.x"}),
        ("self.x = y = f(z=1)\n", {"self.x", "y"}),
        ("x = f(a=1)[b == c] = 1\n", {"x"}),
        ("x = a == b\n", {"x"}),
        ("(x) = f(y=1)\n", {"x"}),
        ("x, y = z\n", {"x", "y"}),
        ("f(x=1)\n", set()),
        ("return x[y == 1]\n", set()),
        ("x += 1\n", {"x"}),
        ("del x, y.z\n", {"x", "y.z"}),
        ("f(x := 1)\n", {"x"}),
        ("y = [x for x in items]\n", {"y"}),
        ("import a.b, c as d\n", {"a", "d"}),
        ("for a in b:\n    c = a\nelse:\n    d = 1\n", {"a", "c", "d"}),
        ("with a as b:\n    pass\n", {"b"}),
        ("try:\n    pass\nexcept E as e:\n    pass\n", {"e"}),
        ("match a:\n    case [b, *c] | {'d': b, **c}:\n        pass\n", {"b", "c"}),
        ("async def f():\n    later = 1\n", {"f"}),
        ("class A:\n    later = 1\n", {"A"}),
    ],
)
def test_names_that_a_statement_binds(text: str, names: set[str]) -> None:
    assert names_bound_by(statement(text)) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("self.x = f(y=1)  # z = 1\n", {"self.x"}),
        ("f(x=1)\n", set()),
        ("x: int\n", {"x"}),
        ("self.x: int = lambda: 0\n", {"self.x"}),
        ("lambda: 0\n", None),
        ("x: int = y == 1\n", None),
        ("x = y = 1\n", None),
        ("x = y == 1\n", None),
        ("x += 1\n", None),
        ("f(x := 1)\n", None),
        ("del x\n", None),
        ("import x\n", None),
        ("with x:\n    pass\n", None),
    ],
)
def test_only_common_statements_are_not_parsed_for_the_names_they_bind(
    text: str, names: set[str] | None
) -> None:
    assert bound_names_without_parsing(statement(text)) == names


def test_the_text_of_statements_shows_the_same_names_as_their_trees() -> None:
    path = installed() / "models/llama/modeling_llama.py"
    pending = list(read(path.name, path.read_text(encoding="utf-8")).block.statements)
    shown_count = 0
    while pending:
        current = pending.pop()
        names = bound_names_without_parsing(current)
        if names is not None:
            shown_count += 1
            assert names == facts_of(current).changed_names
        if current.is_definition:
            pending += view_definition(current).body.statements
    assert shown_count > 100


@pytest.mark.parametrize(
    ("text", "read", "bound"),
    [
        ('y = f"{x["a"]} {"b"} {c:{d["e"]}}"\n', {"x", "c", "d"}, {"y"}),
        ('y = "a" f"{f"{x["a"]}"}"\n', {"x"}, {"y"}),
        ("    type X = list[int]\n", set(), {"X"}),
        ("@wrap\ndef f[T](x: T = y): pass\n", {"wrap", "T", "y"}, {"f"}),
        ("class A[T](B): pass\n", {"B"}, {"A"}),
    ],
)
def test_a_statement_of_python_3_12_has_names_under_every_python(
    text: str, read: set[str], bound: set[str]
) -> None:
    newer = statement(text)
    assert names_read_by(newer) == read
    assert names_bound_by(newer) == bound


def test_a_statement_that_nothing_can_parse_has_no_names() -> None:
    unreadable = statement("x = = y\n")
    assert names_read_by(unreadable) == set()
    assert names_bound_by(unreadable) == set()
