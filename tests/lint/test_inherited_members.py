"""MOD470: members of a base before the parent class that the generated class hides."""

import builtins
import collections
from collections.abc import Iterator

import pytest

from tests.conftest import Flatten
from tests.support import source


MIXIN = """
    class Mixin:
        size = 1

        def __eq__(self, other):
            return True

        def __init__(self):
            super().__init__()

        def __repr__(self):
            return "mixin"

        def extra_repr(self):
            return "mixin"

        def forward(self, x):
            return x
    """


def find_hidden(convert: Flatten, base: str, bases: str) -> Iterator[str]:
    """Yield the members that the generated class has from another class than in Python."""
    parent = f"""
        from collections import OrderedDict

        from torch import nn


        class LlamaA({base}):
            pass
        """
    modular = (
        f"from ..llama.modeling_llama import LlamaA\n\n\n{source(MIXIN)}\n\n"
        f"class MyModelA({bases}):\n    pass\n"
    )
    for finding in convert(modular, parent).diagnostics:
        if finding.code.id == "MOD470":
            yield finding.message.split("`")[3]


@pytest.mark.parametrize(
    ("base", "hidden"),
    [
        ("nn.Module", ["__init__", "__repr__", "extra_repr", "forward"]),
        ("nn.Linear", ["__init__", "__repr__", "extra_repr", "forward"]),
        # It is a tensor, whose members are not known.
        ("nn.Parameter", []),
    ],
)
def test_a_base_of_torch_hides_members_of_a_mixin_before_the_parent(
    flatten: Flatten, base: str, hidden: list[str]
) -> None:
    assert sorted(find_hidden(flatten, base, "Mixin, LlamaA")) == hidden
    assert list(find_hidden(flatten, base, "LlamaA, Mixin")) == []


@pytest.mark.parametrize("base", ["Exception", "OrderedDict", "dict", "object"])
def test_a_base_of_python_hides_what_it_defines_itself(
    flatten: Flatten, base: str
) -> None:
    class Mixin:
        """Its members are the last that Python finds."""

    names = ("__eq__", "__init__", "__repr__", "extra_repr", "forward", "size")
    for name in names:
        setattr(Mixin, name, name)
    namespace = {**vars(builtins), **vars(collections)}
    class_ = type("A", (namespace[base], Mixin), {}) if base != "object" else Mixin
    hidden = [name for name in names if getattr(class_, name) != name]
    assert sorted(find_hidden(flatten, base, "Mixin, LlamaA")) == hidden


def test_the_first_of_the_classes_above_a_mixin_decides(flatten: Flatten) -> None:
    parent = "class LlamaA:\n    size = 1\n"
    modular = """
        from ..llama.modeling_llama import LlamaA


        class Mixin:
            def forward(self, x):
                return x


        class MoreMixin(Mixin):
            def forward(self, x):
                return -x


        class MyModelA(MoreMixin, LlamaA):
            pass
        """
    assert flatten(modular, parent).codes == []


def test_an_annotation_in_a_mixin_is_no_member(flatten: Flatten) -> None:
    parent = "from torch import nn\n\n\nclass LlamaA(nn.Module):\n    pass\n"
    modular = """
        from ..llama.modeling_llama import LlamaA


        class Mixin:
            forward: object


        class MyModelA(Mixin, LlamaA):
            pass
        """
    assert flatten(modular, parent).codes == []


def test_a_first_base_of_python_comes_before_the_parent(flatten: Flatten) -> None:
    parent = 'class LlamaA:\n    def __str__(self):\n        return "llama"\n'
    modular = """
        from ..llama.modeling_llama import LlamaA


        class MyModelA(ValueError, LlamaA):
            pass
        """
    assert flatten(modular, parent).codes == [("MOD470", 4)]
