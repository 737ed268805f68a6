"""Tests of the rule `prefixes`."""

import pytest

from modular.rules.names.prefixes import (
    PrefixChoice,
    choose_prefix,
    class_prefix,
    common_capitalized_ending,
    common_ending,
)
from tests.support import convert, source


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("MyModelMLP", "LlamaMLP", "MLP"),
        ("MyModelLayer", "LlamaDecoderLayer", "Layer"),
        ("RtDetrModel", "DetrModel", ""),
        ("Model", "Model", ""),
        ("Bert", "Gpt", "t"),
        ("One", "Two", ""),
    ],
)
def test_the_common_ending_is_not_a_whole_name(one, other, expected):
    assert common_ending(one, other) == expected
    assert common_ending(other, one) == expected


def test_the_common_ending_may_have_to_begin_with_a_capital():
    assert common_capitalized_ending("LlamaMLP", "GptMLP") == "MLP"
    assert common_capitalized_ending("BertMLP", "GptMLP") == ""


@pytest.mark.parametrize(
    ("name", "parent", "cased", "parent_cased", "expected"),
    [
        ("MyModelMLP", "LlamaMLP", "MyModel", "Llama", "MyModel"),
        ("MyModelTextMLP", "LlamaMLP", "MyModel", "Llama", "MyModelText"),
        ("TextMLP", "LlamaMLP", "MyModel", "Llama", "Text"),
        # Shorter than the cased name, which is in the class's name.
        ("RTDetrConvDetrModel", "LwDetrModel", "RTDetr", "LwDetr", "RTDetrConv"),
        ("DFineDetrModel", "RTDetrModel", "DFineDetr", "RTDetr", "DFineDetr"),
        # The whole parent's name behind the cased name.
        ("MyModelLlamaMLP", "LlamaMLP", "MyModel", "Llama", "MyModelLlama"),
        # The whole parent's name alone: what else is in the file has the parent's cased name behind the model's.
        ("LlamaMLP", "LlamaMLP", "MyModel", "Llama", "MyModelLlama"),
        ("SnakeNorm", "SnakeNorm", "MyModel", "Llama", None),
        # No ending in common.
        ("MyModelTextMLP", "LlamaModel", "MyModel", "Llama", "MyModel"),
        ("RtDetrModel", "DetrModel", "RtDetr", "Detr", "RtDetr"),
    ],
)
def test_a_class_proposes_a_prefix(name, parent, cased, parent_cased, expected):
    assert class_prefix(name, parent, cased, parent_cased) == expected


def choice(*pairs: tuple[str, str], classes: tuple[str, ...] = ()) -> PrefixChoice:
    return choose_prefix(pairs, "MyModel", "Llama", classes)


def test_the_most_frequent_wins():
    chosen = choice(
        ("MyModelTextMLP", "LlamaMLP"),
        ("MyModelNorm", "LlamaNorm"),
        ("MyModelTextLayer", "LlamaLayer"),
    )
    assert chosen == PrefixChoice("MyModelText", ("MyModelText", "MyModel"))


def test_the_cased_name_wins_a_tie():
    chosen = choice(("MyModelTextMLP", "LlamaMLP"), ("MyModelNorm", "LlamaNorm"))
    assert chosen == PrefixChoice("MyModel", ("MyModelText", "MyModel"))


def test_the_last_prefix_wins_a_tie_of_others():
    chosen = choice(("MyModelTextMLP", "LlamaMLP"), ("MyModelVisionMLP", "LlamaMLP"))
    assert chosen == PrefixChoice("MyModelVision", ("MyModelText", "MyModelVision"))


def test_without_classes_the_prefix_is_the_cased_name():
    assert choice() == PrefixChoice("MyModel", ())


def test_an_equal_name_without_the_cased_name_proposes_nothing():
    assert choice(("Norm", "Norm"), ("MyModelTextMLP", "LlamaMLP")) == PrefixChoice(
        "MyModelText", ("MyModelText",)
    )


def test_an_equal_name_with_the_cased_name_proposes_a_prefix():
    pairs = [
        ("LlamaOutput", "LlamaOutput"),
        ("MyModelLlamaMLP", "LlamaMLP"),
        ("MyModelNorm", "LlamaNorm"),
    ]
    assert choice(*pairs) == PrefixChoice("MyModelLlama", ("MyModelLlama", "MyModel"))


def test_a_prefix_that_the_parent_file_uses_is_rejected():
    chosen = choice(
        ("MyModelTextMLP", "LlamaMLP"), classes=("LlamaMLP", "LlamaTextModel")
    )
    assert chosen == PrefixChoice("MyModel", ("MyModelText",), rejected="MyModelText")


PARENT = """
    from .configuration_llama import LlamaConfig


    class LlamaNorm:
        model = "llama"


    class LlamaMLP:
        config: LlamaConfig
        norm = LlamaNorm
    """


CONFIGURATION = {
    "models/my_model/configuration_my_model.py": "class MyModelConfig:\n    pass\n"
    "class MyModelTextConfig:\n    pass\n"
}
"""The model's configurations, which are written by hand."""


def test_the_whole_parent_file_gets_the_prefix(flatten):
    modular = """
        from ..llama.modeling_llama import LlamaMLP


        class MyModelTextMLP(LlamaMLP):
            pass
        """
    converted = flatten(modular, PARENT, CONFIGURATION)
    assert converted.codes == []
    assert converted.only == source("""
        from .configuration_my_model import MyModelTextConfig


        class MyModelTextNorm:
            model = "my_model_text"


        class MyModelTextMLP:
            config: MyModelTextConfig
            norm = MyModelTextNorm
        """)


def test_several_prefixes_are_a_warning(flatten):
    modular = """
        from ..llama.modeling_llama import LlamaMLP, LlamaNorm


        class MyModelNorm(LlamaNorm):
            pass


        class MyModelTextMLP(LlamaMLP):
            pass
        """
    converted = flatten(modular, PARENT, CONFIGURATION)
    assert converted.codes == [("MOD405", 8)]
    assert converted.only == source("""
        from .configuration_my_model import MyModelConfig


        class MyModelNorm:
            model = "my_model"


        class MyModelTextMLP:
            config: MyModelConfig
            norm = MyModelNorm
        """)


def test_a_rejected_prefix_is_a_warning(flatten):
    parent = """
        class LlamaTextNorm:
            model = "llama"


        class LlamaMLP:
            norm = LlamaTextNorm
        """
    modular = """
        from ..llama.modeling_llama import LlamaMLP


        class MyModelTextMLP(LlamaMLP):
            pass
        """
    converted = flatten(modular, parent)
    assert converted.codes == [("MOD405", 1)]
    assert converted.only == source("""
        class MyModelTextNorm:
            model = "my_model"


        class MyModelTextMLP:
            norm = MyModelTextNorm
        """)


def test_each_parent_file_has_its_own_prefix(flatten):
    bert = """
        class BertMLP:
            model = "bert"
        """
    modular = """
        from ..bert.modeling_bert import BertMLP
        from ..llama.modeling_llama import LlamaNorm


        class MyModelVisionMLP(BertMLP):
            pass


        class MyModelTextNorm(LlamaNorm):
            pass
        """
    assert flatten(
        modular, PARENT, {"models/bert/modeling_bert.py": bert}
    ).only == source("""
        class MyModelVisionMLP:
            model = "my_model_vision"


        class MyModelTextNorm:
            model = "my_model_text"
        """)


def test_a_prefix_has_the_cased_form_of_its_model_name(flatten):
    modular = """
        from ..llama.modeling_llama import LlamaMLP


        class MyModelH_TextMLP(LlamaMLP):
            pass
        """
    assert flatten(modular, PARENT).only == source("""
        from .configuration_my_model import MyModelHTextConfig


        class MyModelHTextNorm:
            model = "my_model_h__text"


        class MyModelH_TextMLP:
            config: MyModelHTextConfig
            norm = MyModelHTextNorm
        """)


def test_a_model_with_a_digit_before_letters_is_split_behind_the_digit(tmp_path):
    parent = """
        from .configuration_llama import LlamaConfig

        def llama_rotate(x):
            return x

        class LlamaMLP:
            config: LlamaConfig

            def forward(self, x):
                return llama_rotate(x)
        """
    modular = """
        from ..llama.modeling_llama import LlamaMLP

        class New1AbMLP(LlamaMLP):
            pass
        """
    files = {
        "models/llama/modeling_llama.py": source(parent),
        "models/new1ab/modular_new1ab.py": source(modular),
    }
    assert convert(tmp_path, files).only == source("""
        from .configuration_new1ab import New1AbConfig


        def new1_ab_rotate(x):
            return x


        class New1AbMLP:
            config: New1AbConfig

            def forward(self, x):
                return new1_ab_rotate(x)
        """)


def test_a_file_without_children_is_renamed_to_the_models_own_name(tmp_path):
    parent = """
        def llama_rotate(x):
            return x

        def rotate(x):
            return llama_rotate(x)
        """
    modular = """
        from ..llama.modeling_llama import rotate

        class New1AbMLP:
            def forward(self, x):
                return rotate(x)
        """
    files = {
        "models/llama/modeling_llama.py": source(parent),
        "models/new1ab/modular_new1ab.py": source(modular),
    }
    assert "def new1ab_rotate(x):" in convert(tmp_path, files).only


def test_only_imports_from_own_files_name_the_model(flatten):
    parent = '''
        def load():
            """
            from .configuration_llama import LlamaConfig
            """
            import os; from . configuration_llama import LlamaConfig

            from .llama_helpers import llama_help
            return LlamaConfig, os, llama_help


        class LlamaMLP:
            load = load
        '''
    modular = """
        from ..llama.modeling_llama import LlamaMLP


        class MyModelTextMLP(LlamaMLP):
            pass
        """
    assert flatten(modular, parent, formatter="none").only.startswith(
        source('''
        def load():
            """
            from .configuration_my_model_text import MyModelTextConfig
            """
            import os; from . configuration_my_model import MyModelTextConfig

            from .my_model_text_helpers import my_model_text_help
        ''')
    )
