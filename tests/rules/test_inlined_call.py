"""Tests of the rule `inlined-call`."""

import pytest

from tests.conftest import Flatten
from tests.support import source


MODULAR = """
    from ..llama.modeling_llama import LlamaModel


    class MyModel(LlamaModel):
        def forward({parameters}):
    {body}
    """
PARENT = """
    class LlamaModel:
        def forward({parameters}):
    {body}
    """


def convert_forward(
    flatten: Flatten,
    parent: tuple[str, ...],
    child: tuple[str, ...],
    parent_parameters: str = "self, x",
    parameters: str = "self, x",
    formatter: str = "ruff",
) -> str:
    """Convert a class with a method `forward`, given by the lines of both bodies."""
    texts = []
    for template, head, lines in (
        (PARENT, parent_parameters, parent),
        (MODULAR, parameters, child),
    ):
        body = "\n".join(f"        {line}" for line in lines)
        texts.append(source(template).format(parameters=head, body=body))
    parent_text, modular_text = texts
    return flatten(modular_text, parent_text, formatter=formatter).only


@pytest.mark.parametrize(
    ("parent", "child", "merged"),
    [
        (
            ("self.n = x",),
            ("super().forward(x)", "return self.n"),
            ("self.n = x", "return self.n"),
        ),
        (
            ("if x:", "    return 1", "return 2"),
            ("y = 3", "return super().forward(x)"),
            ("y = 3", "if x:", "    return 1", "return 2"),
        ),
        (
            ("h = x + 1", "return h * 2"),
            ("y = super().forward(x)", "return y"),
            ("h = x + 1", "y = h * 2", "return y"),
        ),
        (
            ("h = x + 1", "return h"),
            ("y = super().forward(x)", "return y"),
            ("h = x + 1", "y = h", "return y"),
        ),
        (
            ("x = x + 1", "return x"),
            ("x = super().forward(x)", "return -x"),
            ("x = x + 1", "return -x"),
        ),
        (
            ("return (", "    x + 1", ")"),
            ("x = super().forward(x=x)", "return -x"),
            ("x = x + 1", "return -x"),
        ),
        (
            ("self.n = x", "return self"),
            ("super(MyModel, self).forward(x)", "self.m = x"),
            None,
        ),
        (
            ("self.n = x", "return x"),
            ("super(MyModel, self).forward(x)", "self.m = x"),
            ("self.n = x", "self.m = x"),
        ),
        (
            ("self.n += 1",),
            ("super().forward(x)", "self.n += 1"),
            ("self.n += 1", "self.n += 1"),
        ),
        (("pass",), ("super().forward(x)",), ("pass",)),
        # The variable of a comprehension is another one than `y`.
        (
            ("self.n = [y for y in x]",),
            ("y = 1", "super().forward(x)", "return y"),
            ("y = 1", "self.n = [y for y in x]", "return y"),
        ),
        # The function below reads the changed `x`, as in Python.
        (
            ("x = x + 1", "return x"),
            ("self.n = x", "x = super().forward(x)", "return lambda: x"),
            ("self.n = x", "x = x + 1", "return lambda: x"),
        ),
        (
            ("x = x + 1", "self.n = x"),
            ("f = lambda y: y", "super().forward(x)", "return f"),
            ("f = lambda y: y", "x = x + 1", "self.n = x", "return f"),
        ),
        # Nothing changes the `x` that the function reads later.
        (
            ("f = lambda: x", "return f()"),
            ("y = super().forward(x)", "return y"),
            ("f = lambda: x", "y = f()", "return y"),
        ),
    ],
)
def test_the_body_replaces_a_call_that_it_equals(
    flatten_like_python, parent, child, merged
):
    text = convert_forward(flatten_like_python, parent, child)
    if merged is None:
        assert "_llama_model_forward" not in text
    else:
        lines = [f"        {line}" for line in merged]
        head = ["class MyModel:", "    def forward(self, x):"]
        assert text.splitlines() == [*head, *lines]


@pytest.mark.parametrize(
    ("parent", "child"),
    [
        # The call is not a statement of the body.
        (("return x",), ("return [super().forward(x)]",)),
        (("return x",), ("if x:", "    super().forward(x)")),
        (("return x",), ("super().forward(x)", "return super().forward(x)")),
        (("return x",), ("return super().forward(x)", "print(1)")),
        (("return x",), ("f = super().forward", "return super().forward(x)")),
        (("return x",), ("y = len(super().forward(x))", "return y")),
        # Attributes of other objects, and a class with bases of its own.
        (("return x",), ("return [self.m.n, super().forward(x)]",)),
        (("return x",), ("return [x.forward.__name__, super().forward(x)]",)),
        # The parent returns nothing.
        (("self.n = x", "return"), ("y = super().forward(x)", "return y")),
        # The instance has another name.
        (("self = x",), ("super().forward(x)", "return self")),
        # Arguments.
        (("return x",), ("return super().forward(x + 1)",)),
        (("return x",), ("y = 1", "return super().forward(y)")),
        (("return x",), ("return super().forward(x, x=x)",)),
        # The parent's method returns early, or nothing.
        (("if x:", "    return 1", "self.n = x"), ("super().forward(x)", "self.m = 1")),
        (("if x:", "    return 1", "return 2"), ("y = super().forward(x)",)),
        (("self.n = x",), ("y = super().forward(x)",)),
        (("return self.grow()",), ("super().forward(x)",)),
        # Variables.
        (("h = 1", "self.n = h"), ("h = 2", "super().forward(x)", "return h")),
        (("x = 1", "self.n = x"), ("super().forward(x)", "return x")),
        (("self.n = len",), ("len = 2", "super().forward(x)")),
        (
            ("x += 1", "self.n = x"),
            ("f = lambda: x", "super().forward(x)", "return f()"),
        ),
        (("self.f = lambda: x",), ("super().forward(x)", "x = 2")),
        (("return locals()",), ("return super().forward(x)",)),
        (("yield x",), ("return super().forward(x)",)),
        (("global n", "n = x"), ("super().forward(x)",)),
    ],
)
def test_another_call_is_kept(flatten_like_python, parent, child):
    text = convert_forward(flatten_like_python, parent, child)
    assert "    def _llama_model_forward(self, x):\n" in text
    assert "self._llama_model_forward(" in text
    assert "super()" not in text


@pytest.mark.parametrize(
    ("parent", "child", "call", "is_inlined"),
    [
        ("self, x, n=1", "self, x, n=1", "x, n", True),
        ("self, x, n=1", "self, x, n=2", "x, n=n", True),
        ("self, x, n=1", "self, x", "x", False),
        ("self, x, n=1", "self, x, n=1", "x, n=2", False),
        ("self, x, /, n", "self, x, n", "x, n=n", True),
        ("self, *x", "self, *x", "*x", True),
        ("self, x, **kwargs", "self, x, **kwargs", "x, **kwargs", True),
        ("self, x, **kwargs", "self, x, **kwargs", "x", False),
        ("self, x, **kwargs", "self, x, n=1, **kwargs", "x, n=n, **kwargs", False),
        ("self, x, n", "self, x, **kwargs", "x, **kwargs", False),
        ("self, *, x", "self, x, y=1", "x=x", True),
        ("this, x", "self, x", "x", False),
        # These do not replace `**super_kwargs` by parameters of the parent.
        ("self, x, n=1", "self, x, **super_kwargs", "*x, **super_kwargs", False),
        ("self, x, n=1", "self, x", "x, **super_kwargs", False),
        ("self, x, n=1", "self, x, n=2, **super_kwargs", "x, **super_kwargs", False),
    ],
)
def test_each_parameter_is_passed_under_its_own_name(
    flatten_like_python, parent, child, call, is_inlined
):
    text = convert_forward(
        flatten_like_python,
        ("return 1",),
        (f"return super().forward({call})",),
        parent,
        child,
    )
    assert ("_llama_model_forward" not in text) == is_inlined


@pytest.mark.parametrize(
    ("parent", "above", "below", "is_inlined"),
    [
        ("self.n = kwargs['n']", "self.m = kwargs.get('m')", "self.l = kwargs['l']", True),
        ("self.n = kwargs.pop('n')", "n = kwargs['n']", "", True),
        ("self.n = kwargs['n']", "self.kwargs = kwargs", "", True),
        ("self.n = kwargs.pop('n')", "self.kwargs = kwargs", "", False),
        ("self.n = kwargs.pop('n')", "", "self.m = kwargs['n']", False),
        ("self.n = 'n' in kwargs", "", "self.m = kwargs.pop('n')", False),
        ("self.kwargs = kwargs", "", "kwargs['n'] = 1", False),
        ("kwargs['p'] = 1", "mine = kwargs", "return mine", False),
        ("self.n = kwargs['n']", "self.kwargs = kwargs", "self.m = kwargs['n']", False),
    ],
)  # fmt: skip
def test_both_bodies_have_kwargs_of_their_own(
    flatten_like_python, parent, above, below, is_inlined
):
    child = [line for line in (above, "super().forward(**kwargs)", below) if line]
    text = convert_forward(
        flatten_like_python,
        (parent,),
        tuple(child),
        "self, **kwargs",
        "self, **kwargs",
    )
    assert ("_llama_model_forward" not in text) is is_inlined


@pytest.mark.parametrize(
    ("above", "is_inlined"), [("self.m = args", True), ("args = [*args]", False)]
)
def test_the_parent_gets_a_tuple_of_its_own(flatten_like_python, above, is_inlined):
    text = convert_forward(
        flatten_like_python,
        ("self.n = args",),
        (above, "super().forward(*args)"),
        "self, *args",
        "self, *args",
    )
    assert ("_llama_model_forward" not in text) is is_inlined


@pytest.mark.parametrize(
    ("above", "is_kept"),
    [
        (("self.m = 1",), True),
        (("if self.m:", "    x = 2"), True),
        (("x = 2",), False),
    ],
)
def test_a_variable_of_the_module_does_not_become_a_local_one(
    flatten_like_python, above, is_kept
):
    text = convert_forward(
        flatten_like_python,
        ("x = x + 1", "self.n = x"),
        (*above, "super().forward(x)"),
        parameters="self",
    )
    assert ("_llama_model_forward(x)" in text) is is_kept


@pytest.mark.parametrize(
    ("returned", "assigned"),
    [("return(x + 1)", "y = (x + 1)"), ("return x + 1", "y = x + 1")],
)
def test_a_returned_value_is_assigned_with_one_blank(
    flatten_like_python, returned, assigned
):
    text = convert_forward(
        flatten_like_python,
        (returned,),
        ("y = super().forward(x)", "return y"),
        formatter="none",
    )
    assert f"    {assigned}\n" in text


def test_super_kwargs_stand_for_the_other_parameters(flatten_like_python):
    text = convert_forward(
        flatten_like_python,
        ("return x + n",),
        ("self.m = m", "return super().forward(x, **super_kwargs)"),
        "self, x, n=1",
        "self, x, m=2, **super_kwargs",
    )
    header, _, body = text.partition("):\n")
    assert "".join(header.split()).endswith("(self,x,n=1,m=2,")
    assert body == "        self.m = m\n        return x + n\n"


def test_super_kwargs_are_replaced_in_an_override_at_the_end(flatten_like_python):
    text = convert_forward(
        flatten_like_python,
        ("self.m = m\n\n    run = forward",),
        ("super().forward(x, **super_kwargs)",),
        "self, x, m=2",
        "self, x, **super_kwargs",
    )
    assert text.endswith("    def forward(self, x, m=2):\n        self.m = m\n")


def test_super_kwargs_stay_where_the_method_is_kept(flatten_like_python):
    text = convert_forward(
        flatten_like_python,
        ("return x + n",),
        ("return -super().forward(x, **super_kwargs)",),
        "self, x, n=1",
        "self, x, **super_kwargs",
    )
    assert "    def forward(self, x, **super_kwargs):\n" in text
    assert "return -self._llama_model_forward(x, **super_kwargs)\n" in text


def test_a_decorated_method_is_kept_with_its_decorators(flatten_like_python):
    parent = """
        import torch


        class LlamaModel:
            @torch.no_grad()
            def forward(self, x):
                return x

            @classmethod
            def build(cls, x):
                return cls(x)
        """
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModel(LlamaModel):
            def forward(self, x):
                return super().forward(x)

            @classmethod
            def build(cls, x):
                x = x + 1
                return super().build(x)
        """
    assert flatten_like_python(modular, parent).only == source("""
        import torch


        class MyModel:
            @torch.no_grad()
            def _llama_model_forward(self, x):
                return x

            def forward(self, x):
                return self._llama_model_forward(x)

            @classmethod
            def build(cls, x):
                x = x + 1
                return cls(x)
        """)


def test_super_kwargs_of_an_override_without_the_parents_body_stay(
    flatten_like_python,
):
    text = convert_forward(
        flatten_like_python,
        ("return x",),
        ("return dict(**super_kwargs)",),
        parameters="self, **super_kwargs",
    )
    assert "    def forward(self, **super_kwargs):\n" in text


def test_super_kwargs_that_are_used_otherwise_stay(flatten_like_python):
    text = convert_forward(
        flatten_like_python,
        ("return x",),
        ("self.m = super_kwargs", "return super().forward(x, **super_kwargs)"),
        "self, x, n=1",
        "self, x, **super_kwargs",
    )
    assert "    def forward(self, x, **super_kwargs):\n" in text


def test_super_of_a_nested_class_is_not_that_of_the_method(flatten_like_python):
    text = convert_forward(
        flatten_like_python,
        ("return x",),
        (
            "class Inner:",
            "    def go(self):",
            "        return super().__str__()",
            "return [super().forward(x), Inner]",
        ),
    )
    assert "return super().__str__()\n" in text
    assert "return [self._llama_model_forward(x), Inner]\n" in text


def test_the_body_of_a_coroutine_does_not_run_at_the_call(flatten_like_python):
    parent = "class LlamaModel:\n    async def forward(self, x):\n        return x\n"
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModel(LlamaModel):
            def forward(self, x):
                y = 2
                return super().forward(x)
        """
    text = flatten_like_python(modular, parent).only
    assert "return self._llama_model_forward(x)\n" in text


def test_a_call_to_another_base_does_not_get_the_body_of_the_parent(
    flatten_like_python,
):
    parent = """
        from ...base import Base


        class LlamaModel(Base):
            def forward(self, x):
                self.n = x
        """
    modular = """
        from ...base import Base
        from ..llama.modeling_llama import LlamaModel


        class MyModel(LlamaModel):
            def forward(self, x):
                super(Base, self).forward(x)
                LlamaModel.forward(self, x)
        """
    assert flatten_like_python(modular, parent).only == source("""
        from ...base import Base


        class MyModel(Base):
            def _llama_model_forward(self, x):
                self.n = x

            def forward(self, x):
                super(Base, self).forward(x)
                MyModel._llama_model_forward(self, x)
        """)


def test_a_method_without_parameters_does_not_get_the_body_of_the_parent(
    flatten_like_python,
):
    text = convert_forward(
        flatten_like_python,
        ("return 1",),
        ("super().forward()", "return LlamaModel.forward()"),
        parent_parameters="",
        parameters="",
    )
    assert text.endswith("super().forward()\n        return MyModelModel.forward()\n")


def test_a_call_that_skips_the_parent_does_not_get_its_body(flatten_like_python):
    parent = """
        from ...base import Base


        class LlamaModel(Base):
            def forward(self, x):
                return 2 * x
        """
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModel(LlamaModel):
            def forward(self, x):
                return super(LlamaModel, self).forward(x)
        """
    assert "return 2 * x" not in flatten_like_python(modular, parent).only
