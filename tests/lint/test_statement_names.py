"""The names that a statement reads and binds."""

import pytest

from modular.lint.statement_names import names_bound_by, names_read_by
from modular.source.blocks import Statement, split
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
        ("class A(B, key=c):\n    d = later\n", {"B", "c"}),
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
    ("text", "read", "bound"),
    [
        ('y = f"{x["a"]} {"b"} {c:{d["e"]}}"\n', {"x", "c", "d"}, {"y"}),
        ('y = "a" f"{f"{x["a"]}"}"\n', {"x"}, {"y"}),
        ("    type X = list[int]\n", {"list", "int"}, {"X"}),
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
