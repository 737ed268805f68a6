"""Tests of the rule `kept-parents`."""

from typing import Any

import pytest

from tests.conftest import Flatten
from tests.support import convert, source


VALUE_OF_SUPER = """
    from ..llama.modeling_llama import LlamaModel


    class MyModelModel(LlamaModel):
        def forward(self, x):
            parent = super()
            return parent.forward(x)
    """
PARENT = """
    class LlamaModel:
        def forward(self, x):
            return x
    """


def run(text: str) -> dict[str, Any]:
    """Run a generated file and return its names."""
    names: dict[str, Any] = {}
    exec(text, names)
    return names


def test_the_name_of_the_parent_in_its_own_super_is_private(flatten_like_python):
    parent = """
        class Base:
            def forward(self, x):
                return x


        class LlamaModel(Base):
            def forward(self, x):
                return super(LlamaModel, self).forward(x) + 1
        """
    text = flatten_like_python(VALUE_OF_SUPER, parent).only
    assert run(text)["MyModelModel"]().forward(1) == 2


def test_the_name_of_the_parent_means_the_class_elsewhere(flatten_like_python):
    parent = """
        class LlamaModel:
            def forward(self, x):
                return LlamaModel()
        """
    class_ = run(flatten_like_python(VALUE_OF_SUPER, parent).only)["MyModelModel"]
    assert type(class_().forward(1)) is class_


def test_a_parent_whose_new_name_is_free_has_no_private_name(flatten_like_python):
    modular = VALUE_OF_SUPER.replace("class MyModelModel(", "class MyModelText(")
    text = flatten_like_python(modular, PARENT).only
    assert "class MyModelModel:" in text
    assert "class MyModelText(MyModelModel):" in text


def test_two_classes_have_one_copy_of_their_parent(flatten_like_python):
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModelModel(LlamaModel):
            def forward(self, x):
                return [super().forward(y) for y in x]


        class MyModelText(LlamaModel):
            def forward(self, x):
                return (lambda: super(MyModelText, self))().forward(x)
        """
    text = flatten_like_python(modular, PARENT).only
    assert text.count("class LlamaModel:") == 1
    assert text.count("(LlamaModel):") == 2


def test_a_statement_about_the_parent_is_one_about_its_copy(flatten_like_python):
    parent = """
        class LlamaModel:
            def forward(self, x):
                return x + self.size


        LlamaModel.size = 4
        """
    modular = VALUE_OF_SUPER + "\n\n    MyModelModel.size = 2 * MyModelModel.size\n"
    text = flatten_like_python(modular, parent).only
    assert "\nLlamaModel.size = 4\n" in text
    assert run(text)["MyModelModel"]().forward(1) == 9


def test_the_private_name_is_not_taken(flatten_like_python):
    parent = """
        def _LlamaModel(x):
            return -x


        class LlamaModel:
            def forward(self, x):
                return _LlamaModel(x)
        """
    modular = VALUE_OF_SUPER.replace("import LlamaModel", "import LlamaModel as Model")
    modular = modular.replace("(LlamaModel)", "(Model)")
    text = flatten_like_python(modular, parent).only
    assert "class MyModelModel(_LlamaModel2):" in text


def test_a_registry_of_subclasses_has_the_name_of_the_parent(flatten_like_python):
    parent = """
        NAMES = []


        class Base:
            def __init_subclass__(cls):
                NAMES.append(cls.__name__)


        class LlamaModel(Base):
            pass
        """
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModelModel(LlamaModel):
            pass
        """
    names = run(flatten_like_python(modular, parent).only)["NAMES"]
    assert names == ["LlamaModel", "MyModelModel"]


def test_only_the_name_of_the_parent_is_replaced(flatten_like_python):
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModelModel(LlamaModel):
            def forward(self, x):
                "Like LlamaModel."
                parent = super()
                return LlamaModel.forward(self, x.LlamaModel)
        """
    assert flatten_like_python(modular, PARENT).only.endswith(
        source("""
        class MyModelModel(LlamaModel):
            def forward(self, x):
                "Like LlamaModel."
                parent = super()
                return LlamaModel.forward(self, x.LlamaModel)
        """)
    )


@pytest.mark.parametrize(
    "use",
    [
        "return isinstance(self, LlamaModel) and not isinstance(x, LlamaModel)",
        "return is_model(self) and not is_model(x)",
        "return LlamaModel is not type(self)",
    ],
)
def test_the_parent_is_kept_if_its_name_is_used(flatten_like_python, use):
    modular = f"""
        from ..llama.modeling_llama import LlamaModel


        def is_model(x):
            return isinstance(x, LlamaModel)


        class MyModelModel(LlamaModel):
            def is_other(self, x):
                {use}
        """
    converted = flatten_like_python(modular, PARENT)
    assert "MOD308" in str(converted.messages)
    assert run(converted.only)["MyModelModel"]().is_other(1)


def test_a_parent_with_type_arguments_is_kept(flatten_like_python):
    parent = """
        from typing import Generic, TypeVar


        T = TypeVar("T")


        class LlamaModel(Generic[T]):
            def forward(self, x):
                return x
        """
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModelModel(LlamaModel[int]):
            def forward(self, x):
                return super().forward(x) + 1
        """
    text = flatten_like_python(modular, parent).only
    assert "class MyModelModel(LlamaModel[int]):" in text
    assert run(text)["MyModelModel"]().forward(1) == 2


def test_an_import_in_a_method_keeps_the_name_of_a_copied_parent(
    flatten_like_python: Flatten,
) -> None:
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModelText(LlamaModel):
            def forward(self, x):
                from ..llama.modeling_llama import LlamaModel as Original

                return super(), Original
        """
    text = flatten_like_python(modular, PARENT).only
    assert "class MyModelText(MyModelModel):" in text
    assert "        from ..llama.modeling_llama import LlamaModel as Original\n" in text


def test_an_import_in_a_method_keeps_the_name_of_the_parent_file(
    flatten_like_python: Flatten,
) -> None:
    result = flatten_like_python(
        """
        from ..llama.modeling_llama import LlamaNorm


        class MyModelNorm(LlamaNorm):
            def parents(self):
                from ..llama.modeling_llama import LlamaNorm as Original

                return [LlamaNorm, Original]
        """,
        "class LlamaNorm:\n    size = 1\n",
    )
    assert "import LlamaNorm as Original\n" in result.only
    assert "return [LlamaNorm, Original]" in result.only


def test_a_parent_class_in_a_default_value_is_kept(flatten_like_python) -> None:
    result = flatten_like_python(
        """
        from ..llama.modeling_llama import LlamaModel


        class MyModelModel(LlamaModel):
            def forward(self, x, size=LlamaModel.size):
                return x * size
        """,
        """
        class LlamaModel:
            size = 3

            def forward(self, x):
                return x
        """,
    )
    assert [item.code.id for item in result.diagnostics] == ["MOD308"]
    assert run(result.only)["MyModelModel"]().forward(2) == 6


@pytest.mark.parametrize(
    ("parent", "child", "reason"),
    [
        (
            """
            class LlamaModel:
                def __init__(self):
                    self.__size = 1
            """,
            "def read(self):\n        return getattr(self, '_Llama' + 'Model__size')",
            "`__size` is a private name of `LlamaModel`",
        ),
        (
            """
            from typing import Generic, TypeVar

            T = TypeVar("T")


            class LlamaModel(Generic[T]):
                pass
            """,
            "pass",
            "`LlamaModel` has type parameters",
        ),
        (
            """
            from abc import ABC


            class LlamaModel(ABC):
                pass


            LlamaModel.register(int)
            """,
            "pass",
            "`LlamaModel.register(int)` of the parent's file would change",
        ),
        (
            """
            SEEN = []


            def note(function):
                SEEN.append(function)
                return function


            class LlamaModel:
                @note
                def forward(self):
                    return len(SEEN)
            """,
            "def forward(self):\n        return 1",
            "but the decorator `@note` may have stored it elsewhere",
        ),
        (
            """
            class LlamaModel:
                size = 1
                names = sorted(vars())
            """,
            "width = 2",
            "`vars` in the body of `LlamaModel` sees the members of both classes",
        ),
        (
            """
            class LlamaModel:
                size = 1

                def forward(self, x):
                    return x

                def names(self):
                    return dir(self)
            """,
            "size = 2",
            "`dir` in the code of `LlamaModel` may see",
        ),
        (
            """
            class LlamaModel:
                size = 1

                def forward(self, x):
                    return x
            """,
            "def names(self, other):\n        return dir(other.config), dir(type(self))",
            "`dir` in the code of `MyModelText` may see",
        ),
        (
            """
            class LlamaModel:
                size = 1

                def forward(self, x):
                    return x
            """,
            "def names(self):\n        return vars(type(self))",
            "`vars` in the code of `MyModelText` may see",
        ),
        (
            """
            class LlamaModel:
                size = 1

                def forward(self, x):
                    return x
            """,
            "size = 2\n    def reset(self):\n        del type(self).size",
            "`size` in the code of `MyModelText` may see",
        ),
        (
            """
            class Base:
                def __init__(self):
                    look(self)


            def look(model):
                return type(model).__dict__


            class LlamaModel(Base):
                size = 1
            """,
            "size = 2",
            "`look` in the code of `Base` may see",
        ),
        (
            """
            NAMES = []


            def tag(**names):
                def wrap(class_):
                    NAMES.extend(vars(class_))
                    return class_

                return wrap


            @tag(size=1)
            class LlamaModel:
                size = 1
            """,
            "size = 2",
            "the decorator `@tag` of `LlamaModel` may see",
        ),
        (
            """
            from functools import total_ordering


            @total_ordering
            class LlamaModel:
                def __le__(self, other):
                    return True
            """,
            "def __lt__(self, other):\n        return False",
            "the decorator `@total_ordering` of `LlamaModel` may see",
        ),
        (
            """
            class LlamaModel:
                size = 1

                def forward(self, x):
                    return x


            LlamaModel.forward.size = 1
            """,
            "def forward(self, x):\n        return 2",
            "`LlamaModel.forward.size = 1` of the parent's file would change",
        ),
        (
            """
            class LlamaModel:
                size = 1

                def forward(self, x):
                    return x


            LlamaModel.width = 2 * LlamaModel.size
            """,
            "size = 2",
            "`LlamaModel.width = 2 * LlamaModel.size` of the parent's file would change",
        ),
    ],
)
def test_a_parent_is_kept_whose_class_is_seen_by_other_code(
    flatten_like_python, parent, child, reason
):
    modular = f"""
        from ..llama.modeling_llama import LlamaModel


        class MyModelText(LlamaModel):
            {child.replace(chr(10), chr(10) + " " * 8)}
        """
    converted = flatten_like_python(modular, parent)
    assert [reason in message for message in converted.messages] == [True]
    assert "class MyModelText(MyModelModel):" in converted.only


@pytest.mark.parametrize(
    ("child", "reason"),
    [
        (
            "def f(self): return vars(MyModelText)",
            "`vars` in the code of `MyModelText`",
        ),
        ("def f(self): return vars(self.__class__)", "`vars` in the code of"),
        ("def f(self, x): return dir(x.__class__)", "`dir` in the code of"),
        ("def f(self, x): return dir(x)", "`dir` in the code of"),
        ("def f(self): return list(map(dir, [self]))", "`dir` in the code of"),
        ("@staticmethod\ndef f(): return vars(type(print()))", "`vars` in the code of"),
        ("names = dir()", "`dir` in the body of `MyModelText` sees"),
        ("def f(self): return self.__class__.__dict__", "`__dict__` in the code of"),
        ("def f(self): return look(type(self))", "`look` in the code of"),
        ("names = property(lambda self: look(type(self)))", "`look` in the code of"),
        ("size = 2\ndef f(self, x): del x.size", "`size` in the code of"),
        (
            "size = 2\ndef f(self): delattr(type(self), 'size' if self.size else '')",
            "`size` in the code of",
        ),
        ("width = 2\n\n\nNAMES = vars(MyModelText)", "`vars` in the code may see"),
    ],
)
def test_a_parent_is_kept_if_code_lists_the_members_of_the_class(
    flatten_like_python, child, reason
):
    member, _, below = child.partition("\n\n\n")
    members = member.replace("\n", "\n    ")
    modular = (
        "from ..llama.modeling_llama import LlamaModel, look\n\n\n"
        f"class MyModelText(LlamaModel):\n    {members}\n\n\n{below}\n"
    )
    parent = """
        def look(model):
            return vars(model)


        class LlamaModel:
            size = 1
        """
    converted = flatten_like_python(modular, parent)
    assert any(reason in message for message in converted.messages)


@pytest.mark.parametrize(
    "child",
    [
        "def read(self):\n        return vars(self)",
        "def read(self):\n        return self.__dict__",
        "size = 2\n    def reset(self):\n        del self.size",
        "def read(self):\n        return look(self)",
        "def read(self, other):\n        return dir(other.config)",
        "def read(self):\n        return dir(self.config)",
        "def read(self):\n        return dir()",
        "def read(self):\n        return fail(self)",
        "def read(self, other):\n        return list_members(other), list_members('a')",
        "def read(self):\n        return look(self, 'a')",
        "def read(self):\n        return 'dir'",
        "size = 2\n    def read(self):\n        return vars(self), self.size",
    ],
)
def test_a_parent_is_merged_if_only_the_object_is_seen(flatten_like_python, child):
    parent = """
        def look(model, name=""):
            return model.__dict__


        def list_members(model):
            return vars(type(model))


        def fail():
            return 1


        def tag(class_):
            class_.kind = 1
            return class_


        @tag
        class LlamaModel:
            size = 1
        """
    modular = f"""
        from ..llama.modeling_llama import LlamaModel, fail, list_members, look


        class MyModelText(LlamaModel):
            {child.replace(chr(10), chr(10) + " " * 8)}
        """
    assert "class MyModelText:" in flatten_like_python(modular, parent).only


def test_object_is_no_base_above_another_base(flatten_like_python):
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class Other:
            pass


        class MyModelModel(LlamaModel, Other):
            pass
        """
    parent = "class LlamaModel(object):\n    size = 1\n"
    text = flatten_like_python(modular, parent).only
    assert "class MyModelModel(Other):" in text


def test_a_parent_is_merged_if_its_decorator_only_tells_the_compiler_of_torch(
    flatten_like_python,
):
    parent = """
        from torch_utils import maybe_allow_in_graph


        @maybe_allow_in_graph
        class LlamaModel:
            size = 1
        """
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModelText(LlamaModel):
            size = 2
        """
    assert "class MyModelText:" in flatten_like_python(modular, parent).only


def test_a_statement_of_the_modular_file_changes_the_kept_parent(flatten_like_python):
    modular = f"{VALUE_OF_SUPER}\n\n    LlamaModel.size = 4\n"
    text = flatten_like_python(modular, PARENT).only
    assert text.endswith("\nLlamaModel.size = 4\n")


def test_a_parent_has_a_private_name_if_another_parent_file_has_its_new_name(tmp_path):
    files = {
        "pyproject.toml": '[tool.modular]\ninheritance = "python"\n',
        "models/llama/modeling_llama.py": source(
            """
            class LlamaBase:
                size = 1


            class LlamaModel(LlamaBase):
                width = 2
            """
        ),
        "models/bert/modeling_bert.py": source(
            """
            class BertBase:
                size = 3
            """
        ),
        "models/olmo/modular_olmo.py": source(
            """
            from ..bert.modeling_bert import BertBase
            from ..llama.modeling_llama import LlamaModel


            class OlmoModel(LlamaModel):
                pass


            class OlmoText(BertBase):
                def check(self):
                    return isinstance(self, BertBase)
            """
        ),
    }
    names = run(convert(tmp_path, files).only)
    assert names["OlmoText"]().check()
    assert (names["OlmoModel"].size, names["OlmoText"].size) == (1, 3)


@pytest.mark.parametrize(
    ("base_path", "import_from", "is_merged"),
    [
        ("modeling_utils.py", "...modeling_utils", True),
        ("models/bert/modeling_bert.py", "..bert.modeling_bert", False),
    ],
)
def test_only_the_shared_base_class_of_transformers_may_look_at_the_bases(
    tmp_path, base_path, import_from, is_merged
):
    files = {
        "pyproject.toml": '[tool.modular]\ninheritance = "python"\n',
        base_path: source(
            """
            class PreTrainedModel:
                def names(self):
                    return [base.__name__ for base in type(self).__mro__]
            """
        ),
        "models/llama/modeling_llama.py": source(
            f"""
            from {import_from} import PreTrainedModel


            class LlamaModel(PreTrainedModel):
                size = 1
            """
        ),
        "models/olmo/modular_olmo.py": source(
            """
            from ..llama.modeling_llama import LlamaModel


            class OlmoModel(LlamaModel):
                size = 2
            """
        ),
    }
    text = convert(tmp_path, files).only
    assert ("class OlmoModel(PreTrainedModel):" in text) is is_merged


@pytest.mark.parametrize(
    ("decorators", "hint"),
    [
        ("", "write `@no_inherit_decorator`"),
        ("@no_inherit_decorator\n", None),
    ],
)
def test_the_hint_about_an_unknown_class_decorator_can_be_followed(
    flatten_like_python, decorators, hint
):
    parent = """
        from lib import tag


        @tag(size=1)
        class LlamaModel:
            size = 1
        """
    modular = f"""
from ...utils.modular import no_inherit_decorator
from ..llama.modeling_llama import LlamaModel


{decorators}class MyModelText(LlamaModel):
    size = 2
"""
    converted = flatten_like_python(modular, parent)
    hints = [
        diagnostic.hint
        for diagnostic in converted.diagnostics
        if diagnostic.code.id == "MOD308"
    ]
    assert hints == ([] if hint is None else [hint])


@pytest.mark.parametrize(
    ("use", "is_kept"),
    [
        ("super(MyModelText, self).forward(x)", True),
        ("super(MyModelLast, self).forward(x)", False),
        ("MyModelText.forward(self, x)", False),
    ],
)
def test_a_parent_is_kept_if_super_of_the_class_is_outside_of_it(
    flatten_like_python, use, is_kept
):
    modular = f"""
        from ..llama.modeling_llama import LlamaModel


        class MyModelText(LlamaModel):
            size = 2


        class MyModelLast(MyModelText):
            def forward(self, x):
                return {use}
        """
    parent = "class LlamaModel:\n    def forward(self, x):\n        return x\n"
    text = flatten_like_python(modular, parent).only
    assert ("class MyModelText(MyModelModel):" in text) == is_kept


def test_a_parent_is_kept_if_its_name_calls_a_class_method(flatten_like_python):
    parent = """
        class LlamaModel:
            size = 1

            @classmethod
            def build(cls):
                return cls.size

            @staticmethod
            def measure():
                return 1
        """
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModelText(LlamaModel):
            size = 2

            def {}(self):
                return LlamaModel.{}()
        """
    kept = flatten_like_python(modular.format("build", "build"), parent).only
    assert "class MyModelText(MyModelModel):" in kept
    merged = flatten_like_python(modular.format("measure", "measure"), parent).only
    assert "class MyModelText:" in merged


@pytest.mark.parametrize(
    ("value", "is_kept"), [("class_.size", True), ("'large'", False)]
)
def test_a_parent_is_kept_if_its_decorator_reads_a_member(
    flatten_like_python, value, is_kept
):
    parent = f"""
        def tag(class_):
            class_.tag = {value}
            return class_


        @tag
        class LlamaModel:
            size = 1
        """
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModelText(LlamaModel):
            size = 2
        """
    text = flatten_like_python(modular, parent).only
    assert ("class MyModelText(MyModelModel):" in text) == is_kept
