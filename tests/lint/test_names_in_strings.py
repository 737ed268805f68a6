"""MOD477: strings in class attributes that name what does not exist."""

from pathlib import Path

import pytest

from tests.conftest import Flatten
from tests.support import convert, source


TIED_PARENT = """
    from torch import nn


    class LlamaForCausalLM(nn.Module):
        _tied_weights_keys = {"lm_head.weight": "model.embed_tokens.weight"}

        def __init__(self, config):
            super().__init__()
            self.model = nn.Identity()
            self.lm_head = nn.Linear(2, 2)
    """


@pytest.mark.parametrize(
    ("body", "codes"),
    [
        ("del self.lm_head", [("MOD477", 4)]),
        ('del self.lm_head\n        self.add_module("lm_head", config.head)', []),
        ("self.lm_head = nn.Identity()", []),
    ],
)
def test_tied_weights_of_a_layer_that_the_model_does_not_have(
    flatten: Flatten, body: str, codes: list[tuple[str, int]]
) -> None:
    modular = (
        "from ..llama.modeling_llama import LlamaForCausalLM\n\n\n"
        "class OlmoForCausalLM(LlamaForCausalLM):\n"
        "    def __init__(self, config):\n"
        f"        super().__init__(config)\n        {body}\n"
    )
    found = flatten(modular, TIED_PARENT).codes
    assert [finding for finding in found if finding[0] == "MOD477"] == codes


@pytest.mark.parametrize(
    ("keys", "is_reported"),
    [
        ('{"head.weight": "model.weight"}', True),
        ('{"lm_head.weight": "encoder.weight"}', True),
        (r'{r"heads\.\d+": "model.weight"}', False),
        ('dict([("head.weight", "model.weight")])', True),
        ('dict(lm_head="encoder.weight")', True),
        ('dict(lm_head="model.weight")', False),
        ('{**{"head.weight": "model.weight"}}', True),
        ('{"lm_head.weight": "model.weight"} | {"head.weight": "model.weight"}', True),
        ('{"lm_head.weight": "model.anything.weight"}', False),
    ],
)
def test_tied_weights_of_the_modular_file(
    flatten: Flatten, keys: str, is_reported: bool
) -> None:
    modular = (
        "from ..llama.modeling_llama import LlamaForCausalLM\n\n\n"
        "class OlmoForCausalLM(LlamaForCausalLM):\n"
        f"    _tied_weights_keys = {keys}\n"
    )
    codes = [code for code, _ in flatten(modular, TIED_PARENT).codes]
    assert codes == ["MOD477"] * is_reported


CONFIG = """
    class LlamaConfig{base}:
        attribute_map = {{"d_model": "hidden_size"}}
        hidden_size: int = 8

        def __init__(self, **settings):
            {line}
    """


@pytest.mark.parametrize(
    ("base", "line", "members", "reason"),
    [
        ("", "pass", "hidden_size = AttributeError()", "which the class removes"),
        (
            "",
            "pass",
            'attribute_map = {"d": "width"}',
            "which is not an attribute of it",
        ),
        (
            "",
            "pass",
            'attribute_map = dict(d="width")',
            "which is not an attribute of it",
        ),
        (
            "",
            "pass",
            'attribute_map: dict = {"d": "width"}',
            "which is not an attribute of it",
        ),
        ("", "pass", 'attribute_map = {"d": "hidden_size"}', None),
        ("", "pass", 'attribute_map = {"d": "width"}\n    width: int = 1', None),
        ("", "self.__dict__ = settings", 'attribute_map = {"d": "width"}', None),
        ("(Unknown)", "pass", 'attribute_map = {"d": "width"}', None),
    ],
)
def test_a_mapped_attribute_that_the_configuration_certainly_lacks_is_found(
    tmp_path: Path, base: str, line: str, members: str, reason: str | None
) -> None:
    parent = source(CONFIG).format(base=base, line=line)
    files = {
        "models/llama/configuration_llama.py": f"from lib import Unknown\n\n\n{parent}",
        "models/olmo/modular_olmo.py": (
            "from ..llama.configuration_llama import LlamaConfig\n\n\n"
            f"class OlmoConfig(LlamaConfig):\n    {members}\n"
        ),
    }
    found = [
        diagnostic.message.partition(", ")[2]
        for diagnostic in convert(tmp_path, files).diagnostics
        if diagnostic.code.id == "MOD477"
    ]
    assert found == ([] if reason is None else [reason])


@pytest.mark.parametrize(
    ("base", "codes"), [("nn.Module", ["MOD477"]), ("elsewhere.Model", [])]
)
def test_tied_weights_of_a_class_without_a_parent(
    flatten: Flatten, base: str, codes: list[str]
) -> None:
    modular = (
        "import elsewhere\nfrom torch import nn\n"
        "from ..llama.modeling_llama import LlamaForCausalLM\n\n\n"
        "class OlmoForCausalLM(LlamaForCausalLM):\n    pass\n\n\n"
        f"class OlmoForTokens({base}):\n"
        '    _tied_weights_keys = {"head.weight": "model.weight"}\n\n'
        "    def __init__(self, config):\n        super().__init__()\n"
        "        self.model = nn.Identity()\n"
    )
    found = [code for code, _ in flatten(modular, TIED_PARENT).codes]
    assert [code for code in found if code != "MOD453"] == codes


def test_a_list_of_thousands_of_strings_is_data(flatten: Flatten) -> None:
    names = ", ".join(['"LlamaModel"'] * 5_000)
    modular = (
        "from ..llama.modeling_llama import LlamaModel\n\n\n"
        f"class MyModelModel(LlamaModel):\n    names = [{names}]\n"
    )
    assert flatten(modular, "class LlamaModel:\n    size = 1\n").codes == []
