"""Tests of the rule `model-imports`."""

from pathlib import Path

import pytest

from modular.run import api
from modular.source.edits import apply_edits
from tests.conftest import Flatten
from tests.reporting import (
    LLAMA,
    OLMO,
    PARENT,
    codes_and_places,
    diagnostics,
    lines,
    of_olmo,
    report,
)
from tests.support import source, write_project


PARENT_FILE = """
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
        flatten(f"{statement}\n\n\n{MLP}", PARENT_FILE).only
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
        tmp_path, {"models/llama/modeling_llama.py": source(PARENT_FILE), path: modular}
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
            "models/llama/modeling_llama.py": source(PARENT_FILE),
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
        modular, PARENT_FILE, {"models/bert/modeling_bert.py": bert}
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
    assert flatten(modular, PARENT_FILE).only == source("""
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
    assert flatten(modular, PARENT_FILE).only == "class MyModelMLP:\n    size = 1\n"


def test_ordinary_imports_are_kept(flatten):
    modular = """
        from ...models.auto.modeling_auto import AutoModel
        from ..auto import AutoConfig
        from ..llama import helpers
        from .modeling_my_helpers import help


        class MyModelMLP:
            parts = [AutoModel, AutoConfig, helpers, help]
        """
    assert flatten(modular, PARENT_FILE).only == source("""
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
    files = flatten(
        modular, PARENT_FILE, {"models/young/modular_young.py": young}
    ).files
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
    converted = flatten(f"{statement}\n\n\n{MLP}", PARENT_FILE)
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
        "MOD412 line 1: `models/llama/modeling_llama.py` has no `LlamaMLP`; using `LLaMaMLP`, which has the same name after renaming"
    ]
    assert flatten(modular, parent).codes == [("MOD202", 2), ("MOD202", 2)]


def test_name_not_in_parent(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import (
            LlamaMlp,
            LlamaModel,
        )

        class OlmoMLP(LlamaMlp):
            pass
        """,
    )
    assert codes_and_places(reported) == ["MOD202 models/olmo/modular_olmo.py:2:5"]
    assert "hint: did you mean `LlamaMLP`?" in reported


def test_name_that_resembles_nothing(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import Wav2Vec2Encoder

        class OlmoEncoder(Wav2Vec2Encoder):
            pass
        """,
    )
    assert codes_and_places(reported) == ["MOD202 models/olmo/modular_olmo.py:1:36"]
    assert "hint: import a name that it defines, such as `LlamaMLP`" in reported


def test_star_import(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import *

        class OlmoMLP(LlamaMLP):
            pass
        """,
    )
    assert codes_and_places(reported) == ["MOD202 models/olmo/modular_olmo.py:1:36"]
    assert "hint: write `from ..llama.modeling_llama import LlamaMLP`" in reported


def test_star_import_of_which_nothing_is_used(tmp_path: Path) -> None:
    (reported,) = diagnostics(
        tmp_path,
        {
            LLAMA: PARENT,
            OLMO: "from ..llama.modeling_llama import *\n\n\nclass OlmoMLP:\n    pass\n",
        },
    )
    assert reported.hint == "list the names that you need, or remove the import"
    assert reported.fixes == ()


def test_star_import_is_replaced_by_the_names_that_are_used(tmp_path: Path) -> None:
    text = (
        "from ..llama.modeling_llama import *\n\n\n"
        "class OlmoMLP(LlamaMLP):\n    pass\n\n\n"
        "class OlmoModel(LlamaModel):\n    pass\n"
    )
    (reported,) = diagnostics(tmp_path, {LLAMA: PARENT, OLMO: text})
    (fix,) = reported.fixes
    fixed = apply_edits(text, fix.edits)
    assert fixed == text.replace("import *", "import LlamaMLP, LlamaModel")
    assert diagnostics(tmp_path / "fixed", {LLAMA: PARENT, OLMO: fixed}) == ()


def test_class_that_the_parent_file_only_imports(tmp_path: Path) -> None:
    parent = "from ...modeling_utils import PreTrainedModel\n\n\nclass LlamaPreTrainedModel(PreTrainedModel):\n    pass\n"
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import PreTrainedModel

        class OlmoPreTrainedModel(PreTrainedModel):
            pass
        """,
        parent,
    )
    assert codes_and_places(reported) == ["MOD202 models/olmo/modular_olmo.py:1:36"]
    assert "hint: write `from ...modeling_utils import PreTrainedModel`" in reported


def test_parent_that_is_no_class(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import llama_mlp

        class OlmoMLP(llama_mlp):
            pass
        """,
        "def llama_mlp(x):\n    return x\n",
    )
    assert codes_and_places(reported) == ["MOD202 models/olmo/modular_olmo.py:1:36"]


def test_config_from_modeling(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaConfig, LlamaMLP

        class OlmoConfig(LlamaConfig):
            pass
        """,
    )
    assert codes_and_places(reported) == ["MOD203 models/olmo/modular_olmo.py:1:36"]
    assert (
        "hint: write `from ..llama.configuration_llama import LlamaConfig`" in reported
    )


def test_import_from_package(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from transformers import LlamaMLP

        class OlmoMLP(LlamaMLP):
            pass
        """,
    )
    assert codes_and_places(reported) == ["MOD204 models/olmo/modular_olmo.py:1:6"]
    assert "hint: write `from ..llama.modeling_llama import LlamaMLP`" in reported


def test_name_from_other_parent(tmp_path: Path) -> None:
    answer = report(
        tmp_path,
        {
            LLAMA: PARENT,
            "models/siglip/modeling_siglip.py": "class SiglipMLP:\n    pass\n",
            OLMO: lines("""
                from ..llama.modeling_llama import LlamaModel
                from ..siglip.modeling_siglip import LlamaMLP, SiglipMLP


                class OlmoMLP(SiglipMLP):
                    pass


                class OlmoModel(LlamaModel):
                    pass
                """),
        },
    )
    assert codes_and_places(answer) == ["MOD407 models/olmo/modular_olmo.py:2:38"]


def test_import_from_the_package_of_what_some_file_has(tmp_path: Path) -> None:
    qwen = "models/qwen2_moe/modeling_qwen2_moe.py"
    modular = "from transformers import Qwen2MoeBlock\n\n\nclass OlmoBlock(Qwen2MoeBlock):\n    pass\n"
    [reported] = diagnostics(
        tmp_path,
        {LLAMA: PARENT, qwen: "class Qwen2MoeBlock:\n    pass\n", OLMO: modular},
    )
    assert (
        reported.hint
        == "write `from ..qwen2_moe.modeling_qwen2_moe import Qwen2MoeBlock`"
    )


def test_other_projects_import_names_of_no_model_from_the_package(
    tmp_path: Path,
) -> None:
    modular = source("""
        from transformers import LlamaConfig, PreTrainedModel


        class OlmoModel(PreTrainedModel):
            config_class = LlamaConfig
    """)
    files = {LLAMA: "class LlamaConfig:\n    pass\n", OLMO: modular}
    assert diagnostics(tmp_path, files) == ()


def test_the_library_itself_imports_nothing_from_its_package(tmp_path: Path) -> None:
    models = "src/transformers/models"
    modular = source("""
        from transformers import PreTrainedModel


        class OlmoModel(PreTrainedModel):
            pass
    """)
    files = {
        "pyproject.toml": "",
        "src/transformers/__init__.py": "",
        f"{models}/olmo/modular_olmo.py": modular,
    }
    [reported] = diagnostics(tmp_path, files)
    assert reported.code.id == "MOD204"
    assert reported.hint == (
        "import from the file that defines it; no model file defines `PreTrainedModel`"
    )


def test_a_parent_class_in_other_capitals_is_an_error_with_pythons_inheritance(
    flatten_like_python: Flatten,
) -> None:
    modular = """
        from ..llama.modeling_llama import LLamaMLP


        class MyModelMLP(LLamaMLP):
            pass
        """
    converted = flatten_like_python(modular, "    class LlamaMLP:\n        size = 1\n")
    [reported] = converted.diagnostics
    assert (reported.code.id, reported.hint) == ("MOD202", "did you mean `LlamaMLP`?")
    assert converted.files == {}
