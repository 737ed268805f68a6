"""Modular files that are empty, and errors that leave the other models alone."""

import os
from pathlib import Path

import pytest

from modular.conversion.converter import Converter
from tests.reporting import (
    LLAMA,
    OLMO,
    PARENT,
    codes_and_places,
    diagnostics,
    lines,
    of_olmo,
    report,
)


OLMO_MLP = """\
from ..llama.modeling_llama import LlamaMLP


class OlmoMLP(LlamaMLP):
    pass
"""


def test_empty_file(tmp_path: Path) -> None:
    reported = of_olmo(tmp_path, "\n\n")
    assert codes_and_places(reported) == ["MOD104 models/olmo/modular_olmo.py"]


def test_internal_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("nothing to divide by")

    monkeypatch.setattr(Converter, "_flatten", fail)
    [reported] = diagnostics(tmp_path, {LLAMA: PARENT, OLMO: OLMO_MLP})
    assert (reported.code.id, reported.place.path) == ("MOD111", OLMO)
    assert "ZeroDivisionError: nothing to divide by" in reported.message
    assert "please report it" in reported.hint


def test_the_other_models_go_on(tmp_path: Path) -> None:
    answer = report(
        tmp_path,
        {
            LLAMA: PARENT,
            OLMO: OLMO_MLP,
            "models/aya/modular_aya.py": "",
            "models/yi/modular_yi.py": "",
        },
    )
    assert [
        line.split()[1]
        for line in answer.splitlines()
        if line.lstrip().startswith("-->")
    ] == [
        "models/aya/modular_aya.py",
        "models/yi/modular_yi.py",
    ]
    assert os.listdir(tmp_path / "project/models/aya") == ["modular_aya.py"]
    assert sorted(os.listdir(tmp_path / "project/models/olmo")) == [
        "modeling_olmo.py",
        "modular_olmo.py",
    ]


def test_warnings_do_not_keep_files_from_being_written(tmp_path: Path) -> None:
    files = {
        LLAMA: PARENT,
        OLMO: lines("""
            from ..llama.modeling_llama import LlamaMLP

            class OlmoMLP(LlamaMLP):
                dropout = AttributeError()
            """),
    }
    assert report(tmp_path, files).startswith("warning[MOD403]")
    assert (
        "class OlmoMLP(nn.Module):"
        in (tmp_path / "project/models/olmo/modeling_olmo.py").read_text()
    )
