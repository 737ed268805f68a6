"""What statements assign to, and what they delete."""

import pytest

from modular.source.assignments import (
    Target,
    advise_annotation,
    assigned_target,
    deleted_targets,
    item_owner,
)
from modular.source.blocks import Statement, split
from modular.source.source_slice import synthetic


def statement(text: str) -> Statement:
    return split(synthetic(f"        {text}\n", "file.py", 1)).statements[0]


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("a = 1", Target("a", annotated=False)),
        ("self.a = b = 1", Target("self.a", annotated=False)),
        ("a: int = 1", Target("a", annotated=True)),
        ("self.a: int", Target("self.a", annotated=True)),
        ("a.b[c:d].e = 1", Target("a.b[c:d].e", annotated=False)),
        ("a, b = c", Target("a,b", annotated=False)),
        ("(a , b) = c", Target("a,b", annotated=False)),
        ("self . a = 1", Target("self.a", annotated=False)),
        ("() = a", Target("()", annotated=False)),
        ("[] = a", Target("[]", annotated=False)),
        ("(self.a) = 1", Target("self.a", annotated=False)),
        ("self . a : int = 1", Target("self.a", annotated=True)),
        ("a[\n            1\n        ] = 2  # why", Target("a[1]", annotated=False)),
        ('a [ "b c" ] = 1', Target('a["b c"]', annotated=False)),
        ("a[b if c else d] = 1", Target("a[b if c else d]", annotated=False)),
        ("a = b == c", Target("a", annotated=False)),
        ('a["="] = 1', Target('a["="]', annotated=False)),
        ("a = lambda b=1: b", Target("a", annotated=False)),
        ("a: lambda b=1: b = 2", Target("a", annotated=True)),
        ("a = yield", Target("a", annotated=False)),
        ("a = 1; b = 2", Target("a", annotated=False)),
        ("a <= b", None),
        ("assert a, lambda b=1: b", None),
        ("a += lambda b=1: b", None),
        ("a += 1", None),
        ("a == 1", None),
        ("a(b=1)", None),
        ("(a := 1)", None),
        ("print(f'{a = }')", None),
        ("if a == 1: b = 2", None),
        ("def a(b=1): c = 2", None),
    ],
)
def test_the_first_target_is_returned_in_normal_form(text, target):
    assert assigned_target(statement(text)) == target


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("del self.a", ("self.a",)),
        ("del self.a, b[c, d]  # why", ("self.a", "b[c,d]")),
        ("del self . a", ("self.a",)),
        ("del (self.a)", ("self.a",)),
        ("del (self.a, b)", ("self.a", "b")),
        ("del(a)", ("a",)),
        ("delete(a)", ()),
        ("self.a = 1", ()),
    ],
)
def test_each_deleted_target_is_returned(text, targets):
    assert deleted_targets(statement(text)) == targets


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("a.b = 1", "a"),
        ('a["b"].c: int = 1', "a"),
        ("a[b == c] = 1", "a"),
        ("a . b = 1", "a"),
        ("a().b = 1", ""),
        ("a.b(c=1)", ""),
        ("a.b += 1", ""),
        ("a.b == 1", ""),
        ("a = 1", ""),
    ],
)
def test_the_owner_of_an_item_or_attribute_is_found(text, name):
    assert item_owner(statement(text)) == name


@pytest.mark.parametrize(
    ("assignment", "annotated"),
    [
        ("self.size = 8", "self.size: int = 8"),
        ("self.names = ['a']", "self.names: list = ['a']"),
        ("self.proj = nn.Linear(2, 2)", "self.proj: nn.Linear = nn.Linear(2, 2)"),
    ],
)
def test_an_annotation_fits_the_value(assignment: str, annotated: str) -> None:
    advice = advise_annotation(statement(assignment))
    assert advice == f"annotate it: `{annotated}`"


@pytest.mark.parametrize(
    ("assignment", "annotated"),
    [
        ("self.size = config.size", "self.size: Any = config.size"),
        ("self.size = f(\n    1,\n)", "self.size: Any = ..."),
    ],
)
def test_the_annotation_of_an_unknown_value_is_imported(
    assignment: str, annotated: str
) -> None:
    advice = advise_annotation(statement(assignment))
    assert advice == f"annotate it: `{annotated}`, and write `from typing import Any`"
