"""The project that the tests of the editor open: llama by hand, olmo from it, and aya from what olmo generates."""

from tests.support import source


LAST = ""
"""The end of a file."""

LLAMA = "models/llama/modeling_llama.py"
OLMO = "models/olmo/modular_olmo.py"
OLMO_MADE = "models/olmo/modeling_olmo.py"
AYA = "models/aya/modular_aya.py"
AYA_MADE = "models/aya/modeling_aya.py"

FILES = {
    LLAMA: source("""
        from torch import nn


        class LlamaMLP(nn.Module):
            def __init__(self, config):
                super().__init__()
                self.up_proj = nn.Linear(config.hidden_size, config.hidden_size)
                self.act_fn = nn.SiLU()

            def forward(self, x):
                return self.up_proj(x)


        class LlamaNorm(nn.Module):
            eps = 1e-6
        """),
    OLMO: source("""
        from torch import nn

        from ..llama.modeling_llama import LlamaMLP


        class OlmoMLP(LlamaMLP):
            def __init__(self, config):
                super().__init__(config)
                del self.act_fn

            def forward(self, x):
                x = x + 1
                return super().forward(x)
        """),
    OLMO_MADE: source("""
        from torch import nn


        class OlmoMLP(nn.Module):
            def __init__(self, config):
                super().__init__()
                self.up_proj = nn.Linear(config.hidden_size, config.hidden_size)

            def forward(self, x):
                x = x + 1
                return self.up_proj(x)
        """),
    AYA: source("""
        from ..olmo.modeling_olmo import OlmoMLP


        class AyaMLP(OlmoMLP):
            pass
        """),
    AYA_MADE: source("""
        from torch import nn


        class AyaMLP(nn.Module):
            def __init__(self, config):
                super().__init__()
                self.up_proj = nn.Linear(config.hidden_size, config.hidden_size)

            def forward(self, x):
                x = x + 1
                return self.up_proj(x)
        """),
    "pyproject.toml": (
        '[tool.modular]\nmodels = ["models"]\npackage = "models"\n'
        'inheritance = "transformers"\n'
    ),
}
