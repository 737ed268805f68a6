"""A small project for the commands: a hand-written parent, a child, and a grandchild whose parent is generated."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from modular.cli.main import main
from modular.conversion.conversion import Conversion
from modular.conversion.converter import Converter
from tests.support import FORMATTING


BASE = """\
from torch import nn


class BaseMLP(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.up_proj = nn.Linear(config.hidden_size, 4)

    def forward(self, x):
        return self.up_proj(x)
"""

CHILD = """\
from ..base.modeling_base import BaseMLP


class ChildMLP(BaseMLP):
    def forward(self, x):
        return -self.up_proj(x)
"""

GRANDCHILD = """\
from ..child.modeling_child import ChildMLP


class GrandchildMLP(ChildMLP):
    pass
"""

CHILD_OUTPUT = """\
from torch import nn


class ChildMLP(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.up_proj = nn.Linear(config.hidden_size, 4)

    def forward(self, x):
        return -self.up_proj(x)
"""

GRANDCHILD_OUTPUT = CHILD_OUTPUT.replace("ChildMLP", "GrandchildMLP")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MODULAR_CACHE_DIR", str(tmp_path / "cache"))
    root = tmp_path / "project"
    for path, text in {
        "pyproject.toml": "[tool.modular]\n" + FORMATTING,
        "models/base/modeling_base.py": BASE,
        "models/child/modular_child.py": CHILD,
        "models/grandchild/modular_grandchild.py": GRANDCHILD,
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def converted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The modular files that were converted and not taken from the cache."""
    found: list[str] = []
    convert = Converter.convert

    def indexed_projects(self: Converter, path: str) -> Conversion:
        found.append(path.split("/")[1])
        return convert(self, path)

    monkeypatch.setattr(Converter, "convert", indexed_projects)
    return found


@pytest.fixture
def modular() -> Callable[..., Result]:
    """Runs a command and returns what it printed and its exit code."""
    return lambda *arguments: CliRunner().invoke(
        main, arguments, catch_exceptions=False
    )


def files(root: Path) -> dict[str, str]:
    """Every file of a project."""
    return {
        path.relative_to(root).as_posix(): path.read_text()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }
