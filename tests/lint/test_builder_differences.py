"""Python creates a class and its parent class one after the other, and the generated file creates one class.

With the rules of transformers, the difference is reported (MOD416). With Python's
inheritance, the parent class is kept as a base (MOD308).
"""

import pytest

from tests.conftest import Flatten
from tests.lint.test_changed_classes import judge


ALIKE = None
"""One class does the same as two."""

BASES = "from dataclasses import dataclass, field\n\n\nSIZE = 1\nOPTIONS = {}\n"
KIND = """
class Kind(Root):
    def __init_subclass__(cls, kind=0):
        cls.kind = kind
"""
TAGGED = """
CLASSES = []


def tagged(cls):
    cls.tag = 1
    return cls


def replaced(cls):
    cls = object
    return cls


def copying(cls):
    cls.tag = cls.a
    return cls


def listed(cls):
    CLASSES.append(cls)
    return cls


with open("tags"):
    def guarded(cls): return cls
"""
GENERIC = (
    'from typing import Generic, NamedTuple, Protocol, TypeVar\n\n\nT = TypeVar("T")\n'
)


def codes(convert: Flatten, parent: str, child: str) -> list[str]:
    """Return the codes of the findings about a class."""
    return [code for code, _, _ in judge(convert, parent, child)]


@pytest.mark.parametrize(
    ("parent", "child", "is_kept"),
    [
        # Keywords.
        (f"{KIND}\n\nclass LlamaA(Kind): a = 1", "class MyModelA(LlamaA, kind=3): b = 2", True),
        (f"{KIND}\n\nclass LlamaA(Kind, kind=3): a = 1", "class MyModelA(LlamaA, kind=3): b = 2", False),
        (f"{KIND}\n\nclass LlamaA(Kind, kind=3): a = 1", "class MyModelA(LlamaA): b = 2", True),
        (
            "from typing import TypedDict\n\n\nclass LlamaA(TypedDict, total=False):\n    a: int",
            "class MyModelA(LlamaA):\n    b: int",
            True,
        ),
        (
            "from typing import TypedDict\n\n\nclass LlamaA(TypedDict, total=False):\n    a: int",
            "class MyModelA(LlamaA): pass",
            False,
        ),
        ("from abc import ABCMeta\n\n\nclass LlamaA(metaclass=ABCMeta): a = 1", "class MyModelA(LlamaA): b = 2", False),
        ("from somewhere import Meta\n\n\nclass LlamaA(metaclass=Meta): a = 1", "class MyModelA(LlamaA): b = 2", True),
        # Named tuples and protocols.
        (f"{GENERIC}\n\nclass LlamaA(NamedTuple):\n    a: int = 1", "class MyModelA(LlamaA):\n    def f(self): return 2", True),
        (
            f"{GENERIC}\n\nclass LlamaA(NamedTuple):\n    a: int = 1",
            "class MyModelA(LlamaA): b = 2\n\n\nMyModelA = print(MyModelA)",
            True,
        ),
        (
            f"{GENERIC}\n\nclass LlamaA(Protocol):\n    def f(self): return 1",
            f"{GENERIC}\n\nclass MyModelA(LlamaA, Protocol):\n    def g(self): return 2",
            False,
        ),
        # Patches of the parent class.
        ("class LlamaA(Root): a = 1\n\n\nLlamaA.a = 4", "class MyModelA(LlamaA): a = 9", True),
        ("class LlamaA(Root): a = 1\n\n\nLlamaA.a = 4", "class MyModelA(LlamaA): b = 9", False),
        ("class LlamaA(Root): a = 1\n\n\nLlamaA.a = 4", "class MyModelA(LlamaA): b = 9\n\n\nMyModelA.a = 5", True),
        ("class LlamaA(Root): a = 1\n\n\nLlamaA.__doc__ = 'A'", "class MyModelA(LlamaA): b = 9", True),
        ("class LlamaA(Root): a = 1\n\n\nsetattr(LlamaA, 'a' + 'b', 4)", "class MyModelA(LlamaA): ab = 9", True),
        ("class LlamaA(Root): a = 1\n\n\nLlamaA = print(LlamaA)", "class MyModelA(LlamaA): pass", True),
        ("class LlamaA(Root): a = 1\n\n\ndef patch(): LlamaA.a = 4", "class MyModelA(LlamaA): a = 9", True),
        ("class LlamaA(Root): a = 1\n\n\ndef patch(): LlamaA.a = 4", "class MyModelA(LlamaA): b = 9", False),
        ("class LlamaA(Root): a = 1\n\n\ndef read(): return LlamaA.a", "class MyModelA(LlamaA): a = 9", False),
        # Decorators of the class.
        (f"{TAGGED}\n\n@tagged\nclass LlamaA: a = 1", "class MyModelA(LlamaA): b = 2", False),
        (f"{TAGGED}\n\n@tagged\nclass LlamaA: a = 1", "class MyModelA(LlamaA): tag = 2", True),
        (f"{TAGGED}\n\n@replaced\nclass LlamaA: a = 1", "class MyModelA(LlamaA): b = 2", True),
        (f"{TAGGED}\n\n@copying\nclass LlamaA: a = 1", "class MyModelA(LlamaA): a = 2", True),
        (f"{TAGGED}\n\n@listed\nclass LlamaA: a = 1", "class MyModelA(LlamaA): b = 2", True),
        (
            f"{TAGGED}\n\n@tagged\nclass LlamaA: a = 1",
            "from typing import final\n\n\n@final\nclass MyModelA(LlamaA): b = 2\n\n\nMyModelA = print(MyModelA)",
            True,
        ),
        (f"{TAGGED}\n\n@guarded\nclass LlamaA: a = 1", "class MyModelA(LlamaA): b = 2", True),
        (
            "class LlamaA(Root): a = 1",
            "from typing import final\n\n\n@final\nclass MyModelA(LlamaA): b = 2\n\n\nMyModelA = print(MyModelA)",
            False,
        ),
        # A base whose class is not known.
        ("Base = print()\n\n\nclass LlamaA(Base): a = 1", "class MyModelA(LlamaA): b = 2", False),
        ("with open('a'):\n    class Base: pass\n\n\nclass LlamaA(Base): a = 1", "class MyModelA(LlamaA): b = 2", False),
        # Private names, which Python prefixes with the name of the class.
        ("class LlamaA(Root):\n    def f(self): self.__a = 1", "class MyModelA(LlamaA): b = 2", False),
        (
            "class LlamaA(Root):\n    def f(self):\n        self.__a = 1\n"
            "        return getattr(self, '_Llama' + 'A__a')",
            "class MyModelA(LlamaA): b = 2",
            False,
        ),
        (
            "class LlamaA(Root):\n    def f(self):\n        self.__a = 1\n"
            "        return getattr(self, f'_{type(self).__name__}__a', 0)",
            "class MyModelA(LlamaA): b = 2",
            True,
        ),
        (
            "class LlamaA(Root):\n    def f(self):\n        self.__a = 1\n        return type(self).__name__",
            "class MyModelA(LlamaA):\n    def g(self): return getattr(self, '_Llama' + 'A__a', 0)",
            True,
        ),
        (
            "class LlamaA(Root):\n    def f(self): self.__a = 1",
            "from sys import *\n\n\nclass MyModelA(LlamaA): b = 2",
            False,
        ),
        # Type parameters.
        (f"{GENERIC}\n\nclass LlamaA(dict[str, T]): a = 1", "class MyModelA(LlamaA): b = 2", True),
        (f"{GENERIC}\n\nclass LlamaA(dict[str, int]): a = 1", "class MyModelA(LlamaA): b = 2", False),
        ("class LlamaA[T](Root): a = 1", "class MyModelA(LlamaA): b = 2", True),
        (
            "from typing import Generic\n\nfrom somewhere import T\n\n\nclass LlamaA(Generic[T]): a = 1",
            "class MyModelA(LlamaA): b = 2",
            True,
        ),
        (
            "from typing import TypeVar\n\n\nT, S = TypeVar('T'), TypeVar('S')\n\n\nclass LlamaA(dict[T, S]): a = 1",
            "class MyModelA(LlamaA): b = 2",
            True,
        ),
        (
            f"{GENERIC}\n\nclass Holder: make = TypeVar\n\n\nclass LlamaA(dict[str, Holder]): a = 1",
            "class MyModelA(LlamaA): b = 2",
            False,
        ),
        (
            f"{GENERIC}\n\nclass LlamaA(Generic[T]): a = 1",
            f"{GENERIC}\n\nclass MyModelA(LlamaA, Generic[T]): b = 2",
            False,
        ),
        # A base with two names.
        (
            "from enum import Enum\n\n\nclass LlamaA(Enum): pass",
            "from enum import Enum as Kind\n\n\nclass MyModelA(LlamaA, Kind): a = 1",
            True,
        ),
        (
            "from enum import Enum\n\nfrom ..base import Root as Origin\n\n\nclass LlamaA(Origin, Enum): pass",
            "class MyModelA(LlamaA): a = 1",
            False,
        ),
        (
            "from dataclasses import dataclass as data\n\n\n@data\nclass LlamaA:\n    a: int = 1\n\n\nLlamaA = print(LlamaA)",
            "class MyModelA(LlamaA): b = 2",
            True,
        ),
    ],
)  # fmt: skip
def test_a_parent_class_that_python_creates_otherwise_is_kept(
    flatten_like_python: Flatten, parent: str, child: str, is_kept: bool
) -> None:
    assert codes(flatten_like_python, parent, child) == ["MOD308"] * is_kept


@pytest.mark.parametrize(
    ("parent", "child", "is_kept"),
    [
        # In Python, an annotation of an ordinary class makes no field.
        ("class LlamaA:\n    a: int = 1", "@dataclass\nclass MyModelA(LlamaA):\n    b: int = 2", True),
        ("class LlamaA:\n    def f(self): return 1", "@dataclass\nclass MyModelA(LlamaA):\n    b: int = 2", False),
        # In Python, each class has the arguments of its own decorator.
        ("@dataclass\nclass LlamaA:\n    a: int = 1", "@dataclass(eq=False)\nclass MyModelA(LlamaA):\n    b: int = 2", True),
        ("@dataclass(**OPTIONS)\nclass LlamaA:\n    a: int = 1", "@dataclass\nclass MyModelA(LlamaA):\n    b: int = 2", True),
        ("@dataclass(**OPTIONS)\nclass LlamaA:\n    a: int = 1", "@dataclass(**OPTIONS)\nclass MyModelA(LlamaA):\n    b: int = 2", True),
        ("@dataclass(**OPTIONS)\nclass LlamaA:\n    a: int = 1", "class MyModelA(LlamaA):\n    def f(self): return 2", False),
        # In Python, the decorator of the child writes another `__eq__`.
        (
            "@dataclass\nclass LlamaA:\n    a: int = 1\n    def __eq__(self, o): return True",
            "@dataclass\nclass MyModelA(LlamaA):\n    b: int = 2",
            True,
        ),
        (
            "@dataclass\nclass LlamaA:\n    a: int = 1\n    def __eq__(self, o): return True",
            "@dataclass\nclass MyModelA(LlamaA):\n    b: int = 2\n    def __eq__(self, o): return False",
            False,
        ),
        (
            "@dataclass\nclass LlamaA:\n    a: int = 1\n    def f(self): return 1",
            "@dataclass\nclass MyModelA(LlamaA):\n    b: int = 2",
            False,
        ),
        # The default of a field is that of the parent's attribute.
        ("@dataclass\nclass LlamaA:\n    a = max(1, 2)", "@dataclass\nclass MyModelA(LlamaA):\n    a: int", False),
        ("@dataclass\nclass LlamaA:\n    a: int = 1", "@dataclass\nclass MyModelA(LlamaA):\n    a: int", False),
        ("@dataclass\nclass LlamaA:\n    a: int = field(init=False)", "@dataclass\nclass MyModelA(LlamaA):\n    a: int", True),
        ("@dataclass\nclass LlamaA:\n    a: int = field(init=False)", "@dataclass\nclass MyModelA(LlamaA):\n    a: int = 2", False),
        # A block in one class would count for the fields of both.
        (
            "@dataclass\nclass LlamaA:\n    if SIZE:\n        b: int = 1\n    a: int = 1",
            "@dataclass\nclass MyModelA(LlamaA):\n    b: int = 2",
            True,
        ),
        # Only `@dataclass` writes the method that the child calls.
        (
            "@dataclass\nclass LlamaA:\n    a: int = 1",
            "class MyModelA(LlamaA):\n    def __init__(self, a):\n        super().__init__(a)",
            True,
        ),
        (
            "@dataclass\nclass LlamaA:\n    a: int = 1\n    def __init__(self, a): self.a = a",
            "class MyModelA(LlamaA):\n    def __init__(self, a):\n        super().__init__(a)",
            False,
        ),
        # `__init__` calls the child's `__post_init__` in any case.
        (
            "@dataclass\nclass LlamaA:\n    a: int = 1\n    def __post_init__(self): ...",
            "class MyModelA(LlamaA):\n    def __post_init__(self): ...",
            False,
        ),
    ],
)  # fmt: skip
def test_a_parent_class_is_kept_if_one_dataclass_differs_from_two(
    flatten_like_python: Flatten, parent: str, child: str, is_kept: bool
) -> None:
    found = codes(flatten_like_python, f"{BASES}\n\n{parent}", f"{BASES}\n\n{child}")
    assert found == ["MOD308"] * is_kept


@pytest.mark.parametrize("arguments", ["", "(eq=True)"])
def test_dataclass_arguments_that_are_not_known_may_differ(
    flatten: Flatten, arguments: str
) -> None:
    parent = f"{BASES}\n\n@dataclass(**OPTIONS)\nclass LlamaA:\n    a: int = 1\n"
    child = (
        f"{BASES}\n\n@dataclass{arguments}\nclass MyModelA(LlamaA):\n    b: int = 2\n"
    )
    assert [severity for _, severity, _ in judge(flatten, parent, child)] == ["info"]


def test_a_named_tuple_with_the_base_generic_can_be_imported(flatten: Flatten) -> None:
    parent = f"{GENERIC}\n\nclass LlamaA(NamedTuple):\n    a: int = 1\n"
    child = (
        f"{GENERIC}\n\nclass MyModelA(LlamaA, Generic[T]):\n    def f(self): return 2\n"
    )
    severities = [severity for _, severity, _ in judge(flatten, parent, child)]
    assert severities == ["warning"]


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("__class__", "whose methods cannot use `super` or `__class__`"),
        ("2", "which has no attributes but its fields"),
    ],
)
def test_the_message_about_a_named_tuple_names_what_python_refuses(
    flatten: Flatten, value: str, reason: str
) -> None:
    parent = f"{GENERIC}\n\nclass LlamaA(NamedTuple):\n    a: int = 1\n"
    modular = f"""
        from ..llama.modeling_llama import LlamaA


        class MyModelA(LlamaA):
            def f(self): return {value}
        """
    (message,) = flatten(modular, parent).messages
    assert reason in message


def test_an_enum_without_values_may_choose_the_values_of_others(
    flatten: Flatten, flatten_like_python: Flatten
) -> None:
    parent = """
        from enum import Enum


        class LlamaA(Enum):
            def _generate_next_value_(name, start, count, last): return count
        """
    child = "class MyModelA(LlamaA):\n    def f(self): return 1\n"
    assert codes(flatten, parent, child) == []
    assert codes(flatten_like_python, parent, child) == []


def test_a_field_of_a_configuration_keeps_its_default_in_python(
    flatten_like_python: Flatten,
) -> None:
    parent = f"{BASES}\n\n@dataclass\nclass LlamaConfig:\n    a: int = 1\n"
    modular = """
        from ..llama.configuration_llama import LlamaConfig


        class MyModelConfig(LlamaConfig):
            a = 3
        """
    files = {"models/llama/configuration_llama.py": parent}
    found = flatten_like_python(modular, files=files).diagnostics
    assert [diagnostic.code.id for diagnostic in found] == ["MOD308"]


def test_a_call_in_the_body_of_a_replaced_method_runs_in_neither_class(
    flatten: Flatten,
) -> None:
    parent = "class LlamaA(Root):\n    def f(self, x=tuple()): print(x)\n"
    child = "class MyModelA(LlamaA):\n    def f(self, x=2): return x\n"
    assert codes(flatten, parent, child) == []
    assert codes(flatten, parent.replace("tuple()", "print()"), child) == ["MOD416"]


def test_super_in_a_default_value_is_reported_without_that_of_the_body(
    flatten: Flatten,
) -> None:
    parent = (
        "class LlamaA(Root):\n    def f(self): return 1\n    def h(self): return 2\n"
    )
    method = "def g(self, read=lambda self: super().f()): return super().h()"
    child = f"class MyModelA(LlamaA):\n    {method}\n"
    assert codes(flatten, parent, child) == ["MOD416"]


@pytest.mark.parametrize(
    ("name", "path", "is_kept"),
    [
        ("PreTrainedModel", "modeling_utils.py", False),
        ("OtherModel", "modeling_utils.py", True),
        ("PreTrainedModel", "models/base.py", True),
    ],
)
def test_only_base_classes_of_transformers_may_look_at_the_members_of_each_class(
    flatten_like_python: Flatten, name: str, path: str, is_kept: bool
) -> None:
    base = (
        f"class {name}:\n    def __init_subclass__(cls): cls.names = list(vars(cls))\n"
    )
    module = "..base" if path.startswith("models") else "...modeling_utils"
    parent = f"from {module} import {name}\n\n\nclass LlamaA({name}): a = 1\n"
    modular = """
        from ..llama.modeling_llama import LlamaA


        class MyModelA(LlamaA): b = 2
        """
    found = flatten_like_python(modular, parent, {path: base}).codes
    assert [code for code, _ in found] == ["MOD308"] * is_kept
