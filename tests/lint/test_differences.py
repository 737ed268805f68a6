"""A class that would behave differently in Python than it does flattened has a finding.

Each case is a parent class and a class of the modular file. Both the modular file and
the generated file are imported as plain Python, and all methods of the class are
called: they differ where a finding is expected, and only there.
"""

from dataclasses import dataclass
from itertools import product
from string import ascii_lowercase
from typing import Any

import pytest

from modular.run import api
from tests.lint.test_advice import observe
from tests.support import source, write_project


@dataclass(frozen=True)
class Case:
    """A parent class and a class that inherits from it.

    Attributes:
        title: A sentence about what Python does.
        parent: The parent class, with `Parent` as its name.
        child: The class of the modular file, with `Child` and `Parent` as names.
        finding: The code of the finding, and the text of its line; empty for none.
        above: Code above the parent class.
    """

    title: str
    parent: str
    child: str
    finding: tuple[str, str] = ("", "")
    above: str = ""


CALLS_PAST_THE_PARENT = [
    Case(
        "a call inside an expression is a call of the parent's method",
        """
        class Parent(Base):
            def emb(self):
                return "parent"
        """,
        """
        class Child(Parent):
            def emb(self):
                return [super().emb()]
        """,
        ("MOD421", "return [super().emb()]"),
    ),
    Case(
        "a call inside a block is a call of the parent's method",
        """
        class Parent(Base):
            def emb(self):
                return "parent"
        """,
        """
        class Child(Parent):
            def emb(self):
                if self:
                    return super().emb()
        """,
        ("MOD421", "return super().emb()"),
    ),
    Case(
        "a call from another method is a call of the parent's method",
        """
        class Parent(Base):
            def emb(self):
                return "parent"
        """,
        """
        class Child(Parent):
            def other(self):
                return super().emb()
        """,
        ("MOD421", "return super().emb()"),
    ),
    Case(
        "an attribute of `super()` is the parent's",
        """
        class Parent(Base):
            kind = "parent"
        """,
        """
        class Child(Parent):
            def other(self):
                return super().kind
        """,
        ("MOD421", "return super().kind"),
    ),
    Case(
        "a call of a method that only the base has is a call of the base's",
        """
        class Parent(Base):
            pass
        """,
        """
        class Child(Parent):
            def emb(self):
                return [super(Child, self).emb()]
        """,
    ),
    Case(
        "a base that is named is called",
        """
        class Parent(Base):
            def emb(self):
                return "parent"
        """,
        """
        class Child(Parent):
            def emb(self):
                return [Base.emb(self)]
        """,
    ),
]

CASES = [*CALLS_PAST_THE_PARENT]

BASES = """
    class Base:
        kind = "base"

        def emb(self):
            return "base"
    """


@dataclass(frozen=True)
class Outcome:
    """The findings about a case, as code and line, and the behaviour of both classes."""

    findings: list[tuple[str, str]]
    behaviour: dict[str, Any]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> list[Outcome]:
    """Convert all cases, each as a model of its own, and import what is generated."""
    root = tmp_path_factory.mktemp("differences")
    models = ["zu" + "".join(letters) for letters in product(ascii_lowercase, repeat=2)]
    models = models[: len(CASES)]
    parents = ["from ..bases import Base"]
    files = {"models/bases.py": source(BASES)}
    for model, case in zip(models, CASES, strict=True):
        parent_name = f"Llama{model.capitalize()}"
        parents.append(source(case.above))
        parents.append(source(case.parent).replace("Parent", parent_name))
        child = source(case.child).replace("Child", model.capitalize())
        files[f"models/{model}/modular_{model}.py"] = (
            "from ..bases import Base\n"
            f"from ..llama.modeling_llama import {parent_name}\n\n\n"
            + child.replace("Parent", parent_name)
        )
    files["models/llama/modeling_llama.py"] = "\n\n\n".join(parents)
    write_project(root, files)

    result = api.convert(options=api.Options(root=root, cache=False))
    found: dict[str, list[tuple[str, str]]] = {model: [] for model in models}
    for diagnostic in result.diagnostics:
        model = diagnostic.place.path.split("/")[1]
        line = files[diagnostic.place.path].split("\n")[diagnostic.place.line - 1]
        found[model].append((diagnostic.code.id, line.strip()))
    behaviour = observe(root, models)
    return [Outcome(found[model], behaviour[model]) for model in models]


@pytest.mark.parametrize(
    "number", [pytest.param(n, id=case.title) for n, case in enumerate(CASES)]
)
def test_difference(number: int, outcomes: list[Outcome]) -> None:
    case, outcome = CASES[number], outcomes[number]
    expected = [case.finding] if case.finding[0] else []
    assert outcome.findings == expected
    is_same = outcome.behaviour["modular"] == outcome.behaviour["generated"]
    assert is_same is not bool(expected), outcome.behaviour
