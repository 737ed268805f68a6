"""MOD476: `__init__` methods of models that do not call `post_init`."""

from pathlib import Path

import pytest

from tests.support import convert, source


PARENT = source("""
    from torch import nn

    from ...modeling_utils import PreTrainedModel


    class LlamaMLP(nn.Module):
        def __init__(self, config):
            super().__init__()
            self.size = config.size


    class LlamaPreTrainedModel(PreTrainedModel):
        main_input_name = "input_ids"
""")


def find_codes(tmp_path: Path, modular: str) -> list[str]:
    """Return the codes of the findings about a modular file."""
    files = {
        "modeling_utils.py": "class PreTrainedModel:\n    pass\n",
        "models/llama/modeling_llama.py": PARENT,
        "models/olmo/modular_olmo.py": source(modular),
    }
    return [diagnostic.code.id for diagnostic in convert(tmp_path, files).diagnostics]


@pytest.mark.parametrize(
    ("line", "codes"),
    [("super().__init__(config)", ["MOD476"]), ("raise TypeError(config)", [])],
)
def test_an_init_that_only_raises_needs_no_post_init(
    tmp_path: Path, line: str, codes: list[str]
) -> None:
    modular = f"""
        from ..llama.modeling_llama import LlamaPreTrainedModel


        class OlmoPreTrainedModel(LlamaPreTrainedModel):
            pass


        class OlmoModel(OlmoPreTrainedModel):
            def __init__(self, config):
                {line}
    """
    assert find_codes(tmp_path, modular) == codes
