"""Each name of a module with all statements that bind or change it."""

import pytest

from modular.semantics.modules import Effect, ModuleFacts, facts_of_module
from modular.source.module import read


def facts(text: str) -> ModuleFacts:
    return facts_of_module(read("modeling_olmo.py", text))


def effects(text: str, name: str = "X") -> list[tuple[Effect, bool]]:
    found = facts(text).effects.get(name, ())
    return [(item.effect, item.is_conditional) for item in found]


@pytest.mark.parametrize(
    ("text", "effect"),
    [
        ("X = 1\n", Effect.BINDS),
        ("Y = X = 1\n", Effect.BINDS),
        ("Y, (X, Z) = f()\n", Effect.BINDS),
        ("X: int = 1\n", Effect.BINDS),
        ("import X.y\n", Effect.BINDS),
        ("from y import z as X\n", Effect.BINDS),
        ("def X(): pass\n", Effect.BINDS),
        ("@wrap\nclass X: pass\n", Effect.BINDS),
        ("X += 1\n", Effect.BINDS),
        ("X = wrap(X)\n", Effect.BINDS),
        ("del X\n", Effect.DELETES),
        ("X['a'] = 1\n", Effect.CHANGES),
        ("X.extra = 5\n", Effect.CHANGES),
        ("X.a['b'].c = 5\n", Effect.CHANGES),
        ("X.update(y)\n", Effect.MAY_CHANGE),
        ("register(X)\n", Effect.MAY_CHANGE),
    ],
)
def test_each_way_to_bind_or_change_a_name_is_found(text: str, effect: Effect) -> None:
    assert effects(text) == [(effect, False)]


@pytest.mark.parametrize(
    ("text", "effect"),
    [
        ("if FLAG:\n    X = 3\n", Effect.BINDS),
        ("for k in y:\n    X[k] = 1\n", Effect.CHANGES),
        ("try:\n    import X\nexcept ImportError:\n    pass\n", Effect.BINDS),
    ],
)
def test_effects_below_a_condition_may_be_skipped(text: str, effect: Effect) -> None:
    assert effects(text) == [(effect, True)]


@pytest.mark.parametrize(
    "text", ["Y = X\n", "Y = X.get(1)\n", "Y = len(X)\n", "def f(): X = 1\n"]
)
def test_reading_a_name_does_not_change_it(text: str) -> None:
    assert effects(text) == []


def test_a_name_has_all_its_statements_in_order() -> None:
    text = "X = {}\nY = 1\nfor k in y:\n    X[k] = X.get(k)\nX.update(z)\n"
    statements = facts(text).statements_of("X")
    assert [item.line for item in statements] == [1, 3, 5]
    assert [item.statement.line for item in facts(text).bindings_of("X")] == [1]


def test_star_imports_are_listed() -> None:
    assert facts("from .a import *\n").star_imports == ("a",)
