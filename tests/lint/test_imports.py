"""Imports: MOD407, MOD431 and MOD432."""

from pathlib import Path

import pytest

from modular.source.edits import apply_edits
from tests.conftest import Flatten
from tests.support import Converted, convert, source


PARENT = "class LlamaMLP:\n    scale = 1\n"


def found(flatten: Flatten, line: str) -> list[tuple[str, str, str]]:
    """Import something; return the codes, what is marked, and the hints, undefined names aside."""
    files = {
        "models/llama/__init__.py": "from .modeling_llama import *\n",
        "models/llama/helpers.py": "Y = 1\n",
        "models/auto/modeling_auto.py": "AutoModel = 1\n",
    }
    files |= {"models/my_model/configuration_my_model.py": "Y = 1\n"}
    files |= {"models/my_model/generation_my_model.py": "class Base:\n    pass\n"}
    base = "(Base)" if "Base" in line else ""
    result = flatten(
        f"{line}\nfrom ..llama.modeling_llama import LlamaMLP\n\n\nclass MyModelMLP(LlamaMLP):\n    pass\n\n\n"
        f"class MyModelNorm{base}:\n    a = Y\n",
        PARENT,
        files,
    )
    places = (
        (diagnostic.code.id, diagnostic.place, diagnostic.hint)
        for diagnostic in result.diagnostics
    )
    shown = [
        (code, place.text[place.column - 1 : place.column - 1 + place.width], hint)
        for code, place, hint in places
    ]
    return [entry for entry in shown if entry[0] not in ("MOD306", "MOD408")]


PARENT_WITH_IMPORT = (
    "from ...layers import Layer\n\n\nclass LlamaMLP(Layer):\n    scale = 1\n"
)

MODULAR = "from ..llama.modeling_llama import LlamaMLP\n{line}\n\n\nclass OlmoMLP(LlamaMLP):\n    size = {value}\n"


def converted(
    root: Path, line: str, value: str, output: str, files: dict[str, str] | None = None
) -> Converted:
    settings = f'[tool.modular]\nmodels = ["library/models"]\npackage = "library.models"\noutput = "{output}"\n'
    return convert(
        root,
        {
            "pyproject.toml": settings,
            "library/models/llama/modeling_llama.py": PARENT_WITH_IMPORT,
            "library/models/olmo/modular_olmo.py": MODULAR.format(
                line=line, value=value
            ),
            "library/layers.py": "class Layer:\n    pass\n",
            **(files or {}),
        },
    )


@pytest.mark.parametrize(
    ("line", "marked", "hint"),
    [
        (
            "from ..llama.modelling_llama import Y",
            "llama.modelling_llama",
            "did you mean `modeling_llama`?",
        ),
        (
            "from ..lama.layers_lama import Y",
            "lama.layers_lama",
            "did you mean `llama`?",
        ),
        (
            "from ...llama.modeling_llama import Y",
            "llama.modeling_llama",
            "write `..llama.modeling_llama`",
        ),
        (
            "from ..llama.modular_llama import Y",
            "llama.modular_llama",
            "import from a file that it generates, such as `..llama.modeling_llama`",
        ),
        (
            "from ..llama import LlamaMLP as Base",
            "llama",
            "write `from ..llama.modeling_llama import LlamaMLP` at the top of the file",
        ),
        (
            "from .modeling_my_model import Y",
            "modeling_my_model",
            "use the name without an import: it is defined here, or copied as a dependency",
        ),
        (
            "import models.my_model.modeling_my_model as Y",
            "models.my_model.modeling_my_model",
            "use the name without an import: it is defined here, or copied as a dependency",
        ),
        (
            "if True:\n    from ..llama.modeling_llama import LlamaMLP as Base",
            "llama.modeling_llama",
            "write `from ..llama.modeling_llama import ...` at the top of the file",
        ),
        (
            "try:\n    from ..llama.modeling_llama import LlamaMLP as Base\nexcept ImportError:\n    Base = 1",
            "llama.modeling_llama",
            "write `from ..llama.modeling_llama import ...` at the top of the file",
        ),
    ],
)
def test_imports_that_are_missed(
    flatten: Flatten, line: str, marked: str, hint: str
) -> None:
    assert found(flatten, line) == [("MOD431", marked, hint)]


@pytest.mark.parametrize(
    "line",
    [
        "from .. import llama as Y",
        "from .. import missing as Base",
        "from torch import Y",
        "from ...utils import Y",
        "from ..llama.helpers import Y",
        "from ..llama import helpers as Y",
        "from ..auto import AutoModel as Y",
        "from ..llama import LlamaMLP as Y",
        "if True:\n    from ..llama.modeling_llama import LlamaMLP as Y",
        "import transformers.models.llama.modeling_llama as Y",
        "from ..llama import modeling_llama as Y",
        "from ..auto.modeling_auto import AutoModel as Y",
        "from .configuration_my_model import Y",
        "from .generation_my_model import Base",
        "from other.llama.modeling_llama import Y",
        "if True:\n    from ..llama.helpers import Y",
        "import torch.modeling_llama as Y",
    ],
)
def test_ordinary_imports(flatten: Flatten, line: str) -> None:
    assert found(flatten, line) == []


def test_of_the_modular_file_and_of_a_parent(tmp_path: Path) -> None:
    found = converted(
        tmp_path, "from ...sizes import SIZE", "SIZE", "generated"
    ).diagnostics
    assert [
        (diagnostic.code.id, diagnostic.place.line, diagnostic.place.column)
        for diagnostic in found
    ] == [
        ("MOD432", 1, 8),
        ("MOD432", 2, 9),
    ]
    assert [diagnostic.related and diagnostic.related.path for diagnostic in found] == [
        "library/models/llama/modeling_llama.py",
        None,
    ]
    assert found[1].message == (
        "the generated file cannot import `...sizes`: seen from `generated/olmo`, it points outside `generated`"
    )


@pytest.mark.parametrize(
    ("output", "line", "value", "files"),
    [
        ("", "from ...sizes import SIZE", "SIZE", {}),
        ("library/generated", "from ...layers import SIZE", "SIZE", {}),
        ("generated", "from library.sizes import SIZE", "SIZE", {"layers.py": ""}),
        ("generated", "from ..sizes import SIZE", "SIZE", {"layers.py": ""}),
        ("generated", "from ...layers import SIZE", "SIZE", {"layers/__init__.py": ""}),
    ],
)
def test_imports_that_find_something(
    tmp_path: Path, output: str, line: str, value: str, files: dict[str, str]
) -> None:
    assert "MOD432" not in [
        code for code, _ in converted(tmp_path, line, value, output, files).codes
    ]


def test_a_parent_with_type_arguments_is_imported_by_name(flatten: Flatten) -> None:
    parent = """
        from typing import Generic, TypeVar

        T = TypeVar("T")


        class LlamaBox(Generic[T]):
            size = 1
        """
    modular = """
        from ..llama.modeling_llama import LlamaBox


        class MyModelBox(LlamaBox[int]):
            pass
        """
    [finding] = flatten(modular, parent).diagnostics
    assert (
        finding.hint
        == "write `LlamaBox` without type arguments: a parent class with type arguments is not flattened"
    )
    fixed = apply_edits(source(modular), finding.fixes[0].edits)
    assert "class MyModelBox(LlamaBox):" in fixed
    assert flatten(fixed, parent).codes == []


@pytest.mark.parametrize(
    ("imported", "base", "message"),
    [
        (
            "from ..llama import LlamaMLP",
            "LlamaMLP",
            "`LlamaMLP` is defined in `models/llama/modeling_llama.py`, but not imported "
            "from there by name, so the import is copied unchanged",
        ),
        (
            "from ..llama import LlamaNorm",
            "LlamaNorm",
            "`models/llama` does not define `LlamaNorm`",
        ),
        (
            "from ..llama import modeling_llama",
            "modeling_llama.LlamaNorm",
            "`models/llama/modeling_llama.py` does not define `LlamaNorm`",
        ),
    ],
)
def test_a_base_that_python_cannot_import_is_an_error(
    flatten: Flatten, imported: str, base: str, message: str
) -> None:
    code = f"{imported}\n\n\nclass MyModelMLP({base}):\n    pass\n"
    (diagnostic,) = flatten(code, PARENT).diagnostics
    assert diagnostic.code.id == "MOD431"
    assert diagnostic.is_error
    assert diagnostic.message == message
