"""Tests of `ModularFile`."""

from modular.rules.reading.modular_file import ModularFile
from modular.source.import_statements import Import
from modular.source.module import read


TEXT = """\
import math
from ..llama.modeling_llama import LlamaMLP, scale as llama_scale
from ..bert.modeling_bert import BertLayer; from ..llama.modeling_llama import SIZE

if COLD:
    import ice

__all__ = ["Old"]
__getattr__ = deprecate_attr(__name__)
WIDTH = 1
WIDTH.x = 2


class MyMLP(LlamaMLP, Saved[int]):
    pass


class MyLayer((BertLayer), key=1): pass


class MyBoth(BertLayer, LlamaMLP): pass


class MyHead: pass


__all__ = ["MyMLP"]
"""


def parent_path(statement: Import) -> str | None:
    return statement.module if statement.level else None


FILE = ModularFile(read("modular_my.py", TEXT), "my", "My", parent_path, lambda _: None)


def test_a_modular_file_has_definitions():
    assert list(FILE.definitions.assignments) == [
        "__all__",
        "__getattr__",
        "WIDTH",
        "WIDTH.x = 2\n",
    ]
    assert list(FILE.definitions.classes) == ["MyMLP", "MyLayer", "MyBoth", "MyHead"]


def test_the_last_assignment_is_found():
    assert FILE.last_assignment("__all__").bare_code.text == '__all__ = ["MyMLP"]\n'
    assert (
        FILE.last_assignment("__getattr__").bare_code.text
        == "__getattr__ = deprecate_attr(__name__)\n"
    )
    assert FILE.last_assignment("__other__") is None


def test_model_imports_are_found():
    assert [
        (path, [str(name) for name in import_.names])
        for path, import_ in FILE.model_imports
    ] == [
        ("llama.modeling_llama", ["LlamaMLP", "scale as llama_scale"]),
        ("bert.modeling_bert", ["BertLayer"]),
        ("llama.modeling_llama", ["SIZE"]),
    ]
    assert FILE.parent_paths == ("llama.modeling_llama", "bert.modeling_bert")
    assert FILE.parent_of["llama_scale"] == "llama.modeling_llama"
    assert FILE.original_names["llama_scale"] == "scale"


def test_ordinary_imports_and_guards_are_found():
    assert [
        import_statement.bare_code.text for import_statement in FILE.import_statements
    ] == [
        "import math\n",
        "if COLD:\n    import ice\n",
    ]


def test_parent_classes_are_found():
    assert FILE.parents_of("MyMLP") == ["LlamaMLP"]
    assert FILE.parents_of("MyBoth") == ["BertLayer", "LlamaMLP"]
    assert FILE.parents_of("MyHead") == []
