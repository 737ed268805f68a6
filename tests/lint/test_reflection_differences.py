"""Code that looks at classes and methods sees whether the generated file has one class or two (MOD416, MOD308)."""

import pytest

from tests.conftest import Flatten
from tests.lint.test_builder_differences import codes


HELPERS = """
import sys


class Named:
    def __set_name__(self, owner, name): ...


class Plain:
    "It has no `__set_name__`."


class Printed:
    __set_name__ = print


class Listed(list):
    def __set_name__(self, owner, name): ...


LISTED = Listed()
PRINTED = Printed()


class Loose:
    def __set_name__(*arguments):
        arguments[1].owned = 1


def measure():
    return 1


def peek():
    return sys._getframe()


def show(function):
    return function


def checked(function):
    show(function)
    return function


def again(x):
    return again(x)


if measure():
    LATE = Plain()
"""


def members(name: str, lines: str) -> str:
    """Return a class that has the members on some lines."""
    body = lines.replace("\n", "\n    ")
    return f"{HELPERS}\n\nclass {name}:\n    {body}\n"


def compare(convert: Flatten, parent: str, child: str) -> list[str]:
    """Return the codes of the findings about a class with some members."""
    return codes(
        convert, members("LlamaA(Root)", parent), members("MyModelA(LlamaA)", child)
    )


@pytest.mark.parametrize(
    ("parent", "child", "is_reported"),
    [
        ("def f(self):\n    globals = dict\n    return globals()", "b = 9", False),
        ("def f(self): return vars()", "b = 9", False),
        ("def f(self): return len([vars()])", "b = 9", False),
        ("a = 1", "def f(self): return self.__class__.__dict__", True),
        ("llama_a = Named()", "b = 9", False),
        ("w: Named\nw = Named()", "w = 9", True),
        ("w = Plain()", "w = 9", False),
        ("w = Printed()", "v = 9", True),
        ("w = PRINTED", "v = 9", True),
        ("w = Loose()", "v = 9", True),
        ("w = LATE", "w = 9", False),
        ("v: Named\nw = Named()", "w = 9", True),
        ("a = 1", "@classmethod\ndef f(cls): return vars(cls)", True),
        ("a = 1", "@classmethod\ndef f(): return vars(Plain)", False),
    ],
)
def test_code_that_looks_at_its_class_is_reported(
    flatten: Flatten, parent: str, child: str, is_reported: bool
) -> None:
    assert set(compare(flatten, parent, child)) == (
        {"MOD416"} if is_reported else set()
    )


@pytest.mark.parametrize("is_of_parent", [True, False])
def test_the_finding_about_code_of_the_parent_shows_this_code(
    flatten: Flatten, is_of_parent: bool
) -> None:
    method = "def f(self): return type(self).__dict__"
    parent, child = (method, "b = 9") if is_of_parent else ("a = 1", method)
    (finding,) = flatten(
        "from ..llama.modeling_llama import LlamaA\n\n\n"
        f"class MyModelA(LlamaA):\n    {child}\n",
        f"class LlamaA:\n    {parent}\n",
    ).diagnostics
    related = finding.related
    if is_of_parent:
        assert finding.place.line == 4
        assert related is not None
        assert related.line == 2
    else:
        assert finding.place.line == 5
        assert related is None


@pytest.mark.parametrize(
    ("method", "is_reported"),
    [
        ("return up(MyModelA, self).f()", True),
        ("return SIZE", False),
        ("return LENGTH", False),
    ],
)
def test_another_name_of_super_is_reported_where_it_is_used(
    flatten: Flatten, method: str, is_reported: bool
) -> None:
    parent = "class LlamaA(Root):\n    def f(self): return 1\n"
    child = f"up = super; SIZE = 1\nkinds, LENGTH = [super], 2\n\n\nclass MyModelA(LlamaA):\n    def f(self): {method}\n"
    assert codes(flatten, parent, child) == ["MOD416"] * is_reported


@pytest.mark.parametrize(
    ("parent", "child", "is_kept"),
    [
        # The parent's method is copied under another name, which only some code sees.
        ("@property\ndef f(self): return 1", "@property\ndef f(self): return [super().f]", False),
        ("def f(self): return 1", "def f(self): return [super().f(), super().post_init]", False),
        ("def f(self): return 1", "def f(self): return super().f", True),
        ("def f(self): return 1", "def f(self):\n    g = super().f\n    return [g()]", False),
        ("def f(self): return 1", "def f(self):\n    g = super().f\n    return show(g)", True),
        ("def f(self): return 1", "def f(self):\n    g = super().f\n    return g.__name__.upper()", True),
        ("def f(self): return 1", "def f(self):\n    g = h = super().f\n    return g(), h.__name__", True),
        ("def f(self): return 1", "def f(self):\n    self.g = super().f\n    return self.g()", True),
        ("def f(self): return 1", "def f(self):\n    g = show(super().f)\n    return g()", True),
        ("def f(self): return 1", "def f(self): return [super().post_init.__name__, super().f()]", False),
        ("def f(self): return 1", "def f(self): return (lambda self: super(MyModelA, self).f())(self)", True),
        ("def f(self): return 1", "def f(self): return [super(MyModelA, self).f() for _ in range(2)]", False),
        ("def f(self): return 1\nif measure(): width = 1", "def f(self): return [super().f()]", False),
        ("@show\ndef f(self): return 1", "def f(self): return 2", False),
        ("@checked\ndef f(self): return 1", "def f(self): return 2", True),
        # In the generated class, another method has called the parent's one.
        ("def f(self, frame): return frame.f_back", "def f(self, frame): return [super().f(frame)]", True),
        ("def mark(f): return f", "@LlamaA.mark\ndef g(self): return 1", True),
        # Python calls `__set_name__` of the list in `w`, not of the list that is added to it.
        ("w = []\nw += LISTED", "w = 9", False),
        ("w = getattr(Plain, 'a' + 'b', 0)", "v = 9", False),
        # The parent's body is copied into the override, whose variables only some code sees.
        ("def f(self): self.a = measure()", "def f(self):\n    b = 2\n    super().f()\n    return b", False),
        ("def f(self): self.a = again(1)", "def f(self):\n    b = 2\n    super().f()\n    return b", False),
        ("def f(self): self.a = sys._getframe()", "def f(self):\n    b = 2\n    super().f()\n    return b", True),
        ("def f(self): self.a = peek()", "def f(self):\n    b = 2\n    super().f()\n    return b", True),
        # `super()` makes the variable `__class__`, which `locals()` shows.
        ("def f(self): return 1", "def f(self): return locals(), super().post_init()", False),
        ("def f(self): return 1", "def f(self): return getattr(self, 'a' + 'b', 0), [super().f()]", False),
    ],
)  # fmt: skip
def test_a_parent_is_kept_if_code_sees_what_became_of_its_methods(
    flatten_like_python: Flatten, parent: str, child: str, is_kept: bool
) -> None:
    assert compare(flatten_like_python, parent, child) == ["MOD308"] * is_kept


def test_the_message_names_the_first_function_that_sees_the_method(
    flatten_like_python: Flatten,
) -> None:
    parent = """
        class LlamaA:
            def f(self):
                return 1
        """
    modular = """
        from ..llama.modeling_llama import LlamaA


        class MyModelA(LlamaA):
            def f(self):
                names = [locals(), vars()]
                return [names, super().f()]
        """
    (message,) = flatten_like_python(modular, parent).messages
    assert "`f` calls `locals`" in message


def test_a_function_that_calls_itself_is_looked_at_in_bounded_depth(
    flatten_like_python: Flatten,
) -> None:
    parent = """
        def again(x):
            return again(x)


        class LlamaA:
            def f(self):
                self.a = again(1)
        """
    modular = """
        from ..llama.modeling_llama import LlamaA


        class MyModelA(LlamaA):
            def f(self):
                b = 2
                super().f()
                return b
        """
    assert flatten_like_python(modular, parent).diagnostics == ()
