"""`rename` and `fix` edit the right place whatever separates the lines of a file."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from modular.cli.main import main
from tests.support import source


SEPARATORS = ["\f", "\v", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"]
LINE_ENDS = {"unix": "\n", "windows": "\r\n", "lone": "\r"}

LLAMA = source("""
    from torch import nn


    class LlamaMLP(nn.Module):
        def forward(self, x):
            return x


    class LlamaModel(nn.Module):
        pass
    """)
OLMO = source("""
    # This comment stays.
    from ..llama.modeling_llama import LlamaMLP, LlamaModel


    # So does this one.
    class OlmoMLP(LlamaMLP):
        def forward(self, x):
            return x + 1
    """)
TEST = source("""
    from models.llama.modeling_llama import LlamaMLP


    def test_mlp(config):
        # LlamaMLP is small.
        assert LlamaMLP(config)
    """)
PATHS = [
    "models/llama/modeling_llama.py",
    "models/olmo/modular_olmo.py",
    "tests/test_llama.py",
]


def project(root: Path, change: object) -> Path:
    """Write a project whose files were changed by a function."""
    assert callable(change)
    texts = zip(PATHS, [LLAMA, OLMO, TEST], strict=True)
    for path, text in [
        (
            "pyproject.toml",
            '[tool.modular]\npreset = "transformers"\nmodels = ["models"]\n',
        )
    ]:
        (root / path).write_text(text, encoding="utf-8")
    for path, text in texts:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(change(text).encode())
    return root


def run(root: Path, *arguments: str) -> Result:
    command = [arguments[0], "--root", str(root), "--no-cache", *arguments[1:]]
    return CliRunner().invoke(main, command)


def contents(root: Path) -> list[str]:
    return [(root / path).read_bytes().decode() for path in PATHS]


def renamed(text: str) -> str:
    """Return a text after the renaming; the comment about the class stays."""
    text = text.replace("LlamaMLP", "LlamaFeed")
    return text.replace("# LlamaFeed is", "# LlamaMLP is")


def fixed(text: str) -> str:
    return text.replace(", LlamaModel", "") if "OlmoMLP" in text else text


def changes() -> dict[str, object]:
    """Return functions that change the separators of a text, by what they do."""
    made: dict[str, object] = {}
    for separator in SEPARATORS:
        comment = f"# a{separator}b{separator}\n"
        name = f"{ord(separator):x}"
        made[f"{name} in a comment"] = lambda text, comment=comment: comment + text
        made[f"{name} in a string"] = lambda text, separator=separator: (
            f'"""a{separator}\n"""\n{text}'
        )
    for name, end in LINE_ENDS.items():
        made[name] = lambda text, end=end: text.replace("\n", end)
        made[f"{name} and a mark"] = lambda text, end=end: (
            "\ufeff" + text.replace("\n", end)
        )
    made["mixed"] = lambda text: text.replace("\n", "\r\n", 3).replace("\n\n", "\n\r")
    made["form feeds"] = lambda text: text.replace("\nclass", "\n\fclass")
    made["no end"] = lambda text: text.rstrip("\n")
    return made


@pytest.mark.parametrize("name", changes())
def test_rename_changes_the_name_and_nothing_else(tmp_path: Path, name: str) -> None:
    change = changes()[name]
    assert callable(change)
    root = project(tmp_path, change)
    done = run(root, "rename", "LlamaMLP", "LlamaFeed")
    assert done.exit_code == 0, done.output
    assert contents(root) == [change(renamed(text)) for text in (LLAMA, OLMO, TEST)]


@pytest.mark.parametrize("name", changes())
def test_fix_changes_the_import_and_nothing_else(tmp_path: Path, name: str) -> None:
    change = changes()[name]
    assert callable(change)
    root = project(tmp_path, change)
    done = run(root, "fix")
    assert done.exit_code == 0, done.output
    assert "1 finding fixed" in done.output
    assert contents(root) == [change(fixed(text)) for text in (LLAMA, OLMO, TEST)]
