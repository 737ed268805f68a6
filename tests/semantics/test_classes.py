"""Models of classes: members, attributes of objects, and what builds the class."""

import pytest

from modular.semantics.classes import (
    ClassModel,
    MemberKind,
    mentions_in_class,
    model_class,
    names_in_body,
)
from modular.source.blocks import split
from modular.source.source_slice import synthetic


def class_of(body: str, header: str = "class A:") -> ClassModel:
    text = f"{header}\n{body}" if body else f"{header} pass\n"
    (statement,) = split(synthetic(text, "modular_olmo.py", 1)).statements
    return model_class(statement)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("    def x(self): pass\n", {"x": MemberKind.METHOD}),
        ("    @staticmethod\n    def x(): pass\n", {"x": MemberKind.STATIC_METHOD}),
        ("    x = y = 1\n", {"x": MemberKind.ATTRIBUTE, "y": MemberKind.ATTRIBUTE}),
        ("    x, y = 1, 2\n", {"x": MemberKind.ATTRIBUTE, "y": MemberKind.ATTRIBUTE}),
        ("    x: int = 1\n", {"x": MemberKind.FIELD}),
        ("    x: int\n", {"x": MemberKind.DECLARATION}),
        ("    class x: pass\n", {"x": MemberKind.CLASS}),
        ("    import x\n", {"x": MemberKind.IMPORT}),
        ("    for x in y: pass\n", {"x": MemberKind.OTHER}),
        ("    x = 1\n    def x(self): pass\n", {"x": MemberKind.METHOD}),
        ("    x = {}\n    x['a'] = 1\n    x += y\n", {"x": MemberKind.ATTRIBUTE}),
        ('    """Text."""\n    pass\n', {}),
    ],
)
def test_members_have_kinds(body: str, expected: dict[str, MemberKind]) -> None:
    members = class_of(body).members
    assert {name: member.kind for name, member in members.items()} == expected


def test_a_member_has_all_its_statements() -> None:
    member = class_of("    x = {}\n    y = 1\n    x['a'] = 1\n").members["x"]
    assert [item.bare_code.text.strip() for item in member.statements] == [
        "x = {}",
        "x['a'] = 1",
    ]


def test_a_property_has_getter_setter_and_deleter() -> None:
    member = class_of(
        "    @property\n    def x(self): pass\n"
        "    @x.setter\n    def x(self, value): pass\n"
        "    @x.deleter\n    def x(self): pass\n"
    ).members["x"]
    assert member.kind is MemberKind.PROPERTY
    assert len(member.functions) == 3
    assert (member.function, member.setter, member.deleter) == member.functions


def test_a_member_below_a_condition_is_conditional() -> None:
    members = class_of("    if y:\n        x = 1\n    z = 1\n").members
    assert members["x"].is_conditional
    assert not members["z"].is_conditional


def test_attributes_of_self_are_known_with_their_methods() -> None:
    attributes = class_of(
        "    def f(me):\n        me.x, me.y = 1, 2\n"
        "    def g(self):\n        self.x = 1\n        other.z = 1\n"
        "    @staticmethod\n    def h(a):\n        a.b = 1\n"
    ).attributes
    assert {
        name: [item.name for item in setting] for name, setting in attributes.items()
    } == {"x": ["f", "g"], "y": ["f"]}


@pytest.mark.parametrize(
    ("header", "is_dataclass"),
    [
        ("class A(nn.Module):", False),
        ("@dataclass\nclass A:", True),
        ("@dataclasses.dataclass(frozen=True)\nclass A:", True),
        ("@auto_docstring\nclass A:", False),
    ],
)
def test_a_decorator_makes_a_class_a_dataclass(header: str, is_dataclass: bool) -> None:
    assert class_of("", header).is_dataclass is is_dataclass


def test_mentions_in_methods_are_seen_from_inside() -> None:
    model = class_of("    x = 1\n    def f(self, y=z):\n        self.a(y)\n")
    names = [mention.dotted_name for _, mention in mentions_in_class(model)]
    assert names == ["x", "z", "f", "self.a", "y"]


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("    x = y = 1\n    z: int\n", {"x", "y", "z"}),
        ("    def x(self): y = 1\n    class z: w = 1\n", {"x", "z"}),
        ("    if a:\n        x = 1\n    else:\n        y = 1\n", {"x", "y"}),
        ("    x.y = 1\n    z()\n", set()),
        ("    exec(text)\n", None),
        ("    vars()['x'] = 1\n", None),
    ],
)
def test_the_names_in_a_body_are_known_without_reading_functions(
    body: str, names: set[str] | None
) -> None:
    assert names_in_body(class_of(body).statement) == names
