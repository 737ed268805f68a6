"""What code does with `self` and its attributes."""

import pytest

from modular.semantics.instances import (
    InstanceUses,
    find_first_uses,
    find_required_reads,
    uses_of_instance,
)
from modular.semantics.statements import facts_of_text
from modular.source.blocks import split
from modular.source.source_slice import synthetic


def uses(text: str) -> InstanceUses:
    return uses_of_instance(facts_of_text(text), "self")


def test_attributes_are_told_apart_by_their_use() -> None:
    found = uses(
        "self.a = self.b\n"
        "self.c: int = 1\n"
        "del self.d\n"
        "self.e[0] = 1\n"
        "self.f.x = 1\n"
        "self.g()\n"
        "self.h.append(1)\n"
    )
    assert found.set == {"a", "c"}
    assert found.deleted == {"d"}
    assert found.changed == {"e", "f"}
    assert found.called == {"g"}
    assert found.read == {"b", "e", "f", "g", "h"}


@pytest.mark.parametrize(
    "text",
    [
        "f(self)",
        "f(size=self)",
        "me = self",
        "x = [self]",
        "x = y or self",
        "return self",
        "self + 1",
        "self[0]",
        "self()",
        "len(self)",
        "with self: pass",
        "for x in self: pass",
        "f'{self}'",
        "f(*self)",
        "if self: pass",
        "f = lambda: self",
        "f = lambda: self.size",
        "def f(): self.size = 1",
    ],
)
def test_other_code_gets_the_object(text: str) -> None:
    assert uses(text).escapes
    assert not uses(text).is_contained


@pytest.mark.parametrize(
    "text",
    [
        "self.size = self.width * 2",
        "self.size += f(self.width)",
        "x = type(self)",
        "x = self is None",
        "x = isinstance(self, A)",
        "f = lambda self: self.size",
        "x = getattr(self, 'size', 1)",
        "x = [y.size for y in self.layers]",
    ],
)
def test_other_code_gets_only_attributes(text: str) -> None:
    assert uses(text).is_contained


@pytest.mark.parametrize(
    "text",
    ["self = x", "del self", "vars(self)", "self.__dict__['x'] = 1", "self.f()"],
)
def test_any_attribute_may_be_used(text: str) -> None:
    assert not uses(text).is_contained


def test_reads_that_depend_on_an_optional_argument_are_not_required() -> None:
    text = (
        "    def f(self, x=None):\n"
        "        if x is not None:\n"
        "            self.a()\n"
        "        else:\n"
        "            self.b = self.c\n"
        "        self.d += 1\n"
    )
    (method,) = split(synthetic(text, "modular_olmo.py", 8)).statements
    assert [*find_required_reads(method)] == [("c", 5), ("d", 6)]


@pytest.mark.parametrize(
    ("lines", "read", "set_"),
    [
        (["self.a = self.b"], "b", "a"),
        (["self.a = self.a"], "a", ""),
        (["self.a += 1", "self.a = 1"], "a", ""),
        (["self.a = 1", "self.a += 1"], "", "a"),
        (["if self.a:", "    self.a = 1"], "a", ""),
        (["if x:", "    self.a += 1"], "", ""),
        (["if x:", "    self.b", "self.b = 1"], "", "b"),
        (["self.a.b = 1", "self.a = 1"], "a", ""),
        (["self.a: int", "self.a"], "", "a"),
        (["def f():", "    self.a", "self.a = 1"], "", "a"),
        (["self.register_buffer('a', x)", "self.b"], "b", "a"),
        (["self.a = getattr(self, 'a', 1)"], "", "a"),
        (["del self.a", "f(self)"], "", ""),
    ],
)
def test_first_uses_follow_the_order_of_evaluation(
    lines: list[str], read: str, set_: str
) -> None:
    text = "".join(f"{line}\n" for line in lines)
    parts = [
        facts_of_text(statement.code.text)
        for statement in split(synthetic(text, "modular_olmo.py", 1)).statements
    ]
    uses = find_first_uses(parts, "self")
    assert (uses.read & {*"ab"}, uses.set) == ({*read}, {*set_})
