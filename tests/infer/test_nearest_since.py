"""Better parents for the classes and functions that a branch adds."""

import json
from pathlib import Path

import pytest

from modular.infer.nearest_since import nearest_since
from modular.run.api import Options
from tests.infer.conftest import LLAMA, PARENT
from tests.repository import Repository, make
from tests.schema import validate
from tests.support import source


MODULAR = "models/my_model/modular_my_model.py"
GPT = "models/gpt/modeling_gpt.py"

OWN = """
    from torch import nn


    class MyModelMLP(nn.Module):
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
    """

INHERITED = """
    from ..gpt.modeling_gpt import GptMLP


    class MyModelMLP(GptMLP):
        def forward(self, x):
            x = self.up_proj(x)
            x = self.act_fn(x)
            return self.down_proj(x)
    """

OTHER_FORWARD = """
            gate = self.up_proj(x)
            first, second = gate.chunk(2, dim=-1)
            first = self.act_fn(first)
            return self.down_proj(first * second)
"""


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """A repository with llama, and with gpt, whose `forward` is another one."""
    repository = make(tmp_path / "project")
    start = PARENT.index("            x = self.up_proj(x)")
    end = PARENT.index("    def rotate")
    gpt = PARENT[:start] + OTHER_FORWARD.lstrip("\n") + "\n\n" + PARENT[end:]
    repository.write({LLAMA: source(PARENT), GPT: source(gpt.replace("Llama", "Gpt"))})
    repository.commit()
    return repository


def advice(repository: Repository, text: str) -> list[str]:
    """Write a model that is not converted yet, and return the advice on it."""
    repository.write({MODULAR: source(text)})
    options = Options(root=repository.root, cache=False)
    return list(map(str, nearest_since("HEAD", options)))


def test_a_new_class_with_the_code_of_another_model_should_inherit_it(
    repository: Repository,
) -> None:
    assert advice(repository, OWN) == [
        f"{MODULAR}:4: `MyModelMLP` has the same code as `LlamaMLP` of {LLAMA}: "
        "inherit it (saves 11 lines)"
    ]


def test_new_code_counts_as_it_is_generated_now(repository: Repository) -> None:
    first = advice(repository, INHERITED)
    repository.modular("convert", "my_model")
    assert advice(repository, OWN) != first


def test_a_closer_parent_is_named_with_the_lines_that_it_saves(
    repository: Repository,
) -> None:
    (sentence,) = advice(repository, INHERITED)
    assert "the same code as `LlamaMLP`" in sentence
    other = INHERITED.replace("return self", "return 2 * self")
    assert advice(repository, other) == [
        f"{MODULAR}:4: `LlamaMLP` of {LLAMA} is a closer parent of `MyModelMLP` "
        "(saves 2 lines)"
    ]


def test_a_class_that_was_there_before_gets_no_advice(repository: Repository) -> None:
    advice(repository, OWN)
    repository.commit()
    assert advice(repository, OWN.replace("SiLU", "GELU")) == []


def test_a_new_class_with_the_best_parent_gets_no_advice(
    repository: Repository,
) -> None:
    text = """
        from ..llama.modeling_llama import LlamaMLP


        class MyModelMLP(LlamaMLP):
            pass
        """
    assert advice(repository, text) == []


def test_a_parent_that_is_younger_than_the_model_is_named(
    repository: Repository,
) -> None:
    repository.write({LLAMA: "# Copyright 2024\n\n" + source(PARENT)})
    text = """
        # Copyright 2023

        from ..llama.modeling_llama import LlamaNorm


        class MyModelNorm(LlamaNorm):
            pass
        """
    repository.write({MODULAR: source(text)})
    # The year of a model is that of its generated files.
    repository.modular("convert", "my_model")
    (sentence,) = advice(repository, text)
    assert "whose model is younger than yours" in sentence


def test_the_command_prints_json_and_exits_with_1(repository: Repository) -> None:
    advice(repository, OWN)
    done = repository.modular("nearest", "--since", "HEAD", "--output-format", "json")
    validate(done.stdout, "nearest")
    (one,) = json.loads(done.stdout)["advice"]
    assert (one["name"], one["saved_lines"], done.returncode) == ("MyModelMLP", 11, 1)


def test_the_command_needs_a_target_or_a_commit(repository: Repository) -> None:
    done = repository.modular("nearest")
    assert done.returncode == 2
    assert "give a TARGET or --since REF" in done.stderr
