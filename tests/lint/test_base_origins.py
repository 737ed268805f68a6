"""A base from a model file that is imported in another way than by a model import."""

from pathlib import Path

import pytest

from modular.run import api
from tests.flock import run_modular
from tests.support import source, write_project


CLASS = "class LlamaMLP:\n    size = 1\n"

DEFAULT = {
    "pyproject.toml": source("""
        [tool.modular]
        models = ["lib/models"]
        package = "lib.models"
    """),
    "lib/__init__.py": "from .models import *\n",
    "lib/models/__init__.py": "from .llama import LlamaMLP\n",
    "lib/models/llama/__init__.py": source("""
        from typing import TYPE_CHECKING

        if TYPE_CHECKING:
            from .modeling_llama import *
    """),
    "lib/models/llama/modeling_llama.py": CLASS,
    "lib/helper.py": "from .models.llama.modeling_llama import LlamaMLP as MLP\n",
}

FLAT = {
    "pyproject.toml": source("""
        [tool.modular]
        models = ["lib/models"]
        package = "lib.models"
        file-names = "{type}_{model}.py"
    """),
    "lib/__init__.py": "",
    "lib/models/__init__.py": "from .modeling_llama import LlamaMLP\n",
    "lib/models/modeling_llama.py": CLASS,
    "lib/helper.py": "from .models.modeling_llama import LlamaMLP as MLP\n",
}

HUB = {
    "pyproject.toml": '[tool.modular]\npreset = "hub"\n',
    "modeling_llama.py": CLASS,
}


def report(
    root: Path, files: dict[str, str], modular: str, imports: str, base: str
) -> list[tuple[str, str]]:
    """Convert a class with a base; return the codes and hints of what is reported."""
    text = f"{imports}\n\n\nclass OlmoMLP({base}):\n    width = 2\n"
    write_project(root, {**files, modular: text})
    found = api.convert(options=api.Options(root=root, cache=False)).diagnostics
    return [(diagnostic.code.id, diagnostic.hint) for diagnostic in found]


@pytest.mark.parametrize(
    ("imports", "base"),
    [
        ("import lib", "lib.models.llama.modeling_llama.LlamaMLP"),
        ("import lib as x", "x.LlamaMLP"),
        ("from lib import models", "models.llama.modeling_llama.LlamaMLP"),
        ("from lib import LlamaMLP", "LlamaMLP"),
        ("from lib.models import LlamaMLP as X", "X"),
        ("from lib.helper import MLP", "MLP"),
        ("from .. import LlamaMLP", "LlamaMLP"),
        ("from ... import LlamaMLP", "LlamaMLP"),
        ("from ...helper import MLP", "MLP[int]"),
    ],
)
def test_a_base_that_a_package_or_another_file_imports_is_reported(
    tmp_path: Path, imports: str, base: str
) -> None:
    modular = "lib/models/olmo/modular_olmo.py"
    [(code, hint)] = report(tmp_path, DEFAULT, modular, imports, base)
    assert code == "MOD431"
    assert hint.startswith("write `from ..llama.modeling_llama import LlamaMLP`")


@pytest.mark.parametrize(
    ("imports", "base"),
    [
        ("import lib.models.modeling_llama as m", "m.LlamaMLP"),
        ("import lib.models.modeling_llama", "lib.models.modeling_llama.LlamaMLP"),
        ("from lib.models import modeling_llama", "modeling_llama.LlamaMLP"),
        ("from . import modeling_llama as m", "m.LlamaMLP"),
        ("from . import LlamaMLP", "LlamaMLP"),
        ("from ..helper import MLP", "MLP"),
        (
            "try:\n    from .modeling_llama import LlamaMLP\nexcept ImportError:\n    x = 1",
            "LlamaMLP",
        ),
    ],
)
def test_the_models_may_share_a_folder(tmp_path: Path, imports: str, base: str) -> None:
    modular = "lib/models/modular_olmo.py"
    [(code, hint)] = report(tmp_path, FLAT, modular, imports, base)
    assert code == "MOD431"
    assert hint.startswith("write `from .modeling_llama import LlamaMLP`")


@pytest.mark.parametrize(
    ("imports", "base"),
    [
        ("import modeling_llama", "modeling_llama.LlamaMLP"),
        ("from modeling_llama import LlamaMLP", "LlamaMLP"),
        ("from . import modeling_llama", "modeling_llama.LlamaMLP"),
    ],
)
def test_a_hub_repository_has_no_package(
    tmp_path: Path, imports: str, base: str
) -> None:
    [(code, hint)] = report(tmp_path, HUB, "modular_olmo.py", imports, base)
    assert code == "MOD431"
    assert hint.startswith("write `from .modeling_llama import LlamaMLP`")


@pytest.mark.parametrize(
    ("imports", "base"),
    [
        ("import transformers as t", "t.LlamaRMSNorm"),
        ("from transformers.models.llama import LlamaRMSNorm", "LlamaRMSNorm"),
        ("from transformers.models import llama", "llama.modeling_llama.LlamaRMSNorm"),
        ("import transformers.models.llama.modeling_llama as m", "m.LlamaRMSNorm"),
    ],
)
def test_the_class_may_be_that_of_the_source_library(
    tmp_path: Path, imports: str, base: str
) -> None:
    settings = {"pyproject.toml": HUB["pyproject.toml"]}
    [(code, hint)] = report(tmp_path, settings, "modular_olmo.py", imports, base)
    assert code == "MOD431"
    source_ = "transformers.models.llama.modeling_llama"
    assert hint.startswith(f"write `from {source_} import LlamaRMSNorm`")


@pytest.mark.parametrize(
    ("files", "imports", "base"),
    [
        # The class is in no model file.
        (
            {"lib/layers.py": "class Layer:\n    pass\n"},
            "from ...layers import Layer",
            "Layer",
        ),
        (
            {"lib/layers.py": "class Layer:\n    pass\n"},
            "import lib.layers as m",
            "m.Layer",
        ),
        # The setting `ordinary-imports` names the file.
        (
            {"lib/models/auto/modeling_auto.py": "class AutoModel:\n    pass\n"},
            "from ..auto.modeling_auto import AutoModel",
            "AutoModel",
        ),
        # The files import it from each other.
        (
            {"lib/a.py": "from .b import Base\n", "lib/b.py": "from .a import Base\n"},
            "from ...a import Base",
            "Base",
        ),
    ],
)
def test_other_bases_are_not_reported(
    tmp_path: Path, files: dict[str, str], imports: str, base: str
) -> None:
    modular = "lib/models/olmo/modular_olmo.py"
    assert report(tmp_path, {**DEFAULT, **files}, modular, imports, base) == []


def test_the_fix_imports_the_class_from_its_file(tmp_path: Path) -> None:
    modular = "lib/models/modular_olmo.py"
    text = (
        "from . import LlamaMLP, helper\n\n\nclass OlmoMLP(LlamaMLP):\n    x = helper\n"
    )
    write_project(tmp_path, {**FLAT, modular: text})
    fixed = run_modular("fix", "--unsafe-fixes", cwd=tmp_path)
    assert fixed.returncode == 0, fixed.stderr
    assert (tmp_path / modular).read_text(encoding="utf-8") == source("""
        from .modeling_llama import LlamaMLP
        from . import helper


        class OlmoMLP(LlamaMLP):
            x = helper
    """)


def test_another_file_of_the_same_model_may_be_imported_by_its_full_name(
    tmp_path: Path,
) -> None:
    files = {"lib/models/olmo/configuration_olmo.py": "class OlmoConfig:\n    x = 1\n"}
    imports = "from lib.models.olmo.configuration_olmo import OlmoConfig"
    modular = "lib/models/olmo/modular_olmo.py"
    assert report(tmp_path, {**DEFAULT, **files}, modular, imports, "OlmoConfig") == []
