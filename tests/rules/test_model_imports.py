"""Tests of the rule `model-imports`."""

import pytest

from modular.run import api
from tests.support import source, write_project


PARENT = """
    EPS = 1


    def scale(x):
        return x * EPS


    class LlamaMLP:
        size = 1
    """

MLP = source("""
    class MyModelMLP(LlamaMLP):
        pass
    """)


@pytest.mark.parametrize(
    "statement",
    [
        "from ..llama.modeling_llama import LlamaMLP",
        "from ...models.llama.modeling_llama import LlamaMLP",
        "from transformers.models.llama.modeling_llama import LlamaMLP",
        "from ..llama.modeling_llama import (  # the parent\n    LlamaMLP,  # its class\n)",
        "from ..llama \\\n    .modeling_llama import LlamaMLP",
        "import math; from ..llama.modeling_llama import LlamaMLP",
    ],
)
def test_model_imports_have_several_forms(flatten, statement):
    assert (
        flatten(f"{statement}\n\n\n{MLP}", PARENT).only
        == "class MyModelMLP:\n    size = 1\n"
    )


@pytest.mark.parametrize(
    "folder", ["examples", "examples/modular", "examples/modular/deep"]
)
@pytest.mark.parametrize(
    "module", ["..llama.modeling_llama", "...models.llama.modeling_llama"]
)
def test_relative_imports_outside_the_models_folder_name_models(
    tmp_path, folder, module
):
    path = f"{folder}/modular_my_model.py"
    modular = f"from {module} import LlamaMLP\n\n\n{MLP}"
    write_project(
        tmp_path, {"models/llama/modeling_llama.py": source(PARENT), path: modular}
    )
    report = api.convert(
        [tmp_path / path], options=api.Options(root=tmp_path, jobs=1, cache=False)
    )
    assert report.diagnostics == ()
    assert (
        tmp_path / folder / "modeling_my_model.py"
    ).read_text() == "class MyModelMLP:\n    size = 1\n"


def test_a_missing_model_outside_the_models_folder_is_an_error(tmp_path):
    modular = f"from ..lama.modeling_lama import LlamaMLP\n\n\n{MLP}"
    write_project(
        tmp_path,
        {
            "models/llama/modeling_llama.py": source(PARENT),
            "examples/modular_my_model.py": modular,
        },
    )
    options = api.Options(root=tmp_path, jobs=1, cache=False)
    report = api.convert([tmp_path / "examples/modular_my_model.py"], options=options)
    assert [
        (diagnostic.code.id, diagnostic.hint) for diagnostic in report.diagnostics
    ] == [("MOD201", "did you mean `llama`?")]


@pytest.mark.parametrize("formatter", ["ruff", "none"])
@pytest.mark.parametrize("statement", ["size = 1 +", "size = one two", "size = ("])
def test_a_parent_file_must_be_python(flatten, formatter, statement):
    converted = flatten(
        f"from ..llama.modeling_llama import LlamaMLP\n\n\n{MLP}",
        f"class LlamaMLP:\n    {statement}\n",
        formatter=formatter,
    )
    (problem,) = converted.diagnostics
    assert (problem.code.id, problem.place.path, problem.place.line) == (
        "MOD101",
        "models/llama/modeling_llama.py",
        2,
    )
    assert converted.files == {}


def test_a_modular_file_may_have_two_parent_files(flatten):
    bert = """
        class BertLayer:
            size = 2
        """
    modular = """
        from ..bert.modeling_bert import BertLayer
        from ..llama.modeling_llama import LlamaMLP


        class MyModelMLP(LlamaMLP):
            pass


        class MyModelLayer(BertLayer):
            pass
        """
    assert flatten(
        modular, PARENT, {"models/bert/modeling_bert.py": bert}
    ).only == source("""
        class MyModelMLP:
            size = 1


        class MyModelLayer:
            size = 2
        """)


def test_functions_and_assignments_are_inlined(flatten):
    modular = """
        from ..llama.modeling_llama import scale


        class MyModelMLP:
            def forward(self, x):
                return scale(x)
        """
    assert flatten(modular, PARENT).only == source("""
        EPS = 1


        def scale(x):
            return x * EPS


        class MyModelMLP:
            def forward(self, x):
                return scale(x)
        """)


def test_a_class_may_be_imported_under_another_name(flatten):
    modular = """
        from ..llama.modeling_llama import LlamaMLP as Base


        class MyModelMLP(Base):
            pass
        """
    assert flatten(modular, PARENT).only == "class MyModelMLP:\n    size = 1\n"


def test_ordinary_imports_are_kept(flatten):
    modular = """
        from ...models.auto.modeling_auto import AutoModel
        from ..auto import AutoConfig
        from ..llama import helpers
        from .modeling_my_helpers import help


        class MyModelMLP:
            parts = [AutoModel, AutoConfig, helpers, help]
        """
    assert flatten(modular, PARENT).only == source("""
        from ...models.auto.modeling_auto import AutoModel
        from ..auto import AutoConfig
        from ..llama import helpers
        from .modeling_my_helpers import help


        class MyModelMLP:
            parts = [AutoModel, AutoConfig, helpers, help]
        """)


def test_a_parent_may_be_generated(flatten):
    young = """
        from ..my_model.modeling_my_model import MyModelMLP


        class YoungMLP(MyModelMLP):
            depth = 2
        """
    modular = """
        from ..llama.modeling_llama import LlamaMLP


        class MyModelMLP(LlamaMLP):
            width = 3
        """
    files = flatten(modular, PARENT, {"models/young/modular_young.py": young}).files
    assert files["models/young/modeling_young.py"] == source("""
        class YoungMLP:
            size = 1
            width = 3
            depth = 2
        """)


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("from ..llama.modeling_lama import LlamaMLP", "MOD201"),
        ("from ..lama.modeling_lama import LlamaMLP", "MOD201"),
        ("from ..llama.modeling_llama import LlamaMPL, LlamaMLP", "MOD202"),
        ("from ..llama.modeling_llama import *", "MOD202"),
        ("from ..llama.modeling_llama import LlamaConfig, LlamaMLP", "MOD203"),
        ("from transformers import LlamaMLP", "MOD204"),
    ],
)
def test_some_model_imports_are_errors(flatten, statement, code):
    converted = flatten(f"{statement}\n\n\n{MLP}", PARENT)
    assert [found for found, _ in converted.codes] == [code]
    assert converted.files == {}


def test_two_parent_classes_are_an_error(flatten):
    parent = """
        class LlamaMLP:
            size = 1


        class LlamaNorm:
            size = 1
        """
    modular = """
        from ..llama.modeling_llama import LlamaMLP, LlamaNorm


        class MyModelMLP(LlamaMLP, LlamaNorm):
            pass
        """
    converted = flatten(modular, parent)
    assert [code for code, _ in converted.codes] == ["MOD301"]
    assert converted.files == {}


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        (
            "from ...models.llama.modeling_llama import LlamaMLP, LlamaNorm, scale",
            "from ...models.llama.modeling_llama import LlamaNorm\n\n\n",
        ),
        ("from ..llama.modeling_llama import LlamaMLP, LlamaNorm, scale", ""),
        (
            "from transformers.models.llama.modeling_llama import LlamaMLP, LlamaNorm, scale",
            "",
        ),
    ],
)
def test_a_class_may_be_used_under_its_own_name(flatten, statement, expected):
    """What is copied, as functions are, and what only is inherited from, is not imported whatever the form."""
    parent = """
        def scale(x):
            return x


        class LlamaNorm:
            pass


        class LlamaMLP:
            pass
        """
    modular = f"""{statement}


class MyModelMLP(LlamaMLP):
    norm = LlamaNorm(scale)
"""
    assert flatten(modular, parent).only == expected + source("""
        def scale(x):
            return x


        class MyModelMLP:
            norm = LlamaNorm(scale)
        """)


def test_a_parent_is_looked_up_by_its_renamed_name(flatten):
    parent = """
        class LLaMaMLP:
            size = 1


        class LlamaNorm:
            eps = 1
        """
    modular = """
        from ..llama.modeling_llama import LlamaMLP
        from ..llama.modeling_llama import LLAMANorm, LlamaHead


        class MyModelMLP(LlamaMLP):
            pass
        """
    converted = flatten(
        modular.replace(
            "from ..llama.modeling_llama import LLAMANorm, LlamaHead\n", ""
        ),
        parent,
    )
    assert converted.only == source("""
        class MyModelMLP:
            size = 1
        """)
    assert converted.messages == [
        "MOD412 line 1: `models/llama/modeling_llama.py` has no `LlamaMLP`: "
        "`LLaMaMLP` is inherited from, which is the same after renaming"
    ]
    assert flatten(modular, parent).codes == [("MOD202", 2), ("MOD202", 2)]
