"""MOD477: strings in class attributes that name what does not exist."""

from pathlib import Path

from tests.support import Converted, convert, source


PARENT = source("""
    class LlamaPreTrainedModel:
        base_model_prefix = "model"


    class LlamaModel(LlamaPreTrainedModel):
        pass


    class LlamaForCausalLM(LlamaPreTrainedModel):
        def __init__(self, config):
            self.model = LlamaModel(config)
""")
IMPORT = (
    "from ..llama.modeling_llama import "
    "LlamaForCausalLM, LlamaModel, LlamaPreTrainedModel\n"
)


def convert_with_prefix(tmp_path: Path, prefix: str, member: str) -> Converted:
    """Convert models of which the prefix, and a member of the language model, are given."""
    modular = (
        f"{IMPORT}\n\n"
        f'class OlmoPreTrainedModel(LlamaPreTrainedModel):\n    base_model_prefix = "{prefix}"\n\n\n'
        "class OlmoModel(LlamaModel):\n    pass\n\n\n"
        f"class OlmoForCausalLM(LlamaForCausalLM):\n    {member}\n"
    )
    return convert(
        tmp_path,
        {
            "models/llama/modeling_llama.py": PARENT,
            "models/olmo/modular_olmo.py": modular,
        },
    )


def test_a_prefix_that_is_not_the_attribute_of_the_base_model_is_found(
    tmp_path: Path,
) -> None:
    result = convert_with_prefix(tmp_path, "backbone", "pass")
    (finding,) = result.diagnostics
    assert finding.code.id == "MOD477"
    assert (finding.place.line, finding.place.column) == (5, 25)
    assert finding.hint == "write `model`"
    (edit,) = finding.fixes[0].edits
    assert (edit.old, edit.text) == ('"backbone"', '"model"')


def test_the_prefix_may_be_any_attribute_of_a_model(tmp_path: Path) -> None:
    result = convert_with_prefix(tmp_path, "backbone", "backbone = None")
    assert not result.diagnostics


def test_a_model_with_two_towers_has_no_base_model(tmp_path: Path) -> None:
    method = "def add(self, config):\n        self.other = OlmoModel(config)"
    result = convert_with_prefix(tmp_path, "backbone", method)
    assert not result.diagnostics
