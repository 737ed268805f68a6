"""MOD422 and MOD423: arguments of an unravelled call that are lost, and statements behind a `return`."""

import pytest

from tests.conftest import Flatten


PARENT = """
    from torch import nn


    class LlamaMLP(nn.Module):
        def __init__(self, config, eps=1e-6, unused=None, **kwargs):
            super().__init__(**kwargs)
            self.size = config.size
            self.eps = eps

        def forward(self, x, y=None, *rest):
            x = x + self.size
            return x, y, rest

        @staticmethod
        def rotate(x, angle):
            return x * angle

        def add(self, x):
            self.size = x

        def refuse(self, x):
            raise ValueError(x)

        def scale(self, x: int | None, y: "float" = 1.0, by=lambda x, z: x * z):
            return by(x, y)
    """


def found(flatten: Flatten, method: str) -> list[tuple[str, int, str]]:
    """Give the class a method; return the codes, the lines from its first, and what is marked."""
    body = "\n".join(f"    {line}" for line in method.split("\n"))
    result = flatten(
        f"from ..llama.modeling_llama import LlamaMLP\n\n\nclass MyModelMLP(LlamaMLP):\n{body}\n",
        PARENT,
    )
    places = (
        (diagnostic.code.id, diagnostic.place) for diagnostic in result.diagnostics
    )
    return [
        (
            code,
            place.line - 4,
            place.text[place.column - 1 : place.column - 1 + place.width],
        )
        for code, place in places
    ]


@pytest.mark.parametrize(
    ("method", "line", "marked"),
    [
        (
            "def forward(self, x, y=None, *rest):\n    return super().forward(x * 10)",
            2,
            "x * 10",
        ),
        (
            "def forward(self, x, y=None, *rest):\n    return super().forward(x, y=x)",
            2,
            "x",
        ),
        (
            "def forward(self, x, y=None, *rest):\n    return super().forward(x, y, 3)",
            2,
            "3",
        ),
        (
            "def __init__(self, config, eps=1, **kwargs):\n    super().__init__(config, eps=1e-5, **kwargs)",
            2,
            "1e-5",
        ),
        (
            "def __init__(self, config, eps=1, **kwargs):\n    super().__init__(config.text, **kwargs)",
            2,
            "config.text",
        ),
        (
            "def __init__(self, config, eps=1, **kwargs):\n    super().__init__(config, eps, bias=True)",
            2,
            "True",
        ),
        (
            "@staticmethod\ndef rotate(x, angle):\n    return super().rotate(x, angle + 1)",
            3,
            "angle + 1",
        ),
        ("def scale(self, x, y, by):\n    return super().scale(x, y + 1)", 2, "y + 1"),
        ("def scale(self, x, y, by, z):\n    return super().scale(x, y, z)", 2, "z"),
    ],
)
def test_arguments_that_are_lost(
    flatten: Flatten, method: str, line: int, marked: str
) -> None:
    assert found(flatten, method) == [("MOD422", line, marked)]


@pytest.mark.parametrize(
    "method",
    [
        "def forward(self, x, y=None, *rest):\n    return super().forward(x, y, *rest)",
        "def forward(self, x, y=None, *rest):\n    return super().forward(x=x, y=y)",
        "def forward(self, x, y=None, *rest):\n    x = x * 10\n    return super().forward(x)",
        "def forward(self, y=None, *rest, **super_kwargs):\n    return super().forward(**super_kwargs)",
        "def __init__(self, config, eps=1, **kwargs):\n    super().__init__(config, eps, 3, **kwargs)",
        "def __init__(self, config, eps=1, **kwargs):\n    super().__init__(self, config)",
        "@staticmethod\ndef rotate(x, angle):\n    return super().rotate(x, angle)",
        "def scale(self, x, y, by):\n    return super().scale(x, y, by)",
        "def scale(self, y, x, by):\n    return super().scale(y, x, by)",
        "def scale(self, x, by, y=1.0):\n    return super().scale(x, by, y)",
        "def forward(self, x, y=None, *rest):\n    return super().forward(y)",
    ],
)
def test_arguments_that_are_passed_on_or_not_used(
    flatten: Flatten, method: str
) -> None:
    assert found(flatten, method) == []


def test_what_stands_behind_a_return(flatten: Flatten) -> None:
    method = "def forward(self, x, y=None, *rest):\n    super().forward(x)\n    # Later.\n    print(x)\n    self.done = True"
    assert found(flatten, method) == [("MOD423", 4, "print(x)")]


def test_what_stands_behind_a_raise(flatten: Flatten) -> None:
    method = "def refuse(self, x):\n    super().refuse(x)\n    print(x)"
    assert found(flatten, method) == [("MOD423", 3, "print(x)")]


@pytest.mark.parametrize("end", ["raise ValueError(x)", "return x"])
def test_an_end_behind_the_call_is_not_moved_above_it(
    flatten: Flatten, end: str
) -> None:
    """Moved, it would keep the parent's body from being reached."""
    result = flatten(
        "from ..llama.modeling_llama import LlamaMLP\n\n\nclass MyModelMLP(LlamaMLP):\n"
        f"    def forward(self, x, y=None, *rest):\n        super().forward(x)\n        {end}\n",
        PARENT,
    )
    (diagnostic,) = result.diagnostics
    assert (diagnostic.code.id, diagnostic.fixes) == ("MOD423", ())


@pytest.mark.parametrize(
    "method",
    [
        "def forward(self, x, y=None, *rest):\n    super().forward(x)\n    x = x - self.size",
        "def forward(self, x, y=None, *rest):\n    print(x)\n    return super().forward(x)",
        "def add(self, x):\n    super().add(x)\n    print(x)",
    ],
)
def test_what_is_reached(flatten: Flatten, method: str) -> None:
    assert found(flatten, method) == []
