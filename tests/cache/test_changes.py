"""Sixty kinds of change between two runs: `check` says the same with the cache as without it, and `--since` misses none."""

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from modular import Options, check, convert
from modular.cache.inputs import affected
from modular.project.opening import open_project


PYPROJECT = """\
[tool.modular]
[tool.modular.banner]
text = ""

[tool.ruff]
src = [".", "python", "packages/*", "../beside"]

[tool.ruff.lint]
select = ["F", "I"]
preview = true
"""

BASE = """\
import aside
import mypkg.sub
import alone
import gamma
from inner.deep import thing
from torch import nn
import zeta


class BaseNorm(nn.Module):
    pass


class BaseMLP(nn.Module):
    size = [aside, alone, gamma, mypkg.sub, thing, zeta]

    def __init__(self, config):
        super().__init__()
        self.norm = BaseNorm(config.size)

    def forward(self, x):
        return self.norm(x)
"""

CHILD = """\
from ..base.modeling_base import BaseMLP


class ChildMLP(BaseMLP):
    def forward(self, x):
        return -self.norm(x)
"""

GRANDCHILD = """\
from ..child.modeling_child import ChildMLP


class GrandchildMLP(ChildMLP):
    pass
"""

LONE = """\
import gamma
import zeta


class LoneMLP:
    size = [gamma, zeta]
"""

READER = """\
from ..whole import WholeMLP


class ReaderMLP(WholeMLP):
    pass
"""

FILES = {
    "pyproject.toml": PYPROJECT,
    "models/base/modeling_base.py": BASE,
    "models/child/modular_child.py": CHILD,
    "models/grandchild/modular_grandchild.py": GRANDCHILD,
    "models/lone/modular_lone.py": LONE,
    "models/reader/modular_reader.py": READER,
    "models/whole/modeling_whole.py": "class WholeMLP:\n    pass\n",
    "models/whole/processing_whole.py": "x = 1\n",
    "models/other/modeling_other.py": BASE.replace("Base", "Other"),
    "python/readme.txt": "",
    "mypkg/readme.txt": "",
    "packages/one/alone.py": "",
    "shared/base.toml": "line-length = 100\n",
}

EMPTY = ""
GONE = None

CHANGES: list[Mapping[str, str | None]] = [
    # Modules that appear where imports are searched for, and others that do not matter.
    {"python/gamma/__init__.py": EMPTY},
    {"python/gamma.py": EMPTY},
    {"python/gamma.pyi": EMPTY},
    {"python/gamma/readme.txt": EMPTY},
    {"python/delta/__init__.py": EMPTY},
    {"python/mypkg/sub.py": EMPTY},
    {"python/zeta/inner/deep.py": EMPTY},
    {"python/inner/deep/more.py": EMPTY},
    {"mypkg/sub.py": EMPTY},
    {"mypkg/sub.pyi": EMPTY},
    {"mypkg/sub/__init__.py": EMPTY},
    {"mypkg/sub/deep/readme.txt": EMPTY},
    {"mypkg/other.py": EMPTY},
    {"mypkg/__init__.py": EMPTY},
    {"inner/deep.py": EMPTY},
    {"inner/__init__.py": EMPTY},
    {"inner/deep/thing.py": EMPTY},
    {"gamma.py": EMPTY},
    {"gamma/__init__.py": EMPTY},
    {"gamma/readme.txt": EMPTY},
    {"src/gamma.py": EMPTY},
    {"src/gamma/a/b/c.py": EMPTY},
    {"src/zeta/__init__.pyi": EMPTY},
    {"packages/one/gamma.py": EMPTY},
    {"packages/two/gamma/__init__.py": EMPTY},
    {"packages/one/alone.py": GONE},
    {"packages/one/alone.py": GONE, "packages/two/alone.py": EMPTY},
    {"packages/gamma.py": EMPTY},
    {"../beside/aside.py": EMPTY},
    {"../beside/aside/__init__.py": EMPTY},
    {"../aside.py": EMPTY},
    {"models/gamma.py": EMPTY},
    {"models/base/gamma.py": EMPTY},
    {"tests/test_gamma.py": EMPTY},
    # Settings of the formatter.
    {"pyproject.toml": PYPROJECT.replace('"python", ', "")},
    {"pyproject.toml": PYPROJECT.replace('"F", ', "")},
    {"pyproject.toml": PYPROJECT.replace('"../beside"', '"other"')},
    {"pyproject.toml": f"{PYPROJECT}isort.known-first-party = ['gamma']\n"},
    {"pyproject.toml": PYPROJECT.replace("preview = true", "preview = false")},
    {"ruff.toml": "line-length = 40\n"},
    {".ruff.toml": "indent-width = 2\n"},
    {"models/ruff.toml": "indent-width = 2\n"},
    {"models/lone/ruff.toml": 'extend = "../../shared/base.toml"\nindent-width = 2\n'},
    {
        "models/ruff.toml": 'src = ["lib"]\nlint.select = ["I"]\n',
        "models/lib/gamma.py": EMPTY,
    },
    {"../ruff.toml": "indent-width = 2\n"},
    {"shared/base.toml": "line-length = 50\n"},
    # Settings of modular.
    {"pyproject.toml": PYPROJECT.replace('text = ""', 'text = "# generated\\n"')},
    {
        "pyproject.toml": PYPROJECT.replace(
            "[tool.modular]\n", FORMATTER := '[tool.modular]\nformatter = "none"\n'
        )
    },
    {
        "pyproject.toml": PYPROJECT.replace(
            "[tool.modular]\n", '[tool.modular]\noutput = "out"\n'
        )
    },
    # Models and their parents.
    {"models/base/modeling_base.py": BASE.replace("config.size", "config.width")},
    {
        "models/base/modeling_base.py": BASE.replace(
            "import gamma", "import alpha as gamma"
        )
    },
    {"models/base/modeling_base.py": GONE},
    {"models/base/modular_base.py": "class BaseMLP:\n    pass\n"},
    {"models/child/modular_child.py": CHILD.replace("return -", "return ~")},
    {
        "models/child/modular_child.py": CHILD.replace("base", "other").replace(
            "Base", "Other"
        )
    },
    {"models/child/modular_child.py": GONE},
    {"models/child/modeling_child.py": "x = 1\n"},
    {"models/child/modeling_child.py": GONE},
    {
        "models/child/configuration_child.py": 'class CHILDConfig:\n    model_type = "child"\n'
    },
    {"models/base/configuration_base.py": 'class BaConfig:\n    model_type = "base"\n'},
    {
        "models/auto/auto_mappings.py": 'CONFIG_MAPPING_NAMES = {"child": "CHILDConfig"}\n'
    },
    {
        "models/lone/modular_lone.py": LONE.replace(
            "import gamma", "import mypkg.sub as gamma"
        )
    },
    # Files that lint rules read.
    {"models/whole/modeling_whole.py": "x = 1\n"},
    {"models/whole/modeling_whole.py": GONE},
    {
        "models/whole/modeling_whole.py": "x = 1\n",
        "models/whole/configuration_whole.py": "class WholeMLP:\n    pass\n",
    },
    {"models/new/modular_new.py": LONE.replace("Lone", "New")},
]


def write(root: Path, files: Mapping[str, str | None]) -> None:
    for path, text in files.items():
        place = root / path
        if text is None:
            place.unlink()
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")


def state(root: Path, *, cache: bool) -> dict[str, object]:
    """Return what `check` reports of each model."""
    report = check(options=Options(root=root, jobs=1, cache=cache))
    models: dict[str, object] = {}
    for file in report.files:
        problems = [
            str(problem)
            for problem in report.diagnostics
            if problem.place.path == file.modular
        ]
        models[file.modular] = (file.path, file.status, file.diff, problems)
    return models


def test_the_cache_and_since_notice_every_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MODULAR_CACHE_DIR", str(tmp_path / "cache"))
    original = tmp_path / "original/project"
    write(original, FILES)
    convert(options=Options(root=original, jobs=1))
    before = state(original, cache=True)
    assert "MOD431" in str(before["models/reader/modular_reader.py"])
    assert len(CHANGES) >= 60

    wrong = []
    effective = 0
    for number, change in enumerate(CHANGES):
        folder = tmp_path / f"clone{number}"
        shutil.copytree(original.parent, folder)
        root = folder / "project"
        write(root, change)
        expected = state(root, cache=False)
        if state(root, cache=True) != expected:
            wrong.append(("cache", change))

        differing = {
            model for model in expected if expected[model] != before.get(model)
        }
        effective += bool(differing)
        if not differing <= set(affected(open_project(root), change)):
            wrong.append(("since", change))
    assert wrong == []
    assert effective >= 40
