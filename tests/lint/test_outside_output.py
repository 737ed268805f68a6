"""MOD432: with an output folder, relative imports that lead out of it to nothing."""

from pathlib import Path

import pytest

from tests.support import Converted, convert


PARENT = "from ...layers import Layer\n\n\nclass LlamaMLP(Layer):\n    scale = 1\n"
MODULAR = "from ..llama.modeling_llama import LlamaMLP\n{line}\n\n\nclass OlmoMLP(LlamaMLP):\n    size = {value}\n"


def converted(
    root: Path, line: str, value: str, output: str, files: dict[str, str] | None = None
) -> Converted:
    settings = f'[tool.modular]\nmodels = ["library/models"]\npackage = "library.models"\noutput = "{output}"\n'
    return convert(
        root,
        {
            "pyproject.toml": settings,
            "library/models/llama/modeling_llama.py": PARENT,
            "library/models/olmo/modular_olmo.py": MODULAR.format(
                line=line, value=value
            ),
            "library/layers.py": "class Layer:\n    pass\n",
            **(files or {}),
        },
    )


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
        "seen from `generated/olmo`, `...sizes` points outside `generated`, and there is no such module"
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
