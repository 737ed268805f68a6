"""Model imports that name what is not there (MOD2xx, MOD407)."""

from pathlib import Path

from modular.source.edits import apply_edits
from tests.reporting import (
    LLAMA,
    OLMO,
    PARENT,
    diagnostics,
    lines,
    of_olmo,
    report,
)


def test_parent_file_not_found_in_its_folder(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_lama import LlamaMLP

        class OlmoMLP(LlamaMLP):
            pass
        """,
    )
    assert reported == lines("""
        error[MOD201]: no parent file `models/llama/modeling_lama.py`
          --> models/olmo/modular_olmo.py:1:8
         1 | from ..llama.modeling_lama import LlamaMLP
           |        ^^^^^^^^^^^^^^^^^^^
             hint: did you mean `modeling_llama`?

        """)


def test_parent_model_not_found(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from ..lama.modeling_lama import LlamaMLP

        class OlmoMLP(LlamaMLP):
            pass
        """,
    )
    assert reported == lines("""
        error[MOD201]: no parent file `models/lama/modeling_lama.py`
          --> models/olmo/modular_olmo.py:1:8
         1 | from ..lama.modeling_lama import LlamaMLP
           |        ^^^^^^^^^^^^^^^^^^
             hint: did you mean `llama`?

        """)


def test_parent_file_of_another_type(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.configuration_llama import LlamaConfig

        class OlmoConfig(LlamaConfig):
            pass
        """,
    )
    assert reported == lines("""
        error[MOD201]: no parent file `models/llama/configuration_llama.py`
          --> models/olmo/modular_olmo.py:1:8
         1 | from ..llama.configuration_llama import LlamaConfig
           |        ^^^^^^^^^^^^^^^^^^^^^^^^^
             hint: `llama` has `modeling_llama`

        """)


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
    assert reported == lines("""
        error[MOD202]: `models/llama/modeling_llama.py` has no `LlamaMlp`
          --> models/olmo/modular_olmo.py:2:5
         2 |     LlamaMlp,
           |     ^^^^^^^^
             hint: did you mean `LlamaMLP`?

        """)


def test_name_that_resembles_nothing(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import Wav2Vec2Encoder

        class OlmoEncoder(Wav2Vec2Encoder):
            pass
        """,
    )
    assert reported == lines("""
        error[MOD202]: `models/llama/modeling_llama.py` has no `Wav2Vec2Encoder`
          --> models/olmo/modular_olmo.py:1:36
         1 | from ..llama.modeling_llama import Wav2Vec2Encoder
           |                                    ^^^^^^^^^^^^^^^
             hint: import a name that it defines, such as `LlamaMLP`

        """)


def test_star_import(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import *

        class OlmoMLP(LlamaMLP):
            pass
        """,
    )
    assert reported == lines("""
        error[MOD202]: all names of `models/llama/modeling_llama.py` are imported at \
once, but a model import must list the names
          --> models/olmo/modular_olmo.py:1:36
         1 | from ..llama.modeling_llama import *
           |                                    ^
             hint: write `from ..llama.modeling_llama import LlamaMLP`

        """)


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
    assert reported == lines("""
        error[MOD202]: `models/llama/modeling_llama.py` imports `PreTrainedModel`, \
but does not define it
          --> models/olmo/modular_olmo.py:1:36
         1 | from ..llama.modeling_llama import PreTrainedModel
           |                                    ^^^^^^^^^^^^^^^
             hint: write `from ...modeling_utils import PreTrainedModel`

        """)


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
    assert reported == lines("""
        error[MOD202]: `llama_mlp` of `models/llama/modeling_llama.py` is not a class, so \
no class can inherit from it
          --> models/olmo/modular_olmo.py:1:36
         1 | from ..llama.modeling_llama import llama_mlp
           |                                    ^^^^^^^^^
             hint: inherit from a class

        """)


def test_config_from_modeling(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaConfig, LlamaMLP

        class OlmoConfig(LlamaConfig):
            pass
        """,
    )
    assert reported == lines("""
        error[MOD203]: the configuration `LlamaConfig` is imported from the modeling \
file `models/llama/modeling_llama.py`
          --> models/olmo/modular_olmo.py:1:36
         1 | from ..llama.modeling_llama import LlamaConfig, LlamaMLP
           |                                    ^^^^^^^^^^^
             hint: write `from ..llama.configuration_llama import LlamaConfig`

        """)


def test_import_from_package(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from transformers import LlamaMLP

        class OlmoMLP(LlamaMLP):
            pass
        """,
    )
    assert reported == lines("""
        error[MOD204]: `LlamaMLP` is imported from the package `transformers`, not from a \
file
          --> models/olmo/modular_olmo.py:1:6
         1 | from transformers import LlamaMLP
           |      ^^^^^^^^^^^^
             hint: write `from ..llama.modeling_llama import LlamaMLP`

        """)


def circle_of_three() -> dict[str, str]:
    """Return three modular files: aya takes from yi, yi from bolt, and bolt from aya."""
    takes = {"aya": "yi", "yi": "bolt", "bolt": "aya"}
    source = "from ..{parent}.modeling_{parent} import {P}MLP\n\n\nclass {M}MLP({P}MLP):\n    pass\n"
    return {
        f"models/{model}/modular_{model}.py": source.format(
            parent=parent, P=parent.title(), M=model.title()
        )
        for model, parent in takes.items()
    }


def test_circle(tmp_path: Path) -> None:
    circle = (
        "modular files inherit from each other in a cycle: models/aya/modular_aya.py -> models/yi/modular_yi.py -> "
        "models/bolt/modular_bolt.py -> models/aya/modular_aya.py"
    )
    assert report(tmp_path, circle_of_three()) == lines(f"""
        error[MOD205]: {circle}
          --> models/aya/modular_aya.py:1:8
         1 | from ..yi.modeling_yi import YiMLP
           |        ^^^^^^^^^^^^^^
             hint: let one of them inherit from a hand-written file

        error[MOD205]: {circle}
          --> models/bolt/modular_bolt.py:1:8
         1 | from ..aya.modeling_aya import AyaMLP
           |        ^^^^^^^^^^^^^^^^
             hint: let one of them inherit from a hand-written file

        error[MOD205]: {circle}
          --> models/yi/modular_yi.py:1:8
         1 | from ..bolt.modeling_bolt import BoltMLP
           |        ^^^^^^^^^^^^^^^^^^
             hint: let one of them inherit from a hand-written file

        """)


def test_circle_of_files_that_were_generated_once(tmp_path: Path) -> None:
    generated = {
        f"models/{model}/modeling_{model}.py": f"class {model.title()}MLP:\n    pass\n"
        for model in ("aya", "yi", "bolt")
    }
    reported = diagnostics(tmp_path, {**circle_of_three(), **generated})
    assert [(diagnostic.code.id, diagnostic.place.path) for diagnostic in reported] == [
        ("MOD205", "models/aya/modular_aya.py"),
        ("MOD205", "models/bolt/modular_bolt.py"),
        ("MOD205", "models/yi/modular_yi.py"),
    ]


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
    assert answer == lines("""
        warning[MOD407]: `models/siglip/modeling_siglip.py` has no `LlamaMLP`
          --> models/olmo/modular_olmo.py:2:38
         2 | from ..siglip.modeling_siglip import LlamaMLP, SiglipMLP
           |                                      ^^^^^^^^
             hint: remove it: nothing uses it

        """)


def test_all_errors_of_a_file_are_reported_in_their_order(tmp_path: Path) -> None:
    found = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaAttention, LlamaConfig, LlamaMLP, LlamaModel

        class OlmoModel(LlamaMLP, LlamaModel):
            pass

        class OlmoAttention(LlamaAttention):
            pass
        """,
    )
    reported = [
        line.split()
        for line in found.splitlines()
        if line.startswith("error") or line.lstrip().startswith("-->")
    ]
    assert [
        (head[0], arrow[1])
        for head, arrow in zip(reported[::2], reported[1::2], strict=True)
    ] == [
        ("error[MOD202]:", "models/olmo/modular_olmo.py:1:36"),
        ("error[MOD203]:", "models/olmo/modular_olmo.py:1:52"),
        ("error[MOD301]:", "models/olmo/modular_olmo.py:3:27"),
    ]
