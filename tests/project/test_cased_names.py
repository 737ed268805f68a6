"""Tests of the rule `cased-names`."""

from textwrap import dedent

import pytest

from modular.project.cased_names import CasedNames, read_table, table_from_classes


NAMES = CasedNames(
    {
        "qwen2_5_vl": "Qwen2_5_VLConfig",
        "xlm-roberta": "XLMRobertaConfig",
        "gpt2": "GPT2Config",
        "nemotron_h_omni": "NemotronHOmniConfig",
        "vision": "SharedConfig",
        "shared-text": "SharedConfig",
    }
)


@pytest.mark.parametrize(
    ("model", "cased"),
    [
        ("qwen2_5_vl", "Qwen2_5_VL"),
        ("xlm_roberta", "XLMRoberta"),
        ("gpt2", "GPT2"),
        ("gpt2_large", "Gpt2Large"),
        ("my_model", "MyModel"),
        ("rt_detr_v2", "RtDetrV2"),
        ("my3d", "My3D"),
        ("new1ab", "New1Ab"),
    ],
)
def test_a_model_name_has_a_cased_form(model, cased):
    assert NAMES.cased(model) == cased


@pytest.mark.parametrize(
    ("cased", "model"),
    [
        ("Qwen2_5_VL", "qwen2_5_vl"),
        ("XLMRoberta", "xlm_roberta"),
        ("Shared", "shared_text"),
        ("MyModel", "my_model"),
        ("MyModelText", "my_model_text"),
        ("GPT3", "g_p_t3"),
        ("New1Ab", "new1_ab"),
        ("my", "my"),
    ],
)
def test_a_cased_name_or_prefix_has_a_model_name(cased, model):
    assert NAMES.lower(cased) == model


def test_a_prefix_goes_there_and_back():
    assert NAMES.cased(NAMES.lower("NemotronHOmni")) == "NemotronHOmni"
    assert NAMES.cased(NAMES.lower("NemotronH_Omni")) == "NemotronHOmni"


def test_two_files_can_build_one_table():
    first = dedent("""
        from collections import OrderedDict

        NAMES: dict[str, str] = OrderedDict(
            [
                ("llama", "LlamaConfig"),  # the first
                ("clip", "CLIPConfig"),
            ]
        )
        OTHER = {"bert": "BertConfig"}
    """)
    second = dedent("""
        from .auto_mappings import NAMES

        NAMES.update({"clip": "ClipConfig", "dino-v2": "Dinov2Config"})
        NAMES = OrderedDict(**{"auto": "AutoConfig"}, **NAMES)
        NAMES.update(OTHER)


        def config_of(name):
            return NAMES[name]
    """)
    table = read_table(second, "NAMES", read_table(first, "NAMES", {}))
    assert list(table.items()) == [
        ("auto", "AutoConfig"),
        ("llama", "LlamaConfig"),
        ("clip", "ClipConfig"),
        ("dino-v2", "Dinov2Config"),
    ]


def test_configuration_classes_name_their_model_types():
    text = dedent('''
        class LlamaConfig(PreTrainedConfig):
            """model_type = "documented" """

            model_type = "llama"


        class LlamaTextConfig(LlamaConfig):
            pass


        class CLIPVisionConfig:
            model_type: str = 'clip-vision'
            other = "x"


        class LlamaModel:
            model_type = "none"


        EXAMPLE = """
        class EvilConfig:
            model_type = "evil"
        """


        class BertConfig:
            def __init__(self):
                model_type = "inside"

            """
            model_type = "written"
            """
            # model_type = "commented"
            model_type = "bert"; size = 1


        class OddConfig:
            model_type = "odd" + "er"


        class OtherConfig:
            model_type = f"other"


        class HalfConfig:
            model_type = (
    ''')
    assert table_from_classes([text, "x = 1\n", ""]) == {
        "llama": "LlamaConfig",
        "clip-vision": "CLIPVisionConfig",
        "bert": "BertConfig",
    }


def test_a_declaration_without_a_value_adds_no_model_types():
    text = 'NAMES: dict[str, str]\nNAMES.update({"elm": "ElmConfig"})\n'
    assert read_table(text, "NAMES", {}) == {"elm": "ElmConfig"}
