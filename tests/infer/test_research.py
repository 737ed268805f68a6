"""Research files, which have any name and their own configuration, inherit from models."""

import pytest

from modular.infer.infer import infer_modular
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
        write_project(
            library, {path: source(parent) for path, parent in LIBRARY.items()}
        )
        write_project(project, {name: source(text)})
        monkeypatch.chdir(project)
        options = Options(
            root=project, jobs=1, cache=False, source_library=str(library)
        )
        (found,) = infer_modular([name], options=options).inferences
        return found, [
            target.neighbours for target in nearest(f"{name}", options=options).results
        ]

    return run


def test_a_research_file_is_formatted_and_its_classes_inherit(
    research,
):
    report, _ = research("ViT-like.py", EXACT)
    assert report.text == source("""
        from hub.models.llama.modeling_llama import LlamaMLP


        class Gated(LlamaMLP):
            pass
        """)
    assert report.modular == "modular_vit_like.py"
    assert [skipped.reason for skipped in report.notes] == [
        "the file was formatted first: line numbers refer to the formatted text"
    ]


def test_the_configuration_moves_out(
    research,
):
    report, near = research("nano.py", NANO)
    assert not report.diagnostics
    assert [(skipped.line, skipped.reason) for skipped in report.notes[1:]] == [
        (9, "`NanoConfig` goes into `configuration_nano.py`"),
        (
            40,
            '`if __name__ == "__main__":` is left out: nothing that is generated uses this block',
        ),
    ]
    assert [match.name for match in near[1]] == ["GptMLP", "LlamaMLP", "LlamaScale"]


BLOCKS = {
    'if __name__ == "__main__":': "gated = Gated(None)",
    "try:": "import fast\nexcept ImportError:\n    fast = None",
    "if torch.cuda.is_available():": "device = 'cuda'\nelse:\n    device = 'cpu'",
    "with torch.no_grad():": "x = torch.ones(3)",
}


@pytest.mark.parametrize("head", BLOCKS)
def test_a_block_for_unused_names_is_left_out_and_reported(research, head):
    """The class has a parameter `x` of its own."""
    report, _ = research("gated.py", f"{source(EXACT)}{head}\n    {BLOCKS[head]}\n")
    assert [(class_.name, class_.parent[1]) for class_ in report.classes] == [
        ("Gated", "LlamaMLP")
    ]
    (stays,) = [
        skipped
        for skipped in report.notes
        if skipped.reason.startswith(f"`{head}` is left out: ")
    ]
    assert stays.line == 16
    assert report.by_hand == ()


NET = """
    class Net(Gated):
        def forward(self, x):
            return super().forward(x.to(device)) + OFFSET
    """


def test_a_block_that_a_class_uses_is_generated(research):
    block = "if torch.cuda.is_available():\n    device = 'cuda'\nelse:\n    device = 'cpu'\n"
    report, _ = research("gated.py", f"{source(EXACT)}{block}OFFSET = 3\n{source(NET)}")
    assert report.text == source("""
        import torch
        from hub.models.llama.modeling_llama import LlamaMLP


        if torch.cuda.is_available():
            device = "cuda"
        else:
            device = "cpu"


        class Gated(LlamaMLP):
            pass


        OFFSET = 3


        class Net(Gated):
            def forward(self, x):
                return super().forward(x.to(device)) + OFFSET
        """)


@pytest.mark.parametrize(
    "block",
    [
        "with torch.no_grad():\n    device = torch.ones(3)\n",
        'if __name__ == "__main__":\n    device = "cpu"\n',
        "device = 'cuda'\nif torch.version is None:\n    device = 'cpu'\n",
        "def choose():\n    return 'cpu'\n\n\nif torch.version:\n    device = choose()\n",
    ],
)
def test_a_class_that_uses_names_of_a_block_is_left_out_with_the_reason(
    research, block
):
    text = f"{source(EXACT)}{block}OFFSET = 3\n{source(NET)}"
    report, _ = research("gated.py", text)
    assert [class_.name for class_ in report.classes] == ["Gated"]
    (stays,) = [
        skipped for skipped in report.notes if skipped.reason.startswith("`Net`")
    ]
    (line,) = [
        skipped.line
        for skipped in report.notes
        if skipped.reason.startswith(("`with", "`if"))
    ]
    assert (
        stays.reason == f"`Net` is left out: it uses `device`, which line {line} sets"
    )


def test_lines_refer_to_the_whole_research_file(research):
    report, _ = research(
        "gated.py", f"print(1)\nprint(2)\nprint(3)\n{source(EXACT)}OFFSET = 3\n"
    )
    assert [
        skipped.line
        for skipped in report.notes
        if skipped.reason.startswith("`OFFSET` is not generated")
    ] == [19]
