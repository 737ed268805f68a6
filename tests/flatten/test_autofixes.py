"""What a fix makes of the file that its diagnostic is about."""

from pathlib import Path

import pytest

from modular.source.diagnostics import Diagnostic, Edit, Fix, Place, Problem
from modular.source.edits import EditError, apply_edits
from tests.support import convert, source


LLAMA = "models/llama/modeling_llama.py"
OLMO = "models/olmo/modular_olmo.py"
PARENT = source("""
    from torch import nn

    from .configuration_llama import LlamaConfig


    class LlamaNorm(nn.Module):
        eps = 1e-6


    class LlamaMLP(nn.Module):
        gate = None

        def __init__(self, config):
            super().__init__()
            self.up_proj = nn.Linear(config.hidden_size, config.hidden_size)
            self.act_fn = nn.SiLU()
            self.size = config.hidden_size

        def forward(self, x):
            return self.act_fn(self.up_proj(x))

        def prune(self):
            self.up_proj = None


    def rotate(x):
        return -x


    LIMIT = 4


    class LlamaHead(nn.Module):
        turn = rotate
        limit = LIMIT


    class LlamaModel(nn.Module):
        def __init__(self, config: LlamaConfig):
            self.size = config.size
    """)
CONFIGURATION = source("""
    class LlamaConfig:
        model_type = "llama"
        size: int = 4
    """)
BERT = source("""
    class BertLayer:
        pass


    class BertModel:
        def forward(self, x, mask=None):
            return x


    class BertPooler:
        def forward(self, scale, x):
            return scale * x
    """)


def ways_out(root: Path, text: str) -> dict[str, str]:
    """Convert a modular file; return, by the title of each fix that is offered, what it makes of the file."""
    files = {
        LLAMA: PARENT,
        "models/llama/configuration_llama.py": CONFIGURATION,
        "models/bert/modeling_bert.py": BERT,
        OLMO: text,
    }
    found = convert(root, files).diagnostics
    return {
        fix.title: fixed(text, fix) for diagnostic in found for fix in diagnostic.fixes
    }


def fixed(text: str, fix: Fix) -> str:
    """Return what a fix makes of a file; nothing if that would not be Python."""
    try:
        return apply_edits(text, fix.edits)
    except EditError:
        return ""


@pytest.mark.parametrize(
    ("written", "title", "meant"),
    [
        pytest.param(
            """
            from ..llama.modeling_llama import LlamaMpl


            class OlmoMLP(LlamaMpl):
                pass
            """,
            "Write `LlamaMLP`",
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                pass
            """,
            id="a name that the parent file does not have, wherever it stands",
        ),
        pytest.param(
            """
            from ..lama.modeling_lama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                pass
            """,
            "Write `..llama.modeling_llama`",
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                pass
            """,
            id="a model that is not there",
        ),
        pytest.param(
            """
            from ..bert.modeling_bert import BertLayer, LlamaMLP
            from ..llama.modeling_llama import LlamaNorm


            class OlmoLayer(BertLayer):
                pass


            class OlmoNorm(LlamaNorm):
                pass


            class OlmoMLP(LlamaMLP):
                pass
            """,
            "Write `from ..llama.modeling_llama import LlamaMLP`",
            """
            from ..llama.modeling_llama import LlamaMLP
            from ..bert.modeling_bert import BertLayer
            from ..llama.modeling_llama import LlamaNorm


            class OlmoLayer(BertLayer):
                pass


            class OlmoNorm(LlamaNorm):
                pass


            class OlmoMLP(LlamaMLP):
                pass
            """,
            id="a name of another parent file",
        ),
        pytest.param(
            """
            from transformers import LlamaMLP, Nothing, LlamaNorm


            class OlmoMLP(LlamaMLP):
                pass
            """,
            "Write `from ..llama.modeling_llama import LlamaMLP`",
            """
            from ..llama.modeling_llama import LlamaMLP
            from transformers import Nothing, LlamaNorm


            class OlmoMLP(LlamaMLP):
                pass
            """,
            id="a parent class from the library as a whole",
        ),
        pytest.param(
            """
            from ..llama.modeling_llama import LlamaConfig


            class OlmoConfig(LlamaConfig):
                pass
            """,
            "Write `from ..llama.configuration_llama import LlamaConfig`",
            """
            from ..llama.configuration_llama import LlamaConfig


            class OlmoConfig(LlamaConfig):
                pass
            """,
            id="a configuration from a modeling file",
        ),
        pytest.param(
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                def __init__(self, config):
                    super().__init__(config)
                    del self.sise
            """,
            "Write `self.size`",
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                def __init__(self, config):
                    super().__init__(config)
                    del self.size
            """,
            id="a deleted attribute under another name",
        ),
        pytest.param(
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                def __init__(self, config):
                    super().__init__(config)
                    # There is none.
                    del self.bias
                    self.scale = 1.0
            """,
            "Remove the line",
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                def __init__(self, config):
                    super().__init__(config)
                    # There is none.
                    self.scale = 1.0
            """,
            id="a del that deletes nothing",
        ),
        pytest.param(
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                def __init__(self, config):
                    super().__init__(config)
                    del self.act_fn
            """,
            "Keep `self.act_fn`",
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                def __init__(self, config):
                    super().__init__(config)
            """,
            id="a del of what is still read",
        ),
        pytest.param(
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                def extra_repr(self):
                    return super().extra_repr()
            """,
            "Write `nn.Module.extra_repr(self, ...)`",
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                def extra_repr(self):
                    return nn.Module.extra_repr(self)
            """,
            id="a call that cannot be unravelled",
        ),
        pytest.param(
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                # There is nothing to prune.
                def prune(
                    self,
                ):
                    raise AttributeError("not needed")
            """,
            "Remove the parent's `prune`",
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):

                def prune(self):
                    raise AttributeError("not needed")
            """,
            id="a raise that does not remove",
        ),
        pytest.param(
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                def prune(self):
                    '''Does nothing else than

                    raise AttributeError("not needed")
                    '''
                    raise AttributeError("not needed")
            """,
            "Remove the parent's `prune`",
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):

                def prune(self):
                    raise AttributeError("not needed")
            """,
            id="a raise that does not remove, and is quoted in the docstring",
        ),
        pytest.param(
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                gates = AttributeError()
            """,
            "Write `gate`",
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                gate = AttributeError()
            """,
            id="a removal under another name",
        ),
        pytest.param(
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                def __init__(self, size):
                    super().__init__(size)
            """,
            "Write `config = size`",
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                def __init__(self, size):
                    config = size
                    super().__init__(config)
            """,
            id="an argument for a parameter that the parent's body needs",
        ),
        pytest.param(
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                def __init__(self, size):
                    super().__init__()
            """,
            "Write `**super_kwargs` in the parameters of `__init__`",
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                def __init__(self, size, **super_kwargs):
                    super().__init__()
            """,
            id="a parameter that the parent's body needs",
        ),
        pytest.param(
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                def __init__(self, config):
                    LlamaMLP.__init__(self, config)
            """,
            "Write `super().__init__(...)`",
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                def __init__(self, config):
                    super().__init__(config)
            """,
            id="an explicit call of the parent class",
        ),
        pytest.param(
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                # As in llama.
                def forward(self, x):
                    return self.act_fn(self.up_proj(x))
            """,
            "Remove `forward`",
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                pass
            """,
            id="an override that equals what is inherited",
        ),
        pytest.param(
            """
            import math
            from ..llama.modeling_llama import LlamaMLP, LlamaNorm


            class OlmoMLP(LlamaMLP):
                pass
            """,
            "Remove the import of `LlamaNorm`",
            """
            import math
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                pass
            """,
            id="an import that is not used",
        ),
        pytest.param(
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                gate = AttributeError
            """,
            "Write `AttributeError()`",
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                gate = AttributeError()
            """,
            id="an error that is not called",
        ),
        pytest.param(
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMPL):
                pass
            """,
            "Write `LlamaMLP`",
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                pass
            """,
            id="a base that is not defined",
        ),
        pytest.param(
            """
            from ...llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                pass
            """,
            "Write `..llama.modeling_llama`",
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                pass
            """,
            id="a parent file with too many dots",
        ),
        pytest.param(
            """
            from ..bert.modeling_bert import BertLayer
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP, nn.Module, BertLayer):
                pass
            """,
            "Inherit from `LlamaMLP` alone",
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP, nn.Module):
                pass
            """,
            id="one of two parent classes, and what else it inherits from",
        ),
        pytest.param(
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                @no_inherit_decorator
                @torch.no_grad()
                def forward(self, x):
                    return x
            """,
            "Remove `@no_inherit_decorator`",
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                @torch.no_grad()
                def forward(self, x):
                    return x
            """,
            id="decorators without the one that says that there are none",
        ),
        pytest.param(
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                @torch.no_grad()
                @no_inherit_decorator
                def forward(self, x):
                    return x
            """,
            "Write `@no_inherit_decorator` alone",
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                @no_inherit_decorator
                def forward(self, x):
                    return x
            """,
            id="no decorators at all",
        ),
        pytest.param(
            """
            from ..bert.modeling_bert import BertModel


            class OlmoModel(BertModel):
                def forward(self, layer: int, scale, **super_kwargs):  # as in bert
                    return super().forward(**super_kwargs)
            """,
            "Write `layer=None` and `scale=None`",
            """
            from ..bert.modeling_bert import BertModel


            class OlmoModel(BertModel):
                def forward(self, layer: int = None, scale=None, **super_kwargs):  # as in bert
                    return super().forward(**super_kwargs)
            """,
            id="a parameter behind those with defaults",
        ),
        pytest.param(
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                def __init__(self, config):
                    super().__init__(config)
                    del self.gate
            """,
            "Write `gate = AttributeError()`",
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                gate = AttributeError()

                def __init__(self, config):
                    super().__init__(config)
            """,
            id="a del of a class attribute",
        ),
        pytest.param(
            """
            from ..llama.modeling_llama import LlamaMLP, LlamaNorm, LlamaHead


            class OlmoTextMLP(LlamaMLP):
                pass


            class OlmoTextNorm(LlamaNorm):
                pass


            class OlmoHead(LlamaHead):
                norm = OlmoTextNorm


            __all__ = ["OlmoTextMLP", "OlmoHead"]
            """,
            "Write `OlmoTextHead`",
            """
            from ..llama.modeling_llama import LlamaMLP, LlamaNorm, LlamaHead


            class OlmoTextMLP(LlamaMLP):
                pass


            class OlmoTextNorm(LlamaNorm):
                pass


            class OlmoTextHead(LlamaHead):
                norm = OlmoTextNorm


            __all__ = ["OlmoTextMLP", "OlmoTextHead"]
            """,
            id="a class with another prefix than the others, in __all__ too",
        ),
        pytest.param(
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                def scaled(self, x):
                    return 2 * super().forward(x)
            """,
            "Write `self.forward`",
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                def scaled(self, x):
                    return 2 * self.forward(x)
            """,
            id="a method of the parent's that super() does not reach",
        ),
        pytest.param(
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                def forward(self, x):
                    return super().forward(2 * x)
            """,
            "Write `x = 2 * x`",
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                def forward(self, x):
                    x = 2 * x
                    return super().forward(x)
            """,
            id="an argument that is not passed on",
        ),
        pytest.param(
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                def prune(self):
                    del self.up_proj
                    super().prune()
            """,
            "Write it after `super().prune(...)`",
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                def prune(self):
                    super().prune()
                    del self.up_proj
            """,
            id="a del before the call",
        ),
        pytest.param(
            """
            from ..llama.modelling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                scale = 2
            """,
            "Write `..llama.modeling_llama`",
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                scale = 2
            """,
            id="a model file with a slip in its type",
        ),
        pytest.param(
            """
            from ..llama.modular_llama import (
                LlamaMLP,  # the plain one
            )


            class OlmoMLP(LlamaMLP):
                scale = 2
            """,
            "Write `..llama.modeling_llama`",
            """
            from ..llama.modeling_llama import (
                LlamaMLP,  # the plain one
            )


            class OlmoMLP(LlamaMLP):
                scale = 2
            """,
            id="a modular file in the place of what it generates",
        ),
        pytest.param(
            """
            from ..llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                scale = 2
            """,
            "Write `from ..llama.modeling_llama import LlamaMLP`",
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                scale = 2
            """,
            id="a model's folder in the place of its file",
        ),
        pytest.param(
            """
            from ..llama.configuration_llama import LlamaConfig


            class OlmOConfig(LlamaConfig):
                \"\"\"A configuration.\"\"\"

                size = 4
            """,
            'Write `model_type = "olmo"`',
            """
            from ..llama.configuration_llama import LlamaConfig


            class OlmOConfig(LlamaConfig):
                \"\"\"A configuration.\"\"\"
                model_type = "olmo"

                size = 4
            """,
            id="a model type that the renaming made",
        ),
        pytest.param(
            """
            from ..llama.configuration_llama import LlamaConfig


            class OlmOConfig(LlamaConfig):
              def twice(self):
                return 2 * self.size
            """,
            'Write `model_type = "olmo"`',
            """
            from ..llama.configuration_llama import LlamaConfig


            class OlmOConfig(LlamaConfig):
              model_type = "olmo"

              def twice(self):
                return 2 * self.size
            """,
            id="a model type in a class that is indented otherwise",
        ),
        pytest.param(
            """
            from ..llama.configuration_llama import LlamaConfig


            class OlmOConfig(LlamaConfig):
                pass
            """,
            'Write `model_type = "olmo"`',
            """
            from ..llama.configuration_llama import LlamaConfig


            class OlmOConfig(LlamaConfig):
                model_type = "olmo"
            """,
            id="a model type in a class that says nothing else",
        ),
        pytest.param(
            """
            from ..llama.configuration_llama import LlamaConfig
            from ..llama.modeling_llama import LlamaModel


            class OlmoConfg(LlamaConfig):
                pass


            class OlmoModel(LlamaModel):
                pass


            __all__ = ["OlmoConfg", "OlmoModel"]
            """,
            "Rename `OlmoConfg` to `OlmoConfig`",
            """
            from ..llama.configuration_llama import LlamaConfig
            from ..llama.modeling_llama import LlamaModel


            class OlmoConfig(LlamaConfig):
                pass


            class OlmoModel(LlamaModel):
                pass


            __all__ = ["OlmoConfig", "OlmoModel"]
            """,
            id="a configuration under another name than it is imported by",
        ),
        pytest.param(
            """
            from torch import nn

            # The parent.
            from ..llama.modeling_llama import LlamaModel


            # The model.
            class OlmoModel(LlamaModel):
                pass
            """,
            "Write `class OlmoConfig(LlamaConfig)`",
            """
            from torch import nn

            # The parent.
            from ..llama.configuration_llama import LlamaConfig
            from ..llama.modeling_llama import LlamaModel


            class OlmoConfig(LlamaConfig):
                pass


            # The model.
            class OlmoModel(LlamaModel):
                pass
            """,
            id="a configuration that nothing makes",
        ),
        pytest.param(
            """
            from ..llama.modeling_llama import LlamaHead


            def rotated(x):
                return x


            class OlmoHead(LlamaHead):
                pass
            """,
            "Rename `rotated` to `rotate`",
            """
            from ..llama.modeling_llama import LlamaHead


            def rotate(x):
                return x


            class OlmoHead(LlamaHead):
                pass
            """,
            id="a function that was to take the place of the parent file's",
        ),
        pytest.param(
            """
            from ..llama.modeling_llama import LlamaMLP


            # Nobody needs it.
            SCALE = 2


            class OlmoMLP(LlamaMLP):
                pass
            """,
            "Remove `SCALE`",
            """
            from ..llama.modeling_llama import LlamaMLP


            # Nobody needs it.


            class OlmoMLP(LlamaMLP):
                pass
            """,
            id="a definition that ends nowhere",
        ),
        pytest.param(
            """
            from torch import nn

            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(nn.Module):
                def forward(self, x):
                    return 2 * x
            """,
            "Write `class OlmoMLP(LlamaMLP)`",
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                def forward(self, x):
                    return 2 * x
            """,
            id="a base that is imported and was forgotten",
        ),
        pytest.param(
            """
            from ..llama.configuration_llama import LlamaConfig
            from ..llama.modeling_llama import LlamaModel


            class OlmoConfig(LlamaConfig):
                size = AttributeError()


            class OlmoModel(LlamaModel):
                pass
            """,
            "Keep `size`",
            """
            from ..llama.configuration_llama import LlamaConfig
            from ..llama.modeling_llama import LlamaModel


            class OlmoConfig(LlamaConfig):
                pass


            class OlmoModel(LlamaModel):
                pass
            """,
            id="a removed setting that is still read",
        ),
        pytest.param(
            """
            # modular: ignore[MOD405]
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                pass
            """,
            "Remove the comment",
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                pass
            """,
            id="a comment that silences nothing in the file",
        ),
        pytest.param(
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):  # modular: ignore[MOD405]
                pass
            """,
            "Remove the comment",
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                pass
            """,
            id="a comment that silences nothing on its line",
        ),
        pytest.param(
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                def forward(self, x):
                    LlamaMLP.prune(self)
                    return x
            """,
            "Write `self.prune(...)`",
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                def forward(self, x):
                    self.prune()
                    return x
            """,
            id="an explicit call of another method of the parent class",
        ),
        pytest.param(
            """
            from ..llama.modeling_llama import LlamaHead


            LIMIT = 8


            class OlmoHead(LlamaHead):
                pass
            """,
            "Remove `LIMIT`",
            """
            from ..llama.modeling_llama import LlamaHead


            class OlmoHead(LlamaHead):
                pass
            """,
            id="an assignment of which the parent's wins",
        ),
        pytest.param(
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                scale = AttributeError()
            """,
            "Remove the line",
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                pass
            """,
            id="an error that removes nothing, and is all that the class has",
        ),
        pytest.param(
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):

                def backward(self):
                    raise AttributeError("not needed")
            """,
            "Remove `backward`",
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                pass
            """,
            id="a method that removes nothing, and is all that the class has",
        ),
    ],
)
def test_a_fix_writes_what_the_hint_says(
    tmp_path: Path, written: str, title: str, meant: str
) -> None:
    fixes = ways_out(tmp_path, source(written))
    assert fixes.get(title) == source(meant), sorted(fixes)


@pytest.mark.parametrize(
    "written",
    [
        pytest.param(
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                def __init__(self, config):
                    super().__init__(config)
                    del self.bias; self.scale = 1.0
            """,
            id="two statements",
        ),
        pytest.param(
            """
            from ..llama.configuration_llama import LlamaConfig


            class OlmOConfig(LlamaConfig): size = 8
            """,
            id="a class with its body",
        ),
        pytest.param(
            """
            from ..bert.modeling_bert import BertLayer
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP, BertLayer): pass
            """,
            id="a class with nothing in it",
        ),
        pytest.param(
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                def prune(self): del self.up_proj; super().prune()
            """,
            id="a method with its body",
        ),
        pytest.param(
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                def forward(self, x): super().forward(x); self.calls = 1
            """,
            id="a method whose end is cut off",
        ),
    ],
)
def test_a_fix_is_not_offered_for_a_line_that_was_taken_apart(
    tmp_path: Path, written: str
) -> None:
    assert ways_out(tmp_path, source(written)) == {}


def test_a_parameter_of_the_parents_is_not_written_here(tmp_path: Path) -> None:
    """What has no default is `x`, which stands in the parent alone."""
    written = source("""
        from ..bert.modeling_bert import BertPooler


        class OlmoPooler(BertPooler):
            def forward(self, scale=1, **super_kwargs):
                return super().forward(**super_kwargs)
        """)
    assert ways_out(tmp_path, written) == {}
    (found,) = convert(
        tmp_path, {"models/bert/modeling_bert.py": BERT, OLMO: written}
    ).diagnostics
    assert (found.code, found.place.line) == (Problem.DEFAULT_MISSING, 5)


def test_fixes_are_kept_with_their_diagnostic() -> None:
    fix = Fix("Write `LlamaMLP`", (Edit(OLMO, 1, 36, 1, 44, "LlamaMLP", "LlamaMlp"),))
    diagnostic = Diagnostic(
        Problem.NAME_NOT_IN_PARENT, Place(OLMO, 1, 36, 8), "no such name", fixes=(fix,)
    )
    assert Diagnostic.from_json(diagnostic.as_json()) == diagnostic
