"""Uses of `super()` that skip the parent class in the generated class."""

import pytest

from tests.conftest import Flatten
from tests.support import source


MODULAR = """
    from ..llama.modeling_llama import LlamaA


    class MyModelA(LlamaA):
        {}
    """
PARENT = """
    from ..base import Root


    class LlamaA(Root):
        {}
    """
PROPERTY = "@property\n        def f(self): {}"


@pytest.mark.parametrize(
    ("base", "parent", "child", "problem"),
    [
        ("def f(self): return 1", "async def f(self): return 1", "async def f(self): return [await super().f()]", "is not `async`"),
        ("async def f(self): return 1", "def f(self): return 1", "def f(self): return [super().f()]", "is `async`"),
        ("def f(self): return [1]", "def f(self): yield 1", "def f(self): return list(super().f())", "is not a generator"),
        ("def f(self): yield 1", "def f(self): return [1]", "def f(self): return list(super().f())", "is a generator"),
        (PROPERTY.format("yield 1"), PROPERTY.format("return [1]"), "def g(self): return list(super().f)", "is a generator"),
        (PROPERTY.format("return len"), PROPERTY.format("return sum"), "def g(self, x): return [super().f(x)]", ""),
        ("def f(self, x): return x", "def f(self): return 1", "def f(self): return [super().f()]", "does not take these arguments"),
        ("def f(self, x): return x", "def f(self): return 1", "def f(self): return [super().f]", ""),
        ("@staticmethod\n        def f(x): return x", "def f(self, x): return 1", "def f(self, x): return [super().f(x)]", ""),
        ("def f(self): return 1", "def f(self, *args): return 1", "def f(self, *args): return [super().f(*args)]", "does not take `*args`"),
        # A change of the method is no method.
        ("def f(self): return 1, 2\n        f.kind = 1", "def f(self): return 1\n        f.kind = 1", "def f(self): return [super().f()]", ""),
        # The kind and the parameters of a method in a block are not known.
        ("async def f(self): return 1", "if 1 < 2:\n            def f(self): return 1", "def g(self): return [super().f()]", ""),
        ("if 1 < 2:\n            def f(self): return 1", "async def f(self): return 1", "async def f(self): return [await super().f()]", ""),
        ("def f(self, **options): return 1", "if 1 < 2:\n            def f(self): return 1", "def g(self, **options): return [super().f(**options)]", ""),
        # Python cannot read the header of the base's method.
        ("def f(self x): return x", "def f(self): return 1", "def f(self): return [super().f()]", ""),
    ],
)  # fmt: skip
def test_a_base_that_cannot_take_the_place_of_the_skipped_parent_is_reported(
    flatten: Flatten, base: str, parent: str, child: str, problem: str
) -> None:
    files = {"models/base.py": f"class Root:\n        {base}\n"}
    modular = source(MODULAR.format(child))
    (message,) = [
        message
        for message in flatten(modular, source(PARENT.format(parent)), files).messages
        if message.startswith("MOD421")
    ]
    _, _, found_problem = message.partition("the `f` of `Root` ")
    assert found_problem == problem


@pytest.mark.parametrize(("name", "is_reported"), [("MyModelA", False), ("Root", True)])
def test_a_replaced_call_is_reported_if_it_names_another_class(
    flatten: Flatten, name: str, is_reported: bool
) -> None:
    modular = source(MODULAR.format(f"def f(self): super({name}, self).f()"))
    modular = f"from ..base import Root\n{modular}"
    parent = source(PARENT.format("def f(self): self.a = 1"))
    files = {"models/base.py": "class Root:\n    def f(self): self.b = 1\n"}
    codes = [code for code, _ in flatten(modular, parent, files).codes]
    assert ("MOD417" in codes) is is_reported


@pytest.mark.parametrize(
    ("value", "described", "method"),
    [("super()", "...", "method"), ("super().width", "width", "width")],
)
def test_super_as_a_value_of_an_attribute_is_described(
    flatten: Flatten, value: str, described: str, method: str
) -> None:
    modular = source(MODULAR.format(f"size = property(lambda self: {value})"))
    parent = "class LlamaA:\n    width = 1\n"
    (finding,) = flatten(modular, parent).diagnostics
    assert f"the generated `super().{described}` skips `LlamaA`" in finding.message
    assert finding.hint == f"write out what the parent's `{method}` does"


@pytest.mark.parametrize(
    ("use", "is_refused"), [("super().__init__(x)", True), ("super().__init__", False)]
)
def test_an_argument_that_object_does_not_take_is_reported_if_it_is_passed(
    flatten: Flatten, use: str, is_refused: bool
) -> None:
    parent = "class LlamaA:\n    def __init__(self, x): self.x = x\n"
    modular = source(MODULAR.format(f"def reset(self, x): return [{use}]"))
    (message,) = flatten(modular, parent).messages
    assert message.startswith("MOD421")
    assert ("`object` does not take these arguments" in message) is is_refused


@pytest.mark.parametrize(
    ("parent_init", "child_init", "is_unset"),
    [
        ("self.a = 1", "super().__init__(); self.b = 2", True),
        ("super().__init__()", "self.b = 2", True),
        ("self.a = 1", "Root.__init__(self); super().__init__()", True),
        ("super().__init__()", "super().__init__(); self.b = 2", False),
    ],
)
def test_a_base_is_reported_if_its_method_reads_what_only_its_init_sets(
    flatten: Flatten, parent_init: str, child_init: str, is_unset: bool
) -> None:
    base = "def __init__(self): self.size = 1\n    def f(self): return self.size"
    parent = f"def __init__(self): {parent_init}\n        def f(self): return 1"
    child = (
        f"def __init__(self): {child_init}\n        def f(self): return [super().f()]"
    )
    files = {"models/base.py": f"class Root:\n    {base}\n"}
    modular = source(MODULAR.format(child))
    messages = flatten(modular, source(PARENT.format(parent)), files).messages
    reason = "reads `size`, which only its own `__init__` sets"
    assert (reason in " ".join(messages)) is is_unset


def test_the_first_use_of_super_as_a_value_is_reported(flatten: Flatten) -> None:
    parent = "class LlamaA:\n    size = 1\n"
    body = "\n            ".join(
        ["first = super()", "second = super()", "return first"]
    )
    modular = source(MODULAR.format(f"def f(self):\n            {body}"))
    assert flatten(modular, parent).codes == [("MOD417", 6)]
