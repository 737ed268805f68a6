"""Research code: one file of any name, unformatted, with a configuration of its own. What of it is in another model?"""

import pytest

from modular.infer.infer import infer_modular
from modular.infer.near_misses import near_miss
from modular.infer.nearest import nearest
from modular.run.api import Options
from tests.support import source, write_project


LIBRARY = {
    "models/gpt/modeling_gpt.py": """
        import torch
        from torch import nn


        class GptMLP(nn.Module):
            def __init__(self, config):
                super().__init__()
                self.c_fc = nn.Linear(config.width, config.inner)
                self.c_proj = nn.Linear(config.inner, config.width)
                self.dropout = nn.Dropout(config.dropout)

            def forward(self, states: torch.Tensor) -> torch.Tensor:
                inner = self.c_fc(states)
                inner = torch.relu(inner).square()
                return self.dropout(self.c_proj(inner))
        """,
    "models/llama/modeling_llama.py": """
        import torch
        from torch import nn


        class LlamaMLP(nn.Module):
            def __init__(self, config):
                super().__init__()
                self.gate_proj = nn.Linear(config.width, config.inner)
                self.up_proj = nn.Linear(config.width, config.inner)
                self.down_proj = nn.Linear(config.inner, config.width)

            def forward(self, x):
                return self.down_proj(torch.sigmoid(self.gate_proj(x)) * self.up_proj(x))


        class LlamaScale(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.scale = nn.Parameter(torch.ones(width))
                self.shift = nn.Parameter(torch.zeros(width))

            def forward(self, x):
                x = x - x.mean(-1, keepdim=True)
                return self.scale * x + self.shift
        """,
}

NANO = '''
    """A small language model in one file, to be read in one sitting."""
    from dataclasses import dataclass
    import torch
    import torch.nn as nn

    @dataclass
    class NanoConfig:
        width: int = 768 # of the residual stream
        inner: int = 3072
        dropout: float = 0.1

    class MLP(nn.Module):
        """ two layers and a nonlinearity """

        def __init__(self, config):
            super().__init__()
            self.c_fc    = nn.Linear(config.width, config.inner)
            self.c_proj  = nn.Linear(config.inner, config.width)
            self.dropout = nn.Dropout(config.dropout)

        def forward(self, x):
            h = self.c_fc(x)
            h = torch.relu(h).square() # squared, as in the paper
            return self.dropout(self.c_proj(h))

    class Bag(nn.Module):
        def __init__(self, config):
            super().__init__()
            self.words = nn.EmbeddingBag(config.width, config.inner)

        def forward(self, x):
            return self.words(x)

    if __name__ == "__main__":
        print(MLP(NanoConfig()))
    '''

TRAIN = """
    import functools, time
    import torch
    from torch import nn

    def timed(method):
        @functools.wraps(method)
        def inner(*args):
            begin = time.time(); result = method(*args)
            print(time.time() - begin)
            return result
        return inner

    class Affine(nn.Module):
        def __init__(self, width: int):
            super().__init__()
            self.scale = nn.Parameter(torch.ones(width))
            self.shift = nn.Parameter(torch.zeros(width))

        @timed
        def forward(self, x: torch.Tensor):
            x = x - x.mean(-1, keepdim=True)
            return self.scale * x + self.shift
    """

EXACT = """
    import torch
    from torch import nn
    class Gated(nn.Module):
      def __init__(self, config):
        super().__init__()
        self.gate_proj = nn.Linear(config.width, config.inner)
        self.up_proj = nn.Linear(config.width, config.inner)
        self.down_proj = nn.Linear(config.inner, config.width)
      def forward(self, x):
        return self.down_proj(torch.sigmoid(self.gate_proj(x)) * self.up_proj(x))
    """


@pytest.fixture
def research(tmp_path, monkeypatch):
    """Infers from a file of any name that stands in an otherwise empty project; the library is elsewhere."""

    def run(name, text):
        library, project = tmp_path / "elsewhere" / "hub", tmp_path / "research"
        write_project(library, {path: source(parent) for path, parent in LIBRARY.items()})
        write_project(project, {name: source(text)})
        monkeypatch.chdir(project)
        options = Options(root=project, jobs=1, cache=False, source_library=str(library))
        (found,) = infer_modular([name], options=options).inferences
        return found, [target.nearest for target in nearest(f"{name}", options=options).asked]

    return run


def test_a_file_of_any_name_is_formatted_and_a_class_that_is_another_models_is_inherited(research):
    report, _ = research("ViT-like.py", EXACT)
    assert report.text == source("""
        from hub.models.llama.modeling_llama import LlamaMLP


        class Gated(LlamaMLP):
            pass
        """)
    assert report.modular == "modular_vit_like.py"
    assert [aside.what for aside in report.left_out] == [
        "the file was formatted first: line numbers refer to the formatted text, which is what is generated"
    ]


def test_the_configuration_does_not_block_the_rest_and_it_is_said_what_keeps_a_class_from_being_inherited(research):
    report, near = research("nano.py", NANO)
    assert not report.diagnostics
    assert [(aside.line, aside.what) for aside in report.left_out[1:]] == [
        (9, "`NanoConfig` goes into `configuration_nano.py`"),
        (40, "this stays where it is: a block that defines nothing is not generated"),
    ]
    (mlp,) = report.near_misses
    assert (mlp.name, mlp.parent[1]) == ("MLP", "GptMLP")
    assert mlp.kinds == ("comments", "docstrings", "annotations", "names of variables")
    assert mlp.changes == (
        "leave out the docstring of the class",
        "rename `x` to `states` in `forward`",
        "rename `h` to `inner` in `forward`",
        "write the header of `forward` as `def forward(self, states: torch.Tensor) -> torch.Tensor`",
        "leave out the comment `# squared, as in the paper`",
    )
    assert [match.name for match in near[1]] == ["GptMLP", "LlamaMLP", "LlamaScale"]


def test_decorators_and_annotations_are_named(research):
    report, _ = research("train_model.py", TRAIN)
    (affine,) = report.near_misses
    assert (affine.name, affine.parent[1], affine.kinds) == ("Affine", "LlamaScale", ("annotations", "decorators"))
    assert affine.changes == (
        "write the header of `__init__` as `def __init__(self, width)`",
        "give `forward` no decorators",
        "write the header of `forward` as `def forward(self, x)`",
    )


def test_what_differs_in_more_is_no_near_miss():
    one, other = (
        "class A:\n    def f(self, x):\n        return x + 1\n",
        "class A:\n    def f(self, x):\n        return x\n",
    )
    assert near_miss("A", one, ("p", "B"), other) is None
    assert near_miss("A", one, ("p", "B"), one) is None
