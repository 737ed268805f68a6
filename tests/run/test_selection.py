"""The models that a command converts: targets that name no modular file."""

from pathlib import Path

import pytest

from tests.reporting import (
    LLAMA,
    OLMO,
    PARENT,
    diagnostics,
    lines,
    report,
)


MODELS = [f"models/m{number}/modular_m{number}.py" for number in range(11)]

OLMO_MLP = """\
from ..llama.modeling_llama import LlamaMLP


class OlmoMLP(LlamaMLP):
    pass
"""


def hint(folder: Path, modular: str, parent: str = PARENT) -> str:
    """Convert a modular file with one mistake and return the hint."""
    reported = diagnostics(folder, {LLAMA: parent, OLMO: lines(modular)})
    [hint] = [
        diagnostic.hint for diagnostic in reported if diagnostic.code.id != "MOD453"
    ]
    return hint


SMALL = {
    LLAMA: PARENT,
    "models/llama/__init__.py": "",
    OLMO: "class OlmoMLP:\n    pass\n",
    "models/olmo/modeling_olmo.py": "",
    "models/cohere/cohere_modular.py": "class CohereMLP:\n    pass\n",
}

GENERATED_FILE = (
    "`models/olmo/modeling_olmo.py` is generated from `models/olmo/modular_olmo.py`",
    "name that file, or `olmo`",
)

CALLED = "modular files are called `modular_<model>.py`"

BY_HAND = "name a modular file, or a model that has one"


def test_not_found(tmp_path: Path) -> None:
    assert report(tmp_path, {LLAMA: PARENT, OLMO: OLMO_MLP}, "olmmo") == lines("""
        error[MOD103]: no such model, file or folder
          --> olmmo
             hint: did you mean `olmo`?

        """)


def test_not_a_modular_file(tmp_path: Path) -> None:
    assert report(tmp_path, {LLAMA: PARENT}, LLAMA) == lines("""
        error[MOD105]: `models/llama/modeling_llama.py` is hand-written: no \
modular file generates it
          --> models/llama/modeling_llama.py
             hint: name a modular file, or a model that has one

        """)


def test_outside_root(tmp_path: Path) -> None:
    reported = diagnostics(
        tmp_path,
        {LLAMA: PARENT, "../elsewhere/modular_olmo.py": OLMO_MLP},
        "../elsewhere/modular_olmo.py",
    )
    assert [(diagnostic.code.id, diagnostic.place.path) for diagnostic in reported] == [
        ("MOD107", "../elsewhere/modular_olmo.py")
    ]
    assert "outside the project's root" in reported[0].message
    assert "--root" in reported[0].hint


@pytest.mark.parametrize(
    ("target", "message", "hint"),
    [
        (
            "llama",
            "`llama` is hand-written: it has `modeling_llama.py`, and no modular file",
            BY_HAND,
        ),
        (
            "models/llama",
            "`llama` is hand-written: it has `modeling_llama.py`, and no modular file",
            BY_HAND,
        ),
        (
            LLAMA,
            "`models/llama/modeling_llama.py` is hand-written: no modular file generates it",
            BY_HAND,
        ),
        (
            "modeling_llama.py",
            "`models/llama/modeling_llama.py` is hand-written: no modular file generates it",
            BY_HAND,
        ),
        ("models/olmo/modeling_olmo.py", *GENERATED_FILE),
        ("modeling_olmo.py", *GENERATED_FILE),
        ("modeling_olmo", *GENERATED_FILE),
        ("lama", "no such model, file or folder", "did you mean `llama`?"),
        ("olmoo", "no such model, file or folder", "did you mean `olmo`?"),
        ("cohere", "no modular file in this folder", CALLED),
        ("models/cohere/cohere_modular.py", "no `modular_` in the name", CALLED),
    ],
)
def test_target_that_is_no_modular_file(
    tmp_path: Path, target: str, message: str, hint: str
) -> None:
    [reported] = diagnostics(tmp_path, SMALL, target)
    assert (reported.place.path, reported.message, reported.hint) == (
        target,
        message,
        hint,
    )
