"""What a fix makes of the file that its diagnostic is about."""

from pathlib import Path

import pytest

from modular.source.diagnostics import Diagnostic, Edit, Fix, Place, Problem
from tests.support import convert, source


LLAMA = "models/llama/modeling_llama.py"
OLMO = "models/olmo/modular_olmo.py"
PARENT = source("""
    from torch import nn


    class LlamaConfig:
        model_type = "llama"


    class LlamaNorm(nn.Module):
        eps = 1e-6


    class LlamaMLP(nn.Module):
        gate = None

        def __init__(self, config):
            super().__init__()
            self.up_proj = nn.Linear(config.hidden_size, config.hidden_size)
            self.act_fn = nn.SiLU()

        def forward(self, x):
            return self.act_fn(self.up_proj(x))

        def prune(self):
            self.up_proj = None
    """)
BERT = source("""
    class BertLayer:
        pass
    """)


def applied(text: str, fix: Fix) -> str:
    """Return a text with the edits of a fix made."""
    lines = text.splitlines(keepends=True)
    starts = [sum(map(len, lines[:number])) for number in range(len(lines) + 1)]

    def spans(edit: Edit) -> tuple[int, int]:
        return starts[edit.line - 1] + edit.column - 1, starts[edit.end_line - 1] + edit.end_column - 1

    for edit in sorted(fix.edits, key=spans, reverse=True):
        start, end = spans(edit)
        text = text[:start] + edit.text + text[end:]
    return text


def ways_out(root: Path, text: str) -> dict[str, str]:
    """Convert a modular file; return, by the title of each fix that is offered, what it makes of the file."""
    files = {LLAMA: PARENT, "models/bert/modeling_bert.py": BERT, OLMO: text}
    found = convert(root, files).diagnostics
    return {fix.title: applied(text, fix) for each in found for fix in each.fixes}


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
            "Write `llama.modeling_llama`",
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
                    del self.act_fun
            """,
            "Write `self.act_fn`",
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                def __init__(self, config):
                    super().__init__(config)
                    del self.act_fn
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
            "Write `**super_kwargs` in the parameters of `__init__`",
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                def __init__(self, size, **super_kwargs):
                    super().__init__(size)
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
    ],
)
def test_a_fix_writes_what_the_hint_says(tmp_path: Path, written: str, title: str, meant: str) -> None:
    found = ways_out(tmp_path, source(written))
    assert found.get(title) == source(meant), sorted(found)


def test_a_fix_is_not_offered_for_a_line_that_was_taken_apart(tmp_path: Path) -> None:
    found = ways_out(
        tmp_path,
        source("""
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                def __init__(self, config):
                    super().__init__(config)
                    del self.bias; self.scale = 1.0
            """),
    )
    assert found == {}


def test_fixes_are_kept_with_their_diagnostic() -> None:
    fix = Fix("Write `LlamaMLP`", (Edit(OLMO, 1, 36, 1, 44, "LlamaMLP"),))
    diagnostic = Diagnostic(Problem.NAME_NOT_IN_PARENT, Place(OLMO, 1, 36, 8), "no such name", fixes=(fix,))
    assert Diagnostic.from_json(diagnostic.as_json()) == diagnostic
