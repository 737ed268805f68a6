"""Tests of the rule `renaming`."""

import pytest

from modular.rules.names.renaming import ModelNameForms, Renamer, find_rename_sites
from modular.settings.file_names import read_file_names
from modular.source import scan
from modular.source.source_slice import SourceSlice
from tests.support import source


FILE_NAMES = read_file_names(
    "{type}_{model}.py", ("image_processing", "configuration", "modeling")
)
KEEP = frozenset({"mamba_ssm", "mamba-ssm", "use_mambapy"})


def renamed(
    text: str,
    old: tuple[str, str] = ("llama", "Llama"),
    new: tuple[str, str] = ("my_model", "MyModel"),
) -> str:
    """A piece of code, renamed."""
    renamer = Renamer(ModelNameForms(*old, KEEP, FILE_NAMES), *new, "my_model")
    code = SourceSlice(text, scan.mask_text(text), "parent.py", 1)
    return renamer.rename_slice(code, 0, find_rename_sites(code, renamer.old)).text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("class LlamaMLP(LlamaBase): pass", "class MyModelMLP(MyModelBase): pass"),
        (
            "x = llama.llama_size(llama=LLAMA_SIZE)",
            "x = my_model.my_model_size(my_model=MY_MODEL_SIZE)",
        ),
        ("LLaMA = LlAmA_llama", "MyModel = MyModel_my_model"),
        ("x_llama = _llama + __llama__", "x_my_model = _my_model + __my_model__"),
        (
            "xllama = Xllama + xLlama + 3 * v2llama",
            "xllama = Xllama + xLlama + 3 * v2llama",
        ),
        ("llama2 + llamas + LlamaLlama", "my_model2 + my_models + MyModelLlama"),
        ("import llama.kernels as llama", "import my_model.kernels as my_model"),
        ("größe_llama = Llamaähnlich", "größe_my_model = MyModelähnlich"),
    ],
)
def test_identifiers_are_renamed(text, expected):
    assert renamed(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            '"llama" + \'Llama\' + "LLAMA-7b"',
            '"my_model" + \'MyModel\' + "MY_MODEL-7b"',
        ),
        ('r"\\llama" b"llama"', 'r"\\my_model" b"my_model"'),
        ('"""\nllama\nThe LLaMA.\n"""', '"""\nmy_model\nThe MyModel.\n"""'),
        (
            'f"llama {llama} {x!r:llama>{llama}}"',
            'f"llama {my_model} {x!r:llama>{my_model}}"',
        ),
        (
            'F"""llama {llama["llama"]} {{llama}}"""',
            'F"""llama {my_model["my_model"]} {{llama}}"""',
        ),
        (
            'f"{f\'llama {llama}\'} llama" "llama"',
            'f"{f\'llama {my_model}\'} llama" "my_model"',
        ),
        ('rf"\\llama{llama}"', 'rf"\\llama{my_model}"'),
        ('f"{x:llama}{y=} llama"', 'f"{x:llama}{y=} llama"'),
    ],
)
def test_strings_are_renamed(text, expected):
    assert renamed(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = 1  # llama and Llama, LLAMA", "x = 1  # my_model and MyModel, MY_MODEL"),
        ("# Copied from gpt with Gpt->Llama\nx = 1", "\nx = 1"),
        ("x = 1  # Llama # Copied from gpt\ny = 2", "x = 1  \ny = 2"),
        ('x = "# Copied from llama"', 'x = "# Copied from my_model"'),
    ],
)
def test_comments_are_renamed(text, expected):
    assert renamed(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from llama import llama as Llama", "from llama import llama as Llama"),
        (
            "from llama_x.llama import (\n    llama,  # Llama\n)",
            "from llama_x.llama import (\n    llama,  # Llama\n)",
        ),
        ("from llama import llama  # Llama", "from llama import llama  # MyModel"),
        (
            "from llama import \\\n    llama\nllama",
            "from llama import \\\n    llama\nmy_model",
        ),
        (
            "def f():\n    from llama import llama\n    llama()",
            "def f():\n    from llama import llama\n    my_model()",
        ),
        (
            "import llama; from llama import x; llama",
            "import my_model; from llama import x; my_model",
        ),
        ("from .llama import llama", "from .my_model import my_model"),
        ("from ..llama import llama", "from ..my_model import my_model"),
    ],
)
def test_absolute_imports_are_not_renamed(text, expected):
    assert renamed(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mamba_ssm.mamba(use_mambapy=1)", "mamba_ssm.my_model(use_mambapy=1)"),
        ("mamba_ssm2 + x_mamba_ssm", "my_model_ssm2 + x_my_model_ssm"),
        ('"mamba_ssm" + "mamba-ssm"', '"mamba_ssm" + "mamba-ssm"'),
        ("'mamba_ssm'", "'my_model_ssm'"),
        ('"see mamba_ssm" + "mamba_ssm.x"', '"see my_model_ssm" + "my_model_ssm.x"'),
        ("mamba - ssm", "my_model - ssm"),
        ("# mamba_ssm", "# my_model_ssm"),
        ('f"{mamba_ssm}"', 'f"{mamba_ssm}"'),
    ],
)
def test_kept_names_are_not_renamed(text, expected):
    assert renamed(text, ("mamba", "Mamba")) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("CLIPModel(clip=CLIP_SIZE)", "MyModelModel(my_model=MY_MODEL_SIZE)"),
        ('"CLIP", "CLIP-L", "CLIP2"', '"MY_MODEL", "MY_MODEL-L", "MY_MODEL2"'),
        ("# CLIP's CLIPs Clip", "# MY_MODEL's MyModels MyModel"),
    ],
)
def test_a_letter_after_a_name_in_capitals_decides(text, expected):
    assert renamed(text, ("clip", "CLIP")) == expected


def test_a_cased_name_may_differ_from_the_name_in_capitals():
    text = '"""M2M100 model, of M2M100Config.""" # M2M100: M2M_100'
    assert (
        renamed(text, ("m2m_100", "M2M100"))
        == '"""MyModel model, of MyModelConfig.""" # MyModel: MY_MODEL'
    )


def test_names_that_begin_alike_are_renamed():
    assert renamed(
        "Gemma2Model(gemma2, GemmaModel)", ("gemma2", "Gemma2"), ("gemma", "Gemma")
    ) == ("GemmaModel(gemma, GemmaModel)")
    assert renamed(
        "GemmaModel(gemma, Gemma2Model)", ("gemma", "Gemma"), ("gemma2", "Gemma2")
    ) == ("Gemma2Model(gemma2, Gemma22Model)")


def test_cased_names_may_differ_from_title_case():
    old, new = ("xlm_roberta", "XLMRoberta"), ("qwen2_5_vl", "Qwen2_5_VL")
    assert (
        renamed('XLMRobertaModel("xlm_roberta", XLM_ROBERTA)', old, new)
        == 'Qwen2_5_VLModel("qwen2_5_vl", QWEN2_5_VL)'
    )
    assert (
        renamed('"xlm-roberta" + XlmRoberta', old, new) == '"xlm-roberta" + Qwen2_5_VL'
    )


def test_the_forms_may_begin_with_different_letters():
    text = 'EdgeSamModel("sam_video", SAM_VIDEO, edgesam, xEdgeSam, sam_video2)'
    assert renamed(text, ("sam_video", "EdgeSam")) == (
        'MyModelModel("my_model", MY_MODEL, MyModel, xEdgeSam, my_model2)'
    )


def test_imports_of_the_models_own_files_name_the_model():
    text = (
        "from .configuration_llama import LlamaConfig\n"
        "from .image_processing_llama import LlamaSize\n"
        "from . configuration_llama import LlamaSide\n"
        "from .helpers_llama import llama_help\n"
    )
    assert renamed(text, new=("my_model_text", "MyModelText")) == (
        "from .configuration_my_model import MyModelTextConfig\n"
        "from .image_processing_my_model import MyModelTextSize\n"
        "from . configuration_my_model import MyModelTextSide\n"
        "from .helpers_my_model_text import my_model_text_help\n"
    )


def test_a_whole_parent_file_is_renamed(flatten):
    parent = '''
        """The Llama file."""

        import math

        from llama_kernels import llama_rotate

        from ...utils import logging
        from .configuration_llama import LlamaConfig


        logger = logging.get_logger(__name__)
        LLAMA_SIZES = {"llama-7b": math.pi}


        # Copied from transformers.models.gpt.modeling_gpt.GPTMLP with GPT->Llama
        class LlamaMLP:
            config: LlamaConfig

            # Copied from transformers.models.gpt.modeling_gpt.GPTMLP.forward
            def forward(self, x):
                logger.info(f"Llama {LLAMA_SIZES}")
                return x
        '''
    modular = """
        from ..llama.modeling_llama import LlamaMLP


        class MyModelMLP(LlamaMLP):
            pass
        """
    assert flatten(modular, parent).only == source("""
        import math

        from ...utils import logging
        from .configuration_my_model import MyModelConfig


        logger = logging.get_logger(__name__)
        MY_MODEL_SIZES = {"my_model-7b": math.pi}


        class MyModelMLP:
            config: MyModelConfig

            def forward(self, x):
                logger.info(f"Llama {MY_MODEL_SIZES}")
                return x
        """)
