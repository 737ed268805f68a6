"""`modular rename`: a class, function or method, in the files that people write and in what they generate."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from modular.project.opening import open_project
from modular.refactor.rename import RenameError, edited_texts, rename_in
from tests.support import source, write_project


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
            return -super().project(x)


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
FILES = {
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


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MODULAR_CACHE_DIR", str(tmp_path / "cache"))
    folder = tmp_path / "project"
    settings = {
        "pyproject.toml": '[tool.modular]\npackage = "models"\nformatter = "none"\n'
    }
    write_project(
        folder, {path: source(text) for path, text in {**FILES, **settings}.items()}
    )
    monkeypatch.chdir(folder)
    return folder


def renamed(root: Path, old: str, new: str) -> dict[str, str]:
    """The sources that a renaming changes."""
    project = open_project(root)
    return edited_texts(project, rename_in(project, old, new))


def test_a_class_is_renamed_where_scopes_say_that_it_is_meant(root: Path) -> None:
    (root / "use.py").write_bytes(
        (root / "use.py").read_bytes().replace(b"\n", b"\r\n")
    )
    texts = renamed(root, "LlamaMLP", "LlamaGate")
    assert texts["models/llama/modeling_llama.py"] == source(LLAMA).replace(
        "LlamaMLP", "LlamaGate"
    )
    assert texts["use.py"].replace("\r\n", "\n") == source(
        """
        import models.llama.modeling_llama as llama
        from models.llama import LlamaGate


        def f(LlamaMLP):
            return LlamaMLP, "LlamaMLP"


        mlp = LlamaGate(), llama.LlamaGate()
        """
    )
    assert texts["use.py"].count("\r\n") == 9


def test_children_keep_their_names_unless_inlined_code_uses_them(root: Path) -> None:
    texts = renamed(root, "LlamaMLP", "LlamaGate")
    assert texts["models/gemma/modular_gemma.py"] == source(REPLACING).replace(
        "MLP", "Gate"
    )
    assert texts["models/phi/modular_phi.py"] == source(INHERITING).replace(
        "import LlamaMLP", "import LlamaGate"
    )
    assert "models/mistral/modular_mistral.py" not in texts


def test_places_that_no_scope_tells_are_named(root: Path) -> None:
    left = rename_in(open_project(root), "LlamaMLP", "LlamaGate").left
    assert [(place.path, place.line) for place in left] == [
        ("models/phi/modular_phi.py", 5),
        ("use.py", 5),
        ("use.py", 6),
        ("use.py", 6),
    ]


def test_a_method_is_renamed_in_all_classes_that_have_it(root: Path) -> None:
    texts = renamed(root, "LlamaMLP.project", "apply")
    assert texts == {
        "models/llama/modeling_llama.py": source(LLAMA).replace("project", "apply"),
        "models/gemma/modular_gemma.py": source(REPLACING).replace("project", "apply"),
    }


def test_the_command_converts_what_is_generated(
    root: Path, modular: Callable[..., Result]
) -> None:
    assert modular("convert").exit_code == 0
    done = modular("rename", "LlamaMLP", "LlamaGate")
    assert (done.exit_code, done.stdout) == (
        0,
        "3 definitions renamed in 4 sources and 2 generated files\n",
    )
    assert (
        "class MistralGate(nn.Module):"
        in (root / "models/mistral/modeling_mistral.py").read_text()
    )
    assert (
        "class PhiGate(nn.Module):" in (root / "models/phi/modeling_phi.py").read_text()
    )
    assert modular("check").exit_code == 0


def test_with_diff_nothing_is_written(
    root: Path, modular: Callable[..., Result]
) -> None:
    modular("convert")
    before = (root / "models/llama/modeling_llama.py").read_text()
    done = modular("rename", "LlamaMLP", "LlamaGate", "--diff")
    assert "+class LlamaGate(nn.Module):" in done.stdout
    assert "+class GemmaGate(nn.Module):" in done.stdout
    assert (root / "models/llama/modeling_llama.py").read_text() == before


def test_several_statements_on_a_line_keep_their_places(root: Path) -> None:
    text = "from models.llama import LlamaMLP\n\na = 1; b = 2\nmlp = LlamaMLP()\n"
    (root / "use.py").write_text(text)
    assert renamed(root, "LlamaMLP", "LlamaGate")["use.py"] == text.replace(
        "LlamaMLP", "LlamaGate"
    )


def test_a_dotted_name_says_which(root: Path) -> None:
    (root / "models/llama/modeling_other.py").write_text("class LlamaMLP:\n    pass\n")
    with pytest.raises(RenameError) as error:
        renamed(root, "LlamaMLP", "LlamaGate")
    assert str(error.value) == (
        "`LlamaMLP` is ambiguous; say which:\n"
        "  models.llama.modeling_llama.LlamaMLP\n  models.llama.modeling_other.LlamaMLP"
    )
    assert "models/gemma/modular_gemma.py" in renamed(
        root, "modeling_llama.LlamaMLP", "LlamaGate"
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("LlamaMLP", "Llama-Gate", "`Llama-Gate` is not a name that Python can take"),
        ("LlamaMLP", "class", "`class` is not a name that Python can take"),
        (
            "LlamaMLP",
            "LlamaLayer",
            "`LlamaLayer` is defined in `models/llama/modeling_llama.py` already",
        ),
        ("LlamaMLP", "nn", "the new name is taken at models/llama/modeling_llama.py:7"),
        (
            "LlamaMLP.project",
            "forward",
            "`forward` is taken in `LlamaMLP` of `models/llama/modeling_llama.py`",
        ),
        ("LlamaLayer.__init__", "start", "`__init__` has its meaning from Python"),
        (
            "GemmaMLP.project",
            "apply",
            "`GemmaMLP.project` overrides `LlamaMLP.project`",
        ),
        (
            "GemmaMLP",
            "GemmaConfig",
            "`GemmaConfig` would go to another file: configuration instead of modeling",
        ),
        (
            "MistralMLP",
            "MistralGate",
            "no hand-written file of a model defines `MistralMLP`",
        ),
    ],
)
def test_what_is_refused(root: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(RenameError, match="^" + message.replace(".", r"\.")):
        renamed(root, old, new)


def test_nothing_is_written_where_a_model_would_not_convert(
    root: Path, modular: Callable[..., Result]
) -> None:
    modular("convert")
    (root / "models/bert").mkdir()
    (root / "models/bert/modular_bert.py").write_text(
        "from ..llama.modeling_llama import LlamaLayer\n\n\n"
        "class BertGate:\n    pass\n\n\nclass BertLayer(LlamaLayer):\n    gate = BertGate\n"
    )
    done = modular("rename", "LlamaMLP", "LlamaGate")
    assert done.exit_code == 2
    assert (
        "`BertGate` is defined in `models/bert/modular_bert.py` already" in done.stderr
    )
    assert "class LlamaMLP" in (root / "models/llama/modeling_llama.py").read_text()


def test_a_file_that_changes_by_more_than_the_name_is_named(
    root: Path, modular: Callable[..., Result]
) -> None:
    """`BertMLP` stands for the classes of two parents: only one of them gets the new name."""
    (root / "models/owl").mkdir()
    (root / "models/owl/modeling_owl.py").write_text(
        "class OwlMLP:\n    size = 1\n\n\nclass OwlBlock:\n    mlp = OwlMLP\n"
    )
    (root / "models/bert").mkdir()
    (root / "models/bert/modular_bert.py").write_text(
        "from ..owl.modeling_owl import OwlBlock\nfrom ..llama.modeling_llama import LlamaLayer\n\n\n"
        "class BertMLP:\n    size = 2\n\n\nclass BertLayer(LlamaLayer):\n    pass\n\n\n"
        "class BertBlock(OwlBlock):\n    pass\n"
    )
    assert modular("convert").exit_code == 0
    done = modular("rename", "LlamaMLP", "LlamaGate")
    assert done.stderr.startswith(
        "also changed, please review: models/bert/modeling_bert.py\n"
    )
