"""The classes that a class inherits from, in Python's order."""

import pytest

from modular.semantics.ancestors import (
    OBJECT,
    Ancestors,
    known_members,
    known_own_members,
)
from modular.semantics.meanings import (
    Builtin,
    Definition,
    ForeignName,
    Meaning,
    Reason,
)
from modular.source.blocks import Kind
from tests.semantics.test_resolver import make_resolver


def ancestors(text: str, name: str = "X", **files: str) -> Ancestors:
    texts = {f"{stem}.py": other for stem, other in files.items()}
    resolver = make_resolver({"b.py": text, **texts})
    return resolver.ancestors(Definition("b.py", name, Kind.CLASS))


def names(classes: tuple[Meaning, ...]) -> list[str]:
    found = []
    for class_ in classes:
        is_foreign = isinstance(class_, ForeignName)
        found.append(class_.dotted_name if is_foreign else class_.name)
    return found


DIAMOND = """
class Top: ...
class Left(Top): ...
class Right(Top): ...
class Bottom(Left, Right): ...
"""


def test_each_class_comes_once_before_its_bases() -> None:
    found = ancestors(DIAMOND, "Bottom")
    assert names(found.classes) == ["Left", "Right", "Top", "object"]
    assert found.unknown is None


def test_python_has_the_same_order() -> None:
    namespace: dict[str, type] = {}
    exec(DIAMOND, namespace)  # the text is above
    order = [class_.__name__ for class_ in namespace["Bottom"].__mro__[1:]]
    assert names(ancestors(DIAMOND, "Bottom").classes) == order


def test_bases_are_followed_through_imports() -> None:
    text = "from c import Base as B\nclass X(B): ...\n"
    other = "from torch import nn\nclass Base(nn.Module): ...\n"
    found = ancestors(text, c=other)
    assert found.classes == (
        Definition("c.py", "Base", Kind.CLASS),
        ForeignName("torch.nn.Module"),
        OBJECT,
    )
    assert found.unknown is None


def test_the_name_above_the_class_is_its_base() -> None:
    found = ancestors("from torch.nn import Module as X\nclass X(X): ...\n")
    assert names(found.classes) == ["torch.nn.Module", "object"]


def test_type_arguments_are_no_part_of_a_base() -> None:
    found = ancestors("class A: ...\nclass X(A[int]): ...\n")
    assert names(found.classes) == ["A", "object"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("class X(Y): ...\n", Reason.NOT_BOUND),
        ("class X(f()): ...\n", Reason.EXPRESSION),
        ("from torch import Y\nclass X(Y): ...\n", Reason.FOREIGN),
        ("def Y(): ...\nclass X(Y): ...\n", Reason.NOT_A_CLASS),
        ("class A: ...\nclass B(A): ...\nclass X(A, B): ...\n", Reason.INCONSISTENT),
        ("class A: ...\nclass X(object, A): ...\n", Reason.INCONSISTENT),
    ],
)
def test_an_unknown_base_has_a_reason(text: str, reason: Reason) -> None:
    unknown = ancestors(text).unknown
    assert unknown is not None
    assert unknown.reason is reason


def test_the_first_unknown_base_is_named() -> None:
    found = ancestors("class A: ...\nclass X(A, Y, Z): ...\n")
    assert found.unknown is not None and found.unknown.name == "Y"
    assert names(found.classes) == ["A", "Y", "Z", "object"]


def test_classes_that_inherit_from_each_other_end_the_search() -> None:
    other = "from b import X\nclass Y(X): ...\n"
    found = ancestors("from c import Y\nclass X(Y): ...\n", c=other)
    assert found.unknown is not None and found.unknown.reason is Reason.CYCLE
    assert found.unknown in found.classes


def test_many_bases_and_deep_classes_take_little_time() -> None:
    lines = ["class A0: ...", "class B0: ..."]
    for index in range(1, 200):
        bases = f"(A{index - 1}, B{index - 1})"
        lines += [f"class A{index}{bases}: ...", f"class B{index}{bases}: ..."]
    found = ancestors("\n".join(lines) + "\n", "A199")
    assert found.unknown is not None and found.unknown.reason is Reason.TOO_DEEP


def test_members_of_some_foreign_classes_are_known() -> None:
    module_members = known_members(ForeignName("torch.nn.Module"))
    assert module_members is not None and "state_dict" in module_members
    assert "forward" not in module_members
    assert known_members(ForeignName("torch.nn.Linear")) is None
    exception_members = known_members(Builtin("Exception"))
    assert exception_members is not None and "args" in exception_members


def test_a_foreign_class_hides_only_what_it_defines_or_inherits() -> None:
    for name in ("torch.nn.Module", "torch.nn.Linear"):
        module_members = known_own_members(ForeignName(name))
        assert {"__repr__", "__init__", "forward", "to"} <= module_members
        assert not {"__eq__", "__str__"} & module_members
    for class_ in ("torch.nn.Parameter", "torch.nn.functional", "torch.Tensor"):
        assert known_own_members(ForeignName(class_)) == frozenset()
    error_members = known_own_members(Builtin("ValueError"))
    assert {"__str__", "args"} <= error_members
    assert not {"__eq__", "__doc__", "__module__"} & error_members
    assert known_own_members(Builtin("print")) == frozenset()
    assert known_own_members(OBJECT) == frozenset()
