"""A small project in which tests rename classes: a parent file, three models and a module that uses the parent."""

LLAMA = """
    from torch import nn


    __all__ = ["LlamaMLP"]


    class LlamaMLP(nn.Module):
        def project(self, x):
            return x

        def forward(self, x):
            return self.project(x)


    class LlamaLayer(nn.Module):
        def __init__(self):
            super().__init__()
            self.mlp: "LlamaMLP" = LlamaMLP()

        def forward(self, x):
            return self.mlp.project(x)
    """
REPLACING = """
    from ..llama.modeling_llama import LlamaLayer, LlamaMLP


    class GemmaMLP(LlamaMLP):
        def project(self, x):
            return super().project(x)


    class GemmaLayer(LlamaLayer):
        pass
    """
INHERITING = """
    from ..llama.modeling_llama import LlamaMLP as Parent


    class PhiGate(Parent):
        # like LlamaMLP
        pass
    """
INLINING = """
    from ..llama.modeling_llama import LlamaLayer


    class MistralLayer(LlamaLayer):
        pass
    """
SETTINGS = '[tool.modular]\npackage = "models"\nformatter = "none"\n'
RENAME_FILES = {
    "pyproject.toml": SETTINGS,
    "models/llama/modeling_llama.py": LLAMA,
    "models/llama/__init__.py": "from .modeling_llama import *\n",
    "models/gemma/modular_gemma.py": REPLACING,
    "models/phi/modular_phi.py": INHERITING,
    "models/mistral/modular_mistral.py": INLINING,
    "use.py": """
        import models.llama.modeling_llama as llama
        from models.llama import LlamaMLP


        def f(LlamaMLP):
            return LlamaMLP, "LlamaMLP"


        mlp = LlamaMLP(), llama.LlamaMLP()
        """,
}
