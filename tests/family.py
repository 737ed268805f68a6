"""A small project: a hand-written parent, a child, and a grandchild whose parent is generated."""

from pathlib import Path

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

FAMILY = {
    "pyproject.toml": '[tool.modular]\npreset = "transformers"\n' + FORMATTING,
    "models/base/modeling_base.py": BASE,
    "models/child/modular_child.py": CHILD,
    "models/grandchild/modular_grandchild.py": GRANDCHILD,
}
"""The files that people write, by path."""


def files(root: Path) -> dict[str, str]:
    """Return the text of every file of a project, by path."""
    return {
        path.relative_to(root).as_posix(): path.read_text()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }
