"""Code of the kind that people write after GPT, against the models of transformers."""

from pathlib import Path

import pytest

from bench.corpus import make_project
from modular.infer.nearest import nearest
from modular.run.api import Options
from tests.support import source


pytestmark = pytest.mark.slow

MLP = """
    from torch import nn


    class FeedForward(nn.Module):
        def __init__(self, config):
            super().__init__()
            self.c_fc = nn.Linear(config.width, 4 * config.width)
            self.gelu = nn.GELU()
            self.c_proj = nn.Linear(4 * config.width, config.width)
            self.dropout = nn.Dropout(config.dropout)

        def forward(self, x):
            x = self.c_fc(x)
            x = self.gelu(x)
            x = self.c_proj(x)
            return self.dropout(x)
    """


def test_an_mlp_of_gpt_kind_finds_that_of_gpt2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make_project(tmp_path / "corpus")
    (root / "train.py").write_text(source(MLP), encoding="utf-8")
    monkeypatch.chdir(root)
    (asked,) = nearest("train.py", options=Options(root=root, cache=False)).results
    assert "GPT2MLP" in [match.name for match in asked.neighbours]
