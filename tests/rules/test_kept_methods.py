"""Tests of the rule `kept-methods`."""

from textwrap import indent

import pytest

from tests.support import source


PARENT = """
    from functools import cached_property


    class LlamaBase:
        def reset(self):
            self.n = 0


    class LlamaModel(LlamaBase):
        limit = 3

        def forward(self, x):
            return x

        def rotate(self, x):
            return -x

        @cached_property
        def width(self):
            return 4

        @property
        def height(self):
            return 5

        @classmethod
        def build(cls, x):
            return cls()

        def __new__(cls):
            return object.__new__(cls)
    """
MODULAR = """
    from ..llama.modeling_llama import LlamaModel


    class MyModel(LlamaModel):
        def forward(self, x):
            {}
    """


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("return 2 * super().forward(x)", "return 2 * self._llama_model_forward(x)"),
        ("return super().rotate(x)", "return self._llama_model_rotate(x)"),
        ("return LlamaModel.forward(self, x)", "return MyModel._llama_model_forward(self, x)"),
        ("return super().reset()", "return super().reset()"),
        ("return super().__init__()", "return super().__init__()"),
        ("return super().height.real", "return self._llama_model_height.real"),
        ("return super(LlamaModel, self).forward(x)", "return super().forward(x)"),
        (
            "return (lambda: super(MyModel, self).forward(x))()",
            "return (lambda: self._llama_model_forward(x))()",
        ),
        (
            "return (lambda: super(LlamaModel, self).reset())()",
            "return (lambda: super(MyModel, self).reset())()",
        ),
        (
            "return f'{super().forward(x)!r}'",
            "return f'{self._llama_model_forward(x)!r}'",
        ),
        (
            "return [y for y in super().forward(x)]",
            "return [y for y in self._llama_model_forward(x)]",
        ),
    ],
)  # fmt: skip
def test_a_use_of_super_is_rewritten(flatten_like_python, statement, expected):
    converted = flatten_like_python(MODULAR.format(statement), PARENT, formatter="none")
    assert converted.codes == []
    assert f"        {expected}\n" in converted.only


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("return super()", "`super()` is used as a value"),
        ("return getattr(super(), 'forward')(x)", "`super()` is used as a value"),
        ("return (lambda: super().forward(x))()", "`super()` is in a nested function"),
        ("return [super().forward(y) for y in x]", "`super()` is in a nested function"),
        ("return [z for y in x for z in super().forward(y)]", "`super()` is in a nested function"),
        ("return super().__doc__", "`LlamaModel.__doc__` is not a method in the body of the class"),
        ("return super().limit", "`LlamaModel.limit` is not a method in the body of the class"),
        ("return super().__new__(x)", "`__new__` cannot have another name"),
        ("return super().width", "`LlamaModel.width` has the decorator `@cached_property`, which depends on the name of the method"),
        ("return LlamaModel.reset(self)", "`LlamaModel.reset` is not defined in the class `LlamaModel` itself"),
        ("return super(type(self), self).forward(x)", "the class in `super` is computed"),
        ("return super(self.__class__, self).forward(x)", "the class in `super` is computed"),
        ("return super(x, self).forward(x)", "the class in `super` is computed"),
        ("return super(MyModel.__base__, self).forward(x)", "the class in `super` is computed"),
        ("return super().forward.__name__", "`__name__` of a copy under another name may be different"),
        ("return LlamaModel.forward.fset", "`fset` of a copy under another name may be different"),
        ("return super().forward", "`super().forward` has another name in the generated class, which this code may read"),
        ("return list(map(super().forward, x))", "`super().forward` has another name in the generated class, which this code may read"),
        ("return super(MyModel, x).forward(x)", "`super` has arguments that are not the class and `self`"),
    ],
)  # fmt: skip
def test_the_parent_is_kept_because_of_another_use(
    flatten_like_python, statement, reason
):
    converted = flatten_like_python(MODULAR.format(statement), PARENT)
    assert converted.messages == [
        f"MOD308 line 6: `MyModel` inherits from a copy of `LlamaModel`: {reason}"
    ]
    assert "class MyModel(MyModelModel):" in converted.only


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("depth = 1", "read `self.limit`, or write out the value"),
        ("limit = 1", "write out the value"),
    ],
)
def test_the_hint_about_an_attribute_of_super_knows_whether_it_is_overridden(
    flatten_like_python, line, hint
):
    modular = MODULAR.format("return super().limit").replace(
        "def forward", f"{line}\n\n        def forward"
    )
    hints = [item.hint for item in flatten_like_python(modular, PARENT).diagnostics]
    assert hints == [hint]


def test_the_hint_about_an_attribute_names_no_instance_in_a_static_method(
    flatten_like_python,
):
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModel(LlamaModel):
            @staticmethod
            def forward(x):
                return LlamaModel.limit
        """
    (diagnostic,) = flatten_like_python(modular, PARENT).diagnostics
    assert diagnostic.hint == "write out the value"
    assert diagnostic.place.width == len("LlamaModel")


@pytest.mark.parametrize("last", ["forward = print", "if True:\n    forward = print"])
def test_a_method_that_the_parent_replaces_is_not_kept(flatten_like_python, last):
    parent = f"class LlamaModel:\n    def forward(self, x):\n        return x\n{indent(last, '    ')}\n"
    converted = flatten_like_python(
        MODULAR.format("return [super().forward(x)]"), parent
    )
    (message,) = converted.messages
    assert "`LlamaModel.forward` is not a method in the body of the class" in message


def test_a_method_that_is_not_overridden_is_written_twice(flatten_like_python):
    """A subclass may override `rotate`, which `super().rotate` must not notice."""
    text = flatten_like_python(MODULAR.format("return super().rotate(x)"), PARENT).only
    assert text.count("        return -x\n") == 2


def test_a_kept_method_has_its_comment_and_docstring_alone(flatten_like_python):
    parent = """
        class LlamaModel:
            # The result.
            def forward(self, x) -> int:
                "Return it."
                return x
        """
    text = flatten_like_python(
        MODULAR.format("return -super().forward(x)"), parent
    ).only
    assert text == source("""
        class MyModel:
            # The result.
            def _llama_model_forward(self, x) -> int:
                "Return it."
                return x

            def forward(self, x):
                return -self._llama_model_forward(x)
        """)


def test_another_method_of_the_parent_does_not_replace_a_call(flatten_like_python):
    parent = """
        class LlamaModel:
            def rotate(self, x):
                return -x

            def forward(self, x):
                return 2 * x
        """
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModel(LlamaModel):
            def forward(self, x):
                self.n = super().rotate(x)
                return super().forward(x)
        """
    text = flatten_like_python(modular, parent).only
    assert "self.n = self._llama_model_rotate(x)\n        return 2 * x\n" in text


def test_a_kept_method_survives_a_second_generation(flatten_like_python):
    modular = """
        from ..my_first.modeling_my_first import MyFirstModel


        class MyModel(MyFirstModel):
            def forward(self, x):
                return [super().forward(x)]
        """
    first = """
        from ..llama.modeling_llama import LlamaModel


        class MyFirstModel(LlamaModel):
            def forward(self, x):
                return -super().forward(x)
        """
    parent = """
        class LlamaModel:
            def forward(self, x):
                return x
        """
    files = {"models/my_first/modular_my_first.py": first}
    converted = flatten_like_python(modular, parent, files)
    assert converted.files["models/my_model/modeling_my_model.py"] == source("""
        class MyModel:
            def _llama_model_forward(self, x):
                return x

            def _my_first_model_forward(self, x):
                return -self._llama_model_forward(x)

            def forward(self, x):
                return [self._my_first_model_forward(x)]
        """)


def test_a_private_name_is_not_taken(flatten_like_python):
    statement = "return [super().forward(x), self._llama_model_forward]"
    text = flatten_like_python(MODULAR.format(statement), PARENT).only
    assert "return [self._llama_model_forward2(x), self._llama_model_forward]" in text


@pytest.mark.parametrize(
    ("head", "arguments"),
    [
        ("def forward(**super_kwargs):", "**super_kwargs"),
        ("@staticmethod\n            def forward(x):", "x"),
    ],
)
def test_a_method_without_an_instance_cannot_use_super(
    flatten_like_python, head, arguments
):
    modular = f"""
        from ..llama.modeling_llama import LlamaModel


        class MyModel(LlamaModel):
            {head}
                return super().forward({arguments})
        """
    (message,) = flatten_like_python(modular, PARENT).messages
    assert message.endswith(
        "`MyModel` inherits from a copy of `LlamaModel`: `super()` has no instance"
    )


def test_super_of_a_class_of_another_module_stays(flatten_like_python):
    modular = """
        from torch import nn

        from ..llama.modeling_llama import LlamaModel


        class MyModel(LlamaModel):
            def forward(self, x):
                return super(nn.Module, self).reset()
        """
    converted = flatten_like_python(modular, PARENT)
    assert converted.codes == []
    assert "        return super(nn.Module, self).reset()\n" in converted.only


def test_super_does_not_skip_a_base_before_the_parent(flatten_like_python):
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class Other: ...


        class MyModel(Other, LlamaModel):
            def forward(self, x):
                return super(LlamaModel, self).reset()
        """
    (message,) = flatten_like_python(modular, PARENT).messages
    assert message.endswith("`Other` comes before the parent class")
