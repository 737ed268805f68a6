"""Tests of the rule `body-order`."""

import pytest

from tests.support import source


IMPORT = "from ..llama.modeling_llama import LlamaModel\n\n\n"


def merge(flatten, parent, child, head="class MyModel(LlamaModel):"):
    """Convert two class bodies, and return the lines of the merged one."""
    texts = []
    for header, lines in ((head, child), ("class LlamaModel:", parent)):
        texts.append("\n".join([header, *(f"    {line}" for line in lines), ""]))
    modular_text, parent_text = texts
    converted = flatten(IMPORT + modular_text, parent_text, formatter="none")
    text = converted.only.partition("class MyModel")[2]
    lines = [line.removeprefix("    ") for line in text.splitlines()[1:]]
    return [line for line in lines if line]


@pytest.mark.parametrize(
    ("parent", "child", "merged"),
    [
        (["a = 1", "b = 2"], ["a = 3"], ["a = 3", "b = 2"]),
        (["a = 1", "b = 2"], ["c = 3"], ["a = 1", "b = 2", "c = 3"]),
        (["a = 1"], ["a: int"], ["a: int = 1"]),
        (["a: str = 1"], ["a: int  # it"], ["a: int = 1  # it"]),
        (["a: str"], ["a: int"], ["a: int"]),
        (["a = 1", "b = 2"], ["a = AttributeError()"], ["b = 2"]),
        (
            ["a = 1", "def f(self): pass", "def g(self): pass"],
            ["g = AttributeError()", "b = 2"],
            ["a = 1", "b = 2", "def f(self): pass"],
        ),
        (["a = 1", "a = 2"], ["a: int"], ["a: int = 2"]),
        (["a: str", "a = 1", "a: float"], ["a: int"], ["a: int = 1"]),
        # An assignment to the name of a new method stays below it.
        (
            ["a = 1", "def f(self): pass"],
            ["def g(self): pass", "g = None"],
            ["a = 1", "def f(self): pass", "def g(self):", "    pass", "g = None"],
        ),
        # Values that the body itself reads.
        (["a = 1", "b = a"], ["a = 2"], ["a = 1", "b = a", "a = 2"]),
        (["a = 1"], ["b = 2", "a = b"], ["b = 2", "a = b"]),
        (["a = 1"], ["a = 2", "b = a", "a = 3"], ["a = 2", "b = a", "a = 3"]),
        # Blocks and nested classes stay.
        (
            ["a = 1", "if DEBUG:", "    a = 2"],
            ["a = 3"],
            ["a = 1", "if DEBUG:", "    a = 2", "a = 3"],
        ),
        (
            ["class Output:", "    a = 1", "b = 2"],
            ["class Output:", "    a = 3"],
            ["class Output:", "    a = 3", "b = 2"],
        ),
        (
            ["def f(self): pass", "call = f"],
            ["def f(self): return 1"],
            ["def f(self): pass", "call = f", "def f(self):", "    return 1"],
        ),
        # Statements with several targets stay, and what follows comes after them.
        (["a = b = 1"], ["a = 2"], ["a = b = 1", "a = 2"]),
        (["a, b = 1, 2", "c = 3"], ["b = 4"], ["a, b = 1, 2", "c = 3", "b = 4"]),
        (["z = 1"], ["if DEBUG:", "    a = 2", "a, b = 1, 2"], ["z = 1", "if DEBUG:", "    a = 2", "a, b = 1, 2"]),
        (["z = 1"], ["if DEBUG:", "    a = 2", "b = a"], ["z = 1", "if DEBUG:", "    a = 2", "b = a"]),
        (["a = 1"], ["a, b = 1, 2"], ["a = 1", "a, b = 1, 2"]),
        (["a = 1"], ["a, b = 2, 3", "c = a"], ["a = 1", "a, b = 2, 3", "c = a"]),
        (["a = 1"], ["def a(self): return 2", "c = a"], ["def a(self):", "    return 2", "c = a"]),
        (["a = 1", "b = 2"], ["a = 2 * a"], ["a = 2 * a", "b = 2"]),
        (["z = 1", "def f(self): pass"], ["a, b = next(IT), 2", "c = next(IT)"], ["z = 1", "def f(self): pass", "a, b = next(IT), 2", "c = next(IT)"]),
        (["a = 1", "@wrap(a)", "def f(self): pass"], ["a = 2"], ["a = 1", "@wrap(a)", "def f(self): pass", "a = 2"]),
        (["if DEBUG:", "    a = 2"], ["if LARGE:", "    b = 2"], ["if DEBUG:", "    a = 2", "if LARGE:", "    b = 2"]),
        # A setter stays below its property, in the place of the parent's property.
        (
            ["@property", "def f(self): return 1", "b = 2"],
            ["@property", "def f(self): return 2", "@f.setter", "def f(self, f): pass"],
            ["@property", "def f(self):", "    return 2", "@f.setter", "def f(self, f):", "    pass", "b = 2"],
        ),
        (
            ["def __getattribute__(self, name): pass", "def f(self): pass"],
            ["def f(self): return 1"],
            ["def __getattribute__(self, name): pass", "def f(self):", "    return 1"],
        ),
        # An item of a dictionary is no member that a removal removes.
        (["a = {}"], ["b = {}", "b['a'] = AttributeError()"], ["a = {}", "b = {}", "b['a'] = AttributeError()"]),
        # An annotation does not remove a method.
        (["def f(self): return 1"], ["f: object"], ["def f(self): return 1", "f: object"]),
        # A method replaces an attribute, and an attribute a property with its setter.
        (["f = 1", "b = 2"], ["def f(self): pass"], ["def f(self):", "    pass", "b = 2"]),
        (
            [
                "@property",
                "def f(self): return 1",
                "@f.setter",
                "def f(self, f): pass",
                "b = 2",
            ],
            ["f = 1"],
            ["f = 1", "b = 2"],
        ),
    ],
)  # fmt: skip
def test_members_are_merged_in_order(flatten_like_python, parent, child, merged):
    assert merge(flatten_like_python, parent, child) == merged


PROPERTY = """
    class LlamaModel:
        @property
        def size(self):
            return 1

        @size.setter
        def size(self, size):
            self.n = size

        def reset(self):
            pass
    """


def test_a_property_is_replaced_with_its_setter(flatten_like_python):
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModel(LlamaModel):
            @property
            def size(self):
                return 2
        """
    assert flatten_like_python(modular, PROPERTY).only == source("""
        class MyModel:
            @property
            def size(self):
                return 2

            def reset(self):
                pass
        """)


def test_a_setter_of_the_parents_property_replaces_its_setter(flatten_like_python):
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModel(LlamaModel):
            @LlamaModel.size.setter
            def size(self, size):
                self.m = size
        """
    assert flatten_like_python(modular, PROPERTY).only == source("""
        class MyModel:
            @property
            def size(self):
                return 1

            @size.setter
            def size(self, size):
                self.m = size

            def reset(self):
                pass
        """)


GETTER = ["@property", "def f(self): return 1"]
SECOND_GETTER = ["@property", "def f(self): return 2"]
SETTER = ["@f.setter", "def f(self, x): self.x = x"]
CHILD_SETTER = ["@LlamaModel.f.setter", "def f(self, x): self.y = x"]
MERGED_SETTER = ["@f.setter", "def f(self, x):", "    self.y = x"]


@pytest.mark.parametrize("first", ["f: int", "f = 1", "def f(self): pass"])
def test_an_accessor_comes_below_the_property_and_not_below_an_earlier_definition(
    flatten_like_python, first
):
    parent = [first, "a = 1", *GETTER, "def g(self): pass"]
    merged = merge(flatten_like_python, parent, CHILD_SETTER)
    assert merged == [first, "a = 1", *GETTER, *MERGED_SETTER, "def g(self): pass"]


def test_an_accessor_replaces_that_of_the_property_below_an_earlier_definition(
    flatten_like_python,
):
    parent = ["f: int", *GETTER, *SETTER, "def g(self): pass"]
    merged = merge(flatten_like_python, parent, CHILD_SETTER)
    assert merged == ["f: int", *GETTER, *MERGED_SETTER, "def g(self): pass"]


def test_an_accessor_does_not_replace_that_of_an_earlier_property(flatten_like_python):
    parent = [*GETTER, *SETTER, *SECOND_GETTER, "def g(self): pass"]
    merged = merge(flatten_like_python, parent, CHILD_SETTER)
    assert merged == [
        *GETTER,
        *SETTER,
        *SECOND_GETTER,
        *MERGED_SETTER,
        "def g(self): pass",
    ]


def test_each_accessor_comes_below_the_second_of_two_properties(flatten_like_python):
    parent = [*GETTER, *SECOND_GETTER, *SETTER]
    child = ["@LlamaModel.f.deleter", "def f(self): del self.y", *SETTER]
    deleter = ["@f.deleter", "def f(self):", "    del self.y"]
    setter = ["@f.setter", "def f(self, x):", "    self.x = x"]
    merged = merge(flatten_like_python, parent, child)
    assert merged == [*GETTER, *SECOND_GETTER, *deleter, *setter]


def test_a_property_below_an_accessor_of_the_parents_stays_below_it(
    flatten_like_python,
):
    parent = [*GETTER, *SETTER, "def g(self): pass"]
    child = [*CHILD_SETTER, *SECOND_GETTER]
    merged = merge(flatten_like_python, parent, child)
    getter = ["@property", "def f(self):", "    return 2"]
    assert merged == [*GETTER, "def g(self): pass", *MERGED_SETTER, *getter]


def test_an_accessor_of_another_class_is_not_replaced(flatten_like_python):
    base_setter = ["@Base.f.setter", "def f(self, x): self.x = x"]
    parent = [*GETTER, *base_setter, "def g(self): pass"]
    merged = merge(flatten_like_python, parent, CHILD_SETTER)
    assert merged == [*GETTER, *base_setter, *MERGED_SETTER, "def g(self): pass"]


def test_decorators_of_methods_are_not_inherited(flatten_like_python):
    parent = """
        import torch


        @torch.compile
        class LlamaModel:
            # The result.
            @torch.no_grad()
            async def forward(self, x) -> int:
                return x
        """
    modular = """
        import typing

        from ..llama.modeling_llama import LlamaModel


        @typing.final
        class MyModel(LlamaModel):
            def forward(self, x):
                return x + 1
        """
    assert flatten_like_python(modular, parent).only == source("""
        import typing

        import torch


        @typing.final
        @torch.compile
        class MyModel:
            # The result.
            def forward(self, x) -> int:
                return x + 1
        """)


def test_bases_are_in_the_order_in_which_python_searches_them(flatten_like_python):
    parent = """
        from ...library import Base


        class LlamaModel(Base):
            size = 1
        """
    modular = """
        from ...library import Last
        from ..llama.modeling_llama import LlamaModel


        class First:
            width = 1


        class MyModel(First, LlamaModel, Last):
            pass
        """
    text = flatten_like_python(modular, parent, formatter="none").only
    assert "class MyModel(First, Base, Last" in text


@pytest.mark.parametrize(
    ("parent", "child", "reason"),
    [
        (["a = 1"], ["b = a"], "it uses a name that is also a member of `LlamaModel`; in the modular file, that is another variable"),
        (["a = 1"], ["if DEBUG:", "    a = 2", "b = a"], "it uses a name that is also a member of `LlamaModel`; in the modular file, that is another variable"),
        (["a = [1]"], ["a += [2]"], "it uses a name that is also a member of `LlamaModel`; in the modular file, that is another variable"),
        (["a = 1"], ["a = 2", "del a"], "this would delete the `a` of `LlamaModel`, too"),
        (["a = 1", "b = a"], ["a = AttributeError()"], "the body of `LlamaModel` needs `a`"),
        (["a = b = 1"], ["a = AttributeError()"], "the body of `LlamaModel` needs `a`"),
        (
            ["def f(self): pass"],
            ["if True:", "    def f(self): return super().f()"],
            "`super()` is in no method of the class",
        ),
        (
            ["a = 1"],
            ["def f(self, g=lambda s: super(MyModel, s).a): return g(self)"],
            "`super()` is in no method of the class",
        ),
        (["a = 1"], ["__slots__ = ('b',)"], "the generated class lacks the attributes of `LlamaModel`, which are not in these `__slots__`"),
        (
            ["def f(self): return size"],
            ["def g(self):", "    global size", "    size = 1"],
            "`MyModel` sets the global `size`, and `LlamaModel` uses the one of its own file",
        ),
        (
            ["def __getattribute__(self, name): pass", "def f(self): pass"],
            ["def f(self): return [super().f()]"],
            "its `__getattribute__` would see the private name of a kept method",
        ),
        (["a = 1"], ["b = LlamaModel.a"], "the generated class does not have `LlamaModel`"),
        (
            ["def f(self): self.__a = 1"],
            ["def g(self): self.__a = 2"],
            "`__a` is private to the class it is written in, and `LlamaModel` has one of its own",
        ),
        (
            ["def f(self): self.__a = 1"],
            ["def g(self): return self._LlamaModel__a"],
            "`_LlamaModel__a` is a private name of `LlamaModel`",
        ),
        (
            ["def __init_subclass__(cls): pass"],
            ["a = 1"],
            "Python calls `LlamaModel.__init_subclass__` for this class, but not for the generated class, which defines it itself",
        ),
        (["__slots__ = ('a',)"], ["b = 1"], "the generated class has only the attributes in the `__slots__` of `LlamaModel`; in Python, a class that inherits from it can have others"),
        (
            ["def __hash__(self): return 1"],
            ["def __eq__(self, other): return True"],
            "the generated class has the `__hash__` of `LlamaModel`; in Python, a class with an `__eq__` of its own has none",
        ),
    ],
)  # fmt: skip
def test_the_parent_is_kept_if_a_flat_class_cannot_do_the_same(
    flatten_like_python, parent, child, reason
):
    texts = []
    for header, lines in (
        ("class MyModel(LlamaModel):", child),
        ("class LlamaModel:", parent),
    ):
        texts.append("\n".join([header, *(f"    {line}" for line in lines), ""]))
    converted = flatten_like_python(IMPORT + texts[0], texts[1])
    messages = [message for message in converted.messages if "MOD308" in message]
    assert [message.partition(": ")[2] for message in messages] == [
        f"`MyModel` inherits from a copy of `LlamaModel`: {reason}"
    ]


@pytest.mark.parametrize(
    ("parent", "child", "body", "reason"),
    [
        ("(dict, total=False)", "(LlamaModel)", "a: int", "`total=False` of `LlamaModel` is not inherited"),
        ("(dict)", "(LlamaModel, total=False)", "a: int", "the keywords of the class are those of its parent class"),
        ("(dict, tag=1)", "(LlamaModel, tag=2)", "pass", "the keywords of the class are those of its parent class"),
        ("(dict, tag=1)", "(LlamaModel)", "pass", "`tag=1` of `LlamaModel` is not inherited"),
    ],
)  # fmt: skip
def test_the_parent_is_kept_if_only_one_class_header_has_keywords(
    flatten_like_python, parent, child, body, reason
):
    converted = flatten_like_python(
        f"{IMPORT}class MyModel{child}:\n    {body}\n",
        f"class LlamaModel{parent}:\n    key: int\n",
    )
    assert converted.messages == [
        f"MOD308 line 4: `MyModel` inherits from a copy of `LlamaModel`: {reason}"
    ]


@pytest.mark.parametrize(
    ("parent", "child", "body"),
    [
        ("(dict, total=False)", "(LlamaModel, total=False)", "a: int"),
        ("(dict, total=False)", "(LlamaModel)", "pass"),
        ("(metaclass=abc.ABCMeta)", "(LlamaModel)", "pass"),
    ],
)
def test_keywords_of_both_class_headers_stay(flatten_like_python, parent, child, body):
    converted = flatten_like_python(
        f"{IMPORT}class MyModel{child}:\n    {body}\n",
        f"import abc\n\n\nclass LlamaModel{parent}:\n    key: int\n",
    )
    assert f"class MyModel{parent}:\n    key: int\n" in converted.only


def test_a_kept_method_has_the_default_values_of_its_class(flatten_like_python):
    parent = """
        class LlamaModel:
            size = 4

            def forward(self, n=size):
                return n
        """
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModel(LlamaModel):
            size = 9

            def forward(self, n=size):
                return super().forward() + n
        """
    assert flatten_like_python(modular, parent).only == source("""
        class MyModel:
            size = 4

            def _llama_model_forward(self, n=size):
                return n

            size = 9

            def forward(self, n=size):
                return self._llama_model_forward() + n
        """)


DATACLASS = """
    from dataclasses import dataclass


    @dataclass
    class LlamaOutput:
        loss: float = 0.0
    """


def test_a_dataclass_stays_one(flatten_like_python):
    modular = """
        from dataclasses import dataclass

        from ..llama.modeling_llama import LlamaOutput


        @dataclass
        class MyModelOutput(LlamaOutput):
            score: float = 1.0
        """
    assert flatten_like_python(modular, DATACLASS).only == source("""
        from dataclasses import dataclass


        @dataclass
        class MyModelOutput:
            loss: float = 0.0
            score: float = 1.0
        """)


def test_a_new_attribute_of_a_dataclass_is_no_field_without_its_decorator(
    flatten_like_python,
):
    modular = """
        from ..llama.modeling_llama import LlamaOutput


        class MyModelOutput(LlamaOutput):
            score: float = 1.0
        """
    assert flatten_like_python(modular, DATACLASS).messages == [
        "MOD308 line 5: `MyModelOutput` inherits from a copy of `LlamaOutput`: "
        "`LlamaOutput` is a dataclass and `MyModelOutput` is not, so `score` is not a field"
    ]


@pytest.mark.parametrize(
    ("parent", "child", "reason"),
    [
        ("size: int = 1", "size = 2", "this removes the field `size` from the generated dataclass, or becomes its default; in Python, the field of `LlamaOutput` stays"),
        ("size: int = 1", "def size(self): pass", "this removes the field `size` from the generated dataclass, or becomes its default; in Python, the field of `LlamaOutput` stays"),
        ("size: list = field(default_factory=list)", "size: list", "`size` has no value, and would get that of `LlamaOutput`"),
        ("def __eq__(self, other): return True", "size: int = 2", "the generated class has the `__eq__` of `LlamaOutput`; in Python, `@dataclass` writes another one for this class"),
        ("_: KW_ONLY", "size: int = 2", "a statement in the body of `LlamaOutput` would count for the fields of both classes"),
        ("size: int = 1", "if True: rate: int = 2", "a statement in the body of `MyModelOutput` would count for the fields of both classes"),
    ],
)  # fmt: skip
def test_two_dataclasses_with_other_fields_cannot_be_one(
    flatten_like_python, parent, child, reason
):
    imports = "from dataclasses import KW_ONLY, dataclass, field\n\n\n@dataclass\n"
    modular = f"{IMPORT}{imports}class MyModelOutput(LlamaOutput):\n    {child}\n"
    modular = modular.replace("LlamaModel\n", "LlamaOutput\n", 1)
    converted = flatten_like_python(
        modular, f"{imports}class LlamaOutput:\n    {parent}\n"
    )
    (message,) = (text for text in converted.messages if "MOD308" in text)
    assert message.endswith(f"inherits from a copy of `LlamaOutput`: {reason}")


def test_a_method_of_both_dataclasses_is_that_of_the_child(flatten_like_python):
    modular = """
        from dataclasses import dataclass

        from ..llama.modeling_llama import LlamaOutput


        @dataclass
        class MyModelOutput(LlamaOutput):
            loss: float = 2.0

            def __eq__(self, other):
                return True
        """
    assert "loss: float = 2.0" in flatten_like_python(modular, DATACLASS).only


def test_only_the_class_of_the_modular_file_is_decorated(flatten_like_python):
    modular = """
        import typing

        from ..llama.modeling_llama import LlamaModel


        @typing.final
        class MyModel(LlamaModel):
            width = 1
        """
    assert flatten_like_python(
        modular, "class LlamaModel:\n    size = 1\n"
    ).only == source("""
        import typing


        @typing.final
        class MyModel:
            size = 1
            width = 1
        """)


def test_an_attribute_below_those_of_the_parent_keeps_no_blank_line_of_its_docstring(
    flatten_like_python,
):
    parent = """
        class LlamaModel:
            \"\"\"A model.\"\"\"

            small = 1

            def run(self):
                return 1
        """
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModel(LlamaModel):
            \"\"\"My model.\"\"\"

            large = 2
        """
    converted = flatten_like_python(source(modular), source(parent))
    assert converted.only == source("""
        class MyModel:
            \"\"\"My model.\"\"\"

            small = 1
            large = 2

            def run(self):
                return 1
        """)


def test_a_blank_line_between_attributes_of_the_child_stays(flatten_like_python):
    modular = IMPORT + "class MyModel(LlamaModel):\n    size = 2\n\n    width = 3\n"
    text = flatten_like_python(modular, "class LlamaModel:\n    size = 1\n").only
    assert text == "class MyModel:\n    size = 2\n\n    width = 3\n"


def test_an_attribute_that_is_declared_twice_keeps_the_parents_value(
    flatten_like_python,
):
    modular = IMPORT + "class MyModel(LlamaModel):\n    size: int\n    size: int\n"
    text = flatten_like_python(modular, "class LlamaModel:\n    size: int = 3\n").only
    assert "    size: int = 3\n" in text


@pytest.mark.parametrize(
    ("parent", "child", "merged"),
    [
        # The blank line separates the attribute from the docstring, which is elsewhere.
        ("    size = 1\n", "    width = 2\n\n    depth = 3\n", "    size = 1\n    width = 2\n\n    depth = 3\n"),
        ("    size = 1\n", "    if True:\n        width = 2\n", "    size = 1\n\n    if True:\n        width = 2\n"),
        ('    """Text."""\n', "    width = 2\n", "\n    width = 2\n"),
        ("    size = 1\n", "    size = 2\n\n    width = 3\n", "\n    size = 2\n\n    width = 3\n"),
    ],
)  # fmt: skip
def test_the_blank_line_below_a_docstring_stays_there(
    flatten_like_python, parent, child, merged
):
    modular = (
        "from ..llama.modeling_llama import LlamaModel\n\n\n"
        f'class MyModel(LlamaModel):\n    """Doc."""\n\n{child}'
    )
    text = flatten_like_python(
        modular, f"class LlamaModel:\n{parent}", formatter="none"
    ).only
    assert text == f'class MyModel:\n    """Doc."""\n{merged}'


def test_an_assignment_of_two_names_keeps_the_one_that_is_not_replaced(
    flatten_like_python,
):
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModel(LlamaModel):
            width = 4
        """
    parent = "class LlamaModel:\n    width = depth = 3\n"
    names = {}
    exec(flatten_like_python(modular, parent).only, names)
    assert (names["MyModel"].width, names["MyModel"].depth) == (4, 3)


def test_an_override_with_the_marker_has_no_decorators(flatten_like_python):
    parent = """
        import torch


        class LlamaModel:
            @torch.no_grad()
            def forward(self, x):
                return x
        """
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModel(LlamaModel):
            @no_inherit_decorator
            def forward(self, x):
                return -x
        """
    text = flatten_like_python(modular, parent).only
    assert "@" not in text
    assert "return -x" in text
