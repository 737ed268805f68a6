"""A small project, converted, and what was reported as the text that a person would see."""

import re
from collections.abc import Mapping
from contextlib import chdir
from pathlib import Path
from textwrap import dedent

from modular.cli.rendering.diagnostics import render
from modular.run import api
from modular.source.diagnostics import Diagnostic


LLAMA = "models/llama/modeling_llama.py"
OLMO = "models/olmo/modular_olmo.py"

PARENT = """\
from torch import nn


class LlamaMLP(nn.Module):
    scale = 1

    def __init__(self, config):
        super().__init__()
        self.up_proj = nn.Linear(4, 4)

    def forward(self, x):
        return self.up_proj(x)


class LlamaModel(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.mlp = LlamaMLP(config)
"""


def diagnostics(
    folder: Path, files: Mapping[str, str | bytes], *targets: str
) -> tuple[Diagnostic, ...]:
    """Convert a project with these files (paths from its root), as a command in its root would."""
    root = folder / "project"
    for path, content in {
        "pyproject.toml": '[tool.modular]\npreset = "transformers"\nmodels = ["models"]\n',
        **files,
    }.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
    with chdir(root):
        return api.convert(
            targets, options=api.Options(root=root, cache=False, info=True)
        ).diagnostics


def report(folder: Path, files: Mapping[str, str | bytes], *targets: str) -> str:
    """Convert a project with these files and return what is reported."""
    return render(diagnostics(folder, files, *targets))


def of_olmo(folder: Path, modular: str, parent: str = PARENT) -> str:
    """Convert a modular file whose parent file is `PARENT`, or another one, and return what is reported."""
    return report(folder, {LLAMA: parent, OLMO: lines(modular)})


def codes_and_places(reported: str) -> list[str]:
    """The code and the places of each diagnostic in a text that `report` returns.

    The messages are asserted by the examples on the pages of the codes.
    """
    found = []
    for diagnostic in reported.split("\n\n"):
        for code in re.findall(r"\[(MOD\d+)\]", diagnostic):
            places = re.findall(r"(?m)^ +(?:-->|[a-z ]+) (\S+:\d+:\d+)$", diagnostic)
            if not places:
                places = re.findall(r"(?m)^ +--> (.*)", diagnostic)
            found.append(f"{code} {', '.join(places)}")
    return found


def only_hint(folder: Path, modular: str, parent: str = PARENT) -> str:
    """Convert a modular file with one mistake, and return the hint."""
    reported = diagnostics(folder, {LLAMA: parent, OLMO: lines(modular)})
    [hint] = [
        diagnostic.hint for diagnostic in reported if diagnostic.code.id != "MOD453"
    ]
    return hint


def lines(text: str) -> str:
    """Return a literal without its indent and without the line end that it begins with."""
    return dedent(text).removeprefix("\n")
