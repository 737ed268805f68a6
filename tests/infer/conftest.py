"""Fixtures of the tests of infer: a small project with a parent and a flat model."""

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import pytest

from modular.infer.infer import InferReport, infer_modular
from modular.infer.inference import Inference
from modular.infer.nearest import nearest
from modular.run.api import Options
from tests.support import source, write_project


LLAMA = "models/llama/modeling_llama.py"
FLAT = "models/my_model/modeling_my_model.py"

PARENT = """
    import torch
    from torch import nn


    class LlamaNorm(nn.Module):
        def __init__(self, size, eps=1e-6):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(size))
            self.eps = eps

        def forward(self, x):
            return self.weight * x


    class LlamaMLP(nn.Module):
        def __init__(self, config):
            super().__init__()
            self.config = config
            self.up_proj = nn.Linear(config.hidden_size, config.intermediate_size)
            self.down_proj = nn.Linear(config.intermediate_size, config.hidden_size)
            self.act_fn = nn.SiLU()

        def forward(self, x):
            x = self.up_proj(x)
            x = self.act_fn(x)
            return self.down_proj(x)


    def rotate(x):
        return torch.cat((-x, x), dim=-1)


    class LlamaLayer(nn.Module):
        def __init__(self, config):
            super().__init__()
            self.norm = LlamaNorm(config.hidden_size)
            self.mlp = LlamaMLP(config)

        def forward(self, x):
            residual = x
            x = self.mlp(self.norm(rotate(x)))
            return residual + x
    """
"""A parent file with classes that need each other."""


class Infer(Protocol):
    """Infers the modular file of `my_model` from its flat modeling file, a `llama` beside it; further files by path."""

    def __call__(
        self,
        flat: str,
        parent: str = PARENT,
        files: Mapping[str, str] | None = None,
        parents: tuple[str, ...] = (),
    ) -> Inference: ...


@pytest.fixture
def near(tmp_path, monkeypatch):
    def run(target, files, **options):
        write_project(tmp_path, {path: source(text) for path, text in files.items()})
        monkeypatch.chdir(tmp_path)
        return nearest(target, options=Options(root=tmp_path, cache=False), **options)

    return run


@pytest.fixture
def report(tmp_path: Path):
    def run(
        files: Mapping[str, str],
        *targets: str,
        parents: tuple[str, ...] = (),
        **options: bool,
    ) -> InferReport:
        write_project(tmp_path, {path: source(text) for path, text in files.items()})
        return infer_modular(
            targets,
            parents=parents,
            options=Options(root=tmp_path, jobs=1, cache=False),
            **options,
        )

    return run


@pytest.fixture
def inferred(report) -> Infer:
    def run(
        flat: str,
        parent: str = PARENT,
        files: Mapping[str, str] | None = None,
        parents: tuple[str, ...] = (),
    ) -> Inference:
        answer = report(
            {LLAMA: parent, FLAT: flat, **(files or {})}, "my_model", parents=parents
        )
        assert not answer.diagnostics, answer.diagnostics
        (only,) = answer.inferences
        return only

    return run
