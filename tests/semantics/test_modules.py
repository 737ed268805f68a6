"""Each name of a module with all statements that bind or change it."""

import pytest

from modular.semantics.modules import Effect, bindings_of, effects_on
from modular.source.module import read


def effects(text: str, name: str = "X") -> list[tuple[Effect, bool]]:
    found = effects_on(read("modeling_olmo.py", text), name)
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
    module = read("modeling_olmo.py", text)
    lines = [item.statement.line for item in effects_on(module, "X")]
    assert lines == [1, 3, 5]
    assert [item.statement.line for item in bindings_of(module, "X")] == [1]
