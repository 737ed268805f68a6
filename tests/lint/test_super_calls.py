"""Calls of `super()`: MOD421, MOD422 and MOD423."""

from pathlib import Path

import pytest

from modular.source.diagnostics import Severity
from tests.conftest import Flatten
from tests.reporting import only_hint
from tests.support import source


PARENT = """
    from torch import nn

    from ...layers import Layer


    class LlamaMLP(nn.Module):
        def __init__(self, config):
            super().__init__()
            self.scale = 2

        def forward(self, x):
            return x * self.scale

        def rotate(self, x):
            return -x


    class LlamaLayer(Layer):
        def forward(self, x):
            return x

        def turn(self, x):
            return x

        def train(self, mode=True):
            return mode
    """

LAYERS = """
    from torch import nn


    class Layer(nn.Module):
        def turn(self, x):
            return x
    """


def codes(
    flatten: Flatten, method: str, base: str = "LlamaMLP"
) -> list[tuple[str, int, int, int]]:
    """Give a class that inherits from a base a method, and return what is reported below the first line of it."""
    lines = method.strip("\n").split("\n")
    body = "\n".join(f"    {line}" for line in lines)
    flattened = flatten(
        f"from ..llama.modeling_llama import {base}\n\n\nclass MyModel{base[5:]}({base}):\n{body}\n",
        PARENT,
        {"layers.py": LAYERS},
    )
    return [
        (
            diagnostic.code.id,
            diagnostic.place.line - 4,
            diagnostic.place.column,
            diagnostic.place.width,
        )
        for diagnostic in flattened.diagnostics
    ]


PARENT_OF_CALLS = """
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
    """Give the class a method; return the codes, the lines from its first, and what is marked.

    Infos are left out: many of these calls omit an argument, or lose a value.
    """
    body = "\n".join(f"    {line}" for line in method.split("\n"))
    result = flatten(
        f"from ..llama.modeling_llama import LlamaMLP\n\n\nclass MyModelMLP(LlamaMLP):\n{body}\n",
        PARENT_OF_CALLS,
    )
    places = (
        (diagnostic.code.id, diagnostic.place)
        for diagnostic in result.diagnostics
        if diagnostic.code.severity is not Severity.INFO
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
    ("method", "place"),
    [
        ("def forward(self, x):\n    return super().forward(x) + 1", (2, 16, 15)),
        (
            "def forward(self, x):\n    if x:\n        return super().forward(x)\n    return x",
            (3, 20, 15),
        ),
        (
            "def forward(self, x):\n    y = super().forward(x)\n    return y",
            (2, 13, 15),
        ),
        (
            "def forward(self, x):\n    super().forward(x)\n    return super().forward(x)",
            (3, 16, 15),
        ),
        ("def forward(self, x):\n    return super().rotate(x)", (2, 16, 14)),
        ("def backward(self, x):\n    return super().forward(x)", (2, 16, 15)),
    ],
)
def test_calls_that_nobody_answers(
    flatten: Flatten, method: str, place: tuple[int, int, int]
) -> None:
    assert ("MOD421", *place) in codes(flatten, method)


@pytest.mark.parametrize(
    ("method", "severity"),
    [
        ("return 2 * super().forward(x)", Severity.ERROR),
        ("with x:\n        x = super().forward(x)", Severity.ERROR),
        ("return super().backward(x)", Severity.ERROR),
        ("return super().forward(x) if x else x", Severity.WARNING),
        (
            "if x:\n        return x\n    return 2 * super().forward(x)",
            Severity.WARNING,
        ),
        ("for y in x:\n        super().forward(y)", Severity.WARNING),
        (
            "try:\n        super().forward(x)\n    except E:\n        pass",
            Severity.WARNING,
        ),
        ("def inner():\n        super().forward(x)", Severity.WARNING),
        ("super().forward(x)\n    super().forward(x)", Severity.WARNING),
    ],
)
def test_a_call_that_always_fails_is_an_error(
    flatten: Flatten, method: str, severity: Severity
) -> None:
    flattened = flatten(
        "from ..llama.modeling_llama import LlamaMLP\n\n\n"
        f"class MyModelMLP(LlamaMLP):\n  def forward(self, x):\n    {method}\n",
        PARENT,
    )
    found = [d.severity for d in flattened.diagnostics if d.code.id == "MOD421"]
    assert found == [severity]


def test_a_skipped_initialization_does_not_fail_itself(flatten: Flatten) -> None:
    flattened = flatten(
        "from ..llama.modeling_llama import LlamaMLP\n\n\n"
        "class MyModelMLP(LlamaMLP):\n"
        "    def __init__(self, config):\n        x = super().__init__(config)\n",
        PARENT,
    )
    (finding,) = flattened.diagnostics
    assert (finding.code.id, finding.severity) == ("MOD421", Severity.WARNING)


PACKAGE = """
    from typing import TYPE_CHECKING

    if TYPE_CHECKING:
        try:
            import torch
        except ImportError:
            pass
        else:
            from .base import Layer
    """


@pytest.mark.parametrize(
    ("package", "severity"),
    [
        pytest.param(PACKAGE, Severity.ERROR, id="one origin"),
        pytest.param(
            PACKAGE.replace("pass", "from .other import Layer"),
            Severity.INFO,
            id="two origins",
        ),
    ],
)
def test_bases_that_a_package_loads_later_are_read(
    flatten: Flatten, package: str, severity: Severity
) -> None:
    flattened = flatten(
        "from ..llama.modeling_llama import LlamaLayer\n\n\n"
        "class MyModelLayer(LlamaLayer):\n"
        "    def forward(self, x):\n        return 1 + super().forward(x)\n",
        PARENT,
        {"layers/__init__.py": package, "layers/base.py": LAYERS},
    )
    (finding,) = flattened.diagnostics
    assert (finding.code.id, finding.severity) == ("MOD421", severity)


@pytest.mark.parametrize(
    "method",
    [
        "def forward(self, x):\n    return super().forward(x)",
        "def forward(self, x):\n    x = super().train(x)\n    return x",
        "def again(self, x):\n    super().train()",
        "def forward(self, x):\n    return self.rotate(x)",
        "def forward(self, x):\n    x = 'super().rotate(x)'  # super().rotate(x)\n    return x",
    ],
)
def test_calls_that_are_answered_or_not_the_parents(
    flatten: Flatten, method: str
) -> None:
    assert codes(flatten, method) == []


def messages(flatten: Flatten, base: str, method: str, layers: str = "") -> list[str]:
    """Give a class that inherits from a base a method; return the messages."""
    lines = f"class MyModel{base[5:]}({base}):\n    {method}\n"
    flattened = flatten(
        f"from ..llama.modeling_llama import {base}\n\n\n{lines}",
        PARENT,
        {"layers.py": layers or LAYERS},
    )
    return [diagnostic.message for diagnostic in flattened.diagnostics]


CALLS_BASE = "calls a base and skips `LlamaLayer."

NO_BASE_HAS_IT = "finds no `forward`: no base implements it"


@pytest.mark.parametrize(
    ("method", "effect"), [("turn", CALLS_BASE), ("forward", NO_BASE_HAS_IT)]
)
def test_bases_in_other_files_are_read(
    flatten: Flatten, method: str, effect: str
) -> None:
    """`Layer` has `turn` itself, and no `forward`."""
    code = f"def {method}(self, x):\n        return 1 + super().{method}(x)"
    (message,) = messages(flatten, "LlamaLayer", code)
    assert f"this `super().{method}(...)` {effect}" in message


def test_methods_of_known_modules_are_those_of_a_base(flatten: Flatten) -> None:
    """`Layer` has `train` from `nn.Module`."""
    code = "def train(self, mode=True):\n        return 1 + super().train(mode)"
    (message,) = messages(flatten, "LlamaLayer", code)
    assert CALLS_BASE in message


CALLS_FORWARD = """
    from ..llama.modeling_llama import LlamaLayer


    class MyModelLayer(LlamaLayer):
        def forward(self, x):
            return 1 + super().forward(x)
    """


@pytest.mark.parametrize(
    ("base", "severity"),
    [
        ("from ...nowhere import Layer", Severity.WARNING),
        ("from elsewhere import Layer", Severity.INFO),
        ("from torch.nn import Embedding as Layer", Severity.INFO),
        (
            "from torch import nn\nfrom ...nowhere import Mixin\n\n\n"
            "class Layer(nn.Module, Mixin):\n    size = 1",
            Severity.ERROR,
        ),
        (
            "from torch import nn\nfrom elsewhere import Mixin\n\n\n"
            "class Layer(Mixin, nn.Module):\n    size = 1",
            Severity.INFO,
        ),
        (
            "from torch import nn\n\n\n"
            "class Mixin:\n    def forward(self, x):\n        return x\n\n\n"
            "class Layer(nn.Module, Mixin):\n    size = 1",
            Severity.ERROR,
        ),
    ],
    ids=[
        "a missing file",
        "another package",
        "a module of torch",
        "a missing file behind nn.Module",
        "another package before nn.Module",
        "a mixin behind nn.Module",
    ],
)
def test_a_forward_that_some_base_may_have(
    flatten: Flatten, base: str, severity: Severity
) -> None:
    parent = f"{base}\n\n\nclass LlamaLayer(Layer):\n    def forward(self, x):\n        return x\n"
    (finding,) = flatten(CALLS_FORWARD, parent).diagnostics
    assert (finding.code.id, finding.severity) == ("MOD421", severity)


@pytest.mark.parametrize(
    "method",
    [
        "def go(self, x):\n        return super().turn(x)",
        "def turn(self, x):\n        y = super().turn(x)\n        return y",
    ],
)
def test_a_mixin_of_the_modular_class_is_reached_instead_of_the_parent(
    flatten: Flatten, method: str
) -> None:
    (finding,) = flatten(
        "from ...layers import Layer\nfrom ..llama.modeling_llama import LlamaLayer\n\n\n"
        f"class MyModelLayer(LlamaLayer, Layer):\n    {method}\n",
        "class LlamaLayer:\n    def turn(self, x):\n        return x\n",
        {"layers.py": "class Layer:\n    def turn(self, x):\n        return -x\n"},
    ).diagnostics
    assert (finding.code.id, finding.severity) == ("MOD421", Severity.WARNING)
    assert "calls that of `Layer` and skips `LlamaLayer.turn`" in finding.message
    assert finding.hint.endswith(
        "to call the base class instead, write `Layer.turn(self, ...)`"
    )


def test_a_call_of_no_method_is_found_with_inheritance_of_python(
    flatten_like_python: Flatten,
) -> None:
    (finding,) = flatten_like_python(
        "from ..llama.modeling_llama import LlamaMLP\n\n\nclass MyModelMLP(LlamaMLP):\n"
        "    def forward(self, x):\n        super().trian()\n        return x + super().forward(x)\n",
        PARENT,
    ).diagnostics
    assert (finding.code.id, finding.severity) == ("MOD421", Severity.ERROR)
    assert finding.hint == "did you mean `train`?"


@pytest.mark.parametrize(
    ("body", "severity"),
    [
        ("raise NotImplementedError", Severity.ERROR),
        ('"""Overridden."""\n        raise NotImplementedError(x)', Severity.ERROR),
        (
            "if x:\n            raise NotImplementedError\n        return 1",
            Severity.INFO,
        ),
        ("return 1", Severity.INFO),
    ],
)
def test_a_method_of_a_base_that_only_raises_is_none(
    flatten: Flatten, body: str, severity: Severity
) -> None:
    (finding,) = flatten(
        "from ..llama.modeling_llama import LlamaLayer\n\n\n"
        "class MyModelLayer(LlamaLayer):\n    def turn(self, x):\n"
        "        return 2 * super().turn(x)\n",
        "from ...layers import Layer\n\n\nclass LlamaLayer(Layer):\n"
        "    def turn(self, x):\n        return x\n",
        {"layers.py": f"class Layer:\n    def turn(self, x):\n        {body}\n"},
    ).diagnostics
    assert (finding.code.id, finding.severity) == ("MOD421", severity)


@pytest.mark.parametrize(
    ("method", "is_reported"),
    [
        # `object` has `__eq__`. Only the class of `object` has `__call__` and `mro`.
        ("__eq__", False),
        ("__call__", True),
        ("mro", True),
    ],
)
def test_object_has_few_methods(
    flatten: Flatten, method: str, is_reported: bool
) -> None:
    diagnostics = flatten(
        "from ..llama.modeling_llama import LlamaLayer\n\n\n"
        f"class MyModelLayer(LlamaLayer):\n    def {method}(self, x):\n"
        f"        return [super().{method}(x)]\n",
        f"class LlamaLayer:\n    def {method}(self, x):\n        return x\n",
    ).diagnostics
    levels = [finding.severity for finding in diagnostics]
    assert (Severity.ERROR in levels) == is_reported


COPIED_CLASS = """
    from torch import nn

    from ..llama.modeling_llama import LlamaMLP


    class MyModelMLP(LlamaMLP):
        pass


    class Head({bases}):
        def start(self):
            {call}
    """


@pytest.mark.parametrize("run", ["flatten", "flatten_like_python"])
@pytest.mark.parametrize(
    ("call", "severity"),
    [
        ("super().trian()", Severity.ERROR),
        ("return [super(Head, self).trian()]", Severity.ERROR),
        ("self.x and super().trian()", Severity.WARNING),
    ],
)
def test_a_class_without_parent_class_calls_a_method_that_no_base_has(
    request: pytest.FixtureRequest, run: str, call: str, severity: Severity
) -> None:
    modular = COPIED_CLASS.format(bases="nn.Module", call=call)
    (finding,) = request.getfixturevalue(run)(modular, PARENT).diagnostics
    assert (finding.code.id, finding.severity) == ("MOD421", severity)
    assert finding.message == "no base of `Head` has a method `trian`"
    assert finding.hint == "did you mean `train`?"
    assert finding.fixes[0].edits[0].text == "super().train"


@pytest.mark.parametrize(
    ("bases", "call", "below"),
    [
        ("nn.Module", "super().train()", ""),
        ("nn.Module", "super(nn.Module, self).trian()", ""),
        ("Unknown", "super().trian()", ""),
        ("object", "super().trian()", "class Both(Head, nn.Module):\n    pass\n"),
    ],
)
def test_a_class_without_parent_class_may_call_what_a_base_may_have(
    flatten: Flatten, bases: str, call: str, below: str
) -> None:
    modular = source(COPIED_CLASS.format(bases=bases, call=call))
    imported = "from elsewhere import Unknown\n"
    found = flatten(f"{imported}{modular}\n\n{below}", PARENT).diagnostics
    assert "MOD421" not in [finding.code.id for finding in found]


def test_a_base_that_defines_methods_in_a_block_may_have_it(flatten: Flatten) -> None:
    """The block is not run, so it is not certain that the base has no `forward`."""
    layers = """
        class Layer:
            if True:
                def forward(self, x):
                    return x
        """
    code = "def forward(self, x):\n        return 1 + super().forward(x)"
    (message,) = messages(flatten, "LlamaLayer", code, layers)
    assert CALLS_BASE in message


def test_a_method_that_only_a_base_has_is_called_as_in_python(flatten: Flatten) -> None:
    code = "def start(self, x):\n        return 1 + super().train(x)"
    assert messages(flatten, "LlamaMLP", code) == []


def test_explicit_call_of_the_parent(tmp_path: Path) -> None:
    hint_ = only_hint(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaMLP

        class OlmoMLP(LlamaMLP):
            def __init__(self, config):
                LlamaMLP.__init__(self, config)
                self.scale = 2
        """,
    )
    assert hint_ == "write `super().__init__(config)`"


def test_call_of_another_method_of_the_parent(tmp_path: Path) -> None:
    hint_ = only_hint(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaMLP

        class OlmoMLP(LlamaMLP):
            def run(self, x):
                return LlamaMLP.forward(self, x)
        """,
    )
    assert hint_ == "write `self.forward(x)`"


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
    ("method", "exchanged"),
    [
        ("def scale(self, x, y, by):\n    return super().scale(y, x, by)", ["y", "x"]),
        ("def scale(self, y, x, by):\n    return super().scale(y, x, by)", ["y", "x"]),
        (
            "def scale(self, x, by, y=1.0):\n    return super().scale(x, by, y)",
            ["by", "y"],
        ),
        ("def scale(self, x, y, by):\n    return super().scale(y, y=y, by=by)", ["y"]),
    ],
)
def test_parameters_that_are_passed_in_each_others_place(
    flatten: Flatten, method: str, exchanged: list[str]
) -> None:
    assert found(flatten, method) == [("MOD422", 2, name) for name in exchanged]


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


def test_a_statement_below_a_returned_call_is_not_moved(flatten: Flatten) -> None:
    """In Python it does not run either, so the author decides."""
    result = flatten(
        "from ..llama.modeling_llama import LlamaMLP\n\n\nclass MyModelMLP(LlamaMLP):\n"
        "    def forward(self, x, y=None, *rest):\n        return super().forward(x, y, *rest)\n        print(x)\n",
        PARENT_OF_CALLS,
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
    codes = [code for code, _, _ in found(flatten, method)]
    assert "MOD423" not in codes


@pytest.mark.parametrize(
    ("argument", "below", "hint", "fixes"),
    [
        (
            "7",
            "self.last = x",
            "copy the code of the parent's `prune`, which reads `x`, and change it",
            [],
        ),
        ("7", "pass", "write `x = 7` above the call", ["Write `x = 7`"]),
        ("value", "pass", "did you mean `values`?", ["Write `values`"]),
    ],
)
def test_advice_about_a_dropped_argument(
    flatten: Flatten, argument: str, below: str, hint: str, fixes: list[str]
) -> None:
    parent = """
        class LlamaMLP:
            def prune(self, x, values):
                self.pruned = x
        """
    modular = f"""
        from ..llama.modeling_llama import LlamaMLP


        class MyModelMLP(LlamaMLP):
            def prune(self, x, values):
                super().prune({argument}, values)
                {below}
        """
    diagnostics = flatten(modular, parent).diagnostics
    [dropped] = [item for item in diagnostics if item.code.id == "MOD422"]
    assert (dropped.hint, [fix.title for fix in dropped.fixes]) == (hint, fixes)


def test_the_advice_about_a_property_names_no_call(flatten: Flatten) -> None:
    (finding,) = flatten(
        "from ..llama.modeling_llama import LlamaMLP\n\n\nclass MyModelMLP(LlamaMLP):\n"
        "    @property\n    def width(self):\n        return super().width + 1\n",
        "class LlamaMLP:\n    @property\n    def width(self):\n        return 1\n",
    ).diagnostics
    assert (finding.code.id, finding.severity) == ("MOD421", Severity.ERROR)
    assert finding.hint == "write out what the parent's `width` returns"


@pytest.mark.parametrize(
    ("assignment", "is_reported"),
    [("self.size = 2", True), ("self.width = 2", False)],
)
def test_a_skipped_init_that_sets_attributes_in_a_block_is_reported(
    flatten: Flatten, assignment: str, is_reported: bool
) -> None:
    parent = f"""
        class LlamaBlock:
            def __init__(self, wide=True):
                if wide:
                    {assignment}
        """
    modular = """
        from ..llama.modeling_llama import LlamaBlock


        class MyModelBlock(LlamaBlock):
            def __init__(self):
                if True:
                    super().__init__()
                self.width = 1
        """
    found = flatten(modular, parent).diagnostics
    assert [finding.code.id for finding in found] == ["MOD421"] * is_reported


@pytest.mark.parametrize("base", ["abc.ABC", "object"])
def test_a_base_without_methods_passes_a_call_on_to_object(
    flatten: Flatten, base: str
) -> None:
    parent = f"""
        import abc


        class LlamaLayer({base}):
            def __init__(self, x):
                self.x = x
        """
    modular = """
        from ..llama.modeling_llama import LlamaLayer


        class MyModelLayer(LlamaLayer):
            def __init__(self, x):
                y = [super().__init__(x)]
        """
    (finding,) = flatten(modular, parent).diagnostics
    assert finding.code.id == "MOD421"
    assert "the `__init__` of `object` does not take these" in finding.message


@pytest.mark.parametrize(
    ("member", "hint"),
    [
        ("super().size", "write out what the parent's `size` does"),
        ("super()", "write out what the parent's `method` does"),
    ],
)
def test_the_advice_about_super_outside_methods_names_the_member(
    flatten: Flatten, member: str, hint: str
) -> None:
    parent = "class LlamaLayer:\n    size = 1\n"
    modular = f"""
        from ..llama.modeling_llama import LlamaLayer


        class MyModelLayer(LlamaLayer):
            read = property(lambda self: {member})
        """
    hints = [diagnostic.hint for diagnostic in flatten(modular, parent).diagnostics]
    assert hint in hints


@pytest.mark.parametrize(
    ("of_base", "of_parent", "of_child", "reason"),
    [
        ("def f(self): return 1", "def f(self): yield 1", "yield from super().f()", "is not a generator"),
        ("async def f(self): return 1", "def f(self): return 2", "return super().f() + 1", "is `async`"),
        ("f = 1", "def f(self): return 2", "return super().f() + 1", "is no method"),
        ("def f(self): return 1", "f = property(len)", "return super().f + 1", "is a method"),
        ("def f(self): return 1", "def f(self): return 2, 3", "a, b = super().f()", "does not always return 2 values"),
        ("def f(self): return 4, 5", "def f(self): return 2, 3", "a, b = super().f()", None),
        ("def f(self): return 1", "def f(self): return 2", "return super().f() + 1", None),
    ],
)  # fmt: skip
def test_a_base_whose_method_is_used_otherwise_is_named(
    flatten: Flatten, of_base: str, of_parent: str, of_child: str, reason: str | None
) -> None:
    parent = f"""
        class LlamaBase:
            {of_base}


        class LlamaLayer(LlamaBase):
            {of_parent}
        """
    modular = f"""
        from ..llama.modeling_llama import LlamaLayer


        class OlmoLayer(LlamaLayer):
            def f(self):
                {of_child}
        """
    messages = []
    for diagnostic in flatten(modular, parent, formatter="none").diagnostics:
        is_shown = diagnostic.severity is not Severity.INFO
        if is_shown and diagnostic.code.id == "MOD421":
            messages.append(diagnostic.message)
    if reason is None:
        assert messages == []
    else:
        (message,) = messages
        assert message.endswith(f"the `f` of `LlamaBase` {reason}")
