"""Files that cannot be read, or are not what they should be (MOD1xx)."""

import os
from pathlib import Path

import pytest

from modular.conversion.converter import Converter
from tests.reporting import (
    LLAMA,
    OLMO,
    PARENT,
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


def test_syntax_error(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaMLP

        class OlmoMLP(LlamaMLP)
            pass
        """,
    )
    assert reported == lines("""
        error[MOD101]: expected ':'
          --> models/olmo/modular_olmo.py:3:24
         3 | class OlmoMLP(LlamaMLP)
           |                        ^
             hint: correct the syntax; nothing of this model was converted

        """)


def test_syntax_error_in_a_parent_file_names_the_import_too(tmp_path: Path) -> None:
    reported = of_olmo(tmp_path, OLMO_MLP, parent="class LlamaMLP:\n    size = = 1\n")
    assert reported == lines("""
        error[MOD101]: invalid syntax
          --> models/llama/modeling_llama.py:2:12
         2 |     size = = 1
           |            ^
             imported at models/olmo/modular_olmo.py:1:8
         1 | from ..llama.modeling_llama import LlamaMLP
           |        ^^^^^^^^^^^^^^^^^^^^
             hint: correct the syntax; nothing of this model was converted

        """)


def test_not_utf8(tmp_path: Path) -> None:
    answer = report(
        tmp_path, {LLAMA: PARENT, OLMO: b"class Olmo:\n    name = 'caf\xe9'\n"}
    )
    assert answer == lines("""
        error[MOD102]: byte 0xe9 is not UTF-8
          --> models/olmo/modular_olmo.py:2:16
         2 |     name = 'caf\N{REPLACEMENT CHARACTER}'
           |                ^
             hint: save the file as UTF-8

        """)


def test_a_parent_file_that_is_not_utf8_names_the_import_too(tmp_path: Path) -> None:
    answer = report(
        tmp_path,
        {
            LLAMA: "class LlamaMLP:\n    x = 'ü' + '".encode() + b"\xff'\n",
            OLMO: OLMO_MLP,
        },
    )
    assert answer == lines("""
        error[MOD102]: byte 0xff is not UTF-8
          --> models/llama/modeling_llama.py:2:16
         2 |     x = 'ü' + '\N{REPLACEMENT CHARACTER}'
           |                ^
             imported at models/olmo/modular_olmo.py:1:8
         1 | from ..llama.modeling_llama import LlamaMLP
           |        ^^^^^^^^^^^^^^^^^^^^
             hint: save the file as UTF-8

        """)


def test_not_found(tmp_path: Path) -> None:
    assert report(tmp_path, {LLAMA: PARENT, OLMO: OLMO_MLP}, "olmmo") == lines("""
        error[MOD103]: no such model, file or folder
          --> olmmo
             hint: did you mean `olmo`?

        """)


def test_empty_file(tmp_path: Path) -> None:
    assert of_olmo(tmp_path, "\n\n") == lines("""
        error[MOD104]: the file is empty
          --> models/olmo/modular_olmo.py
             hint: write the classes of the model

        """)


def test_not_a_modular_file(tmp_path: Path) -> None:
    assert report(tmp_path, {LLAMA: PARENT}, LLAMA) == lines("""
        error[MOD105]: `models/llama/modeling_llama.py` is hand-written: no \
modular file generates it
          --> models/llama/modeling_llama.py
             hint: name a modular file, or a model that has one

        """)


def test_too_deep(tmp_path: Path) -> None:
    reported = of_olmo(tmp_path, f"class OlmoMLP:\n    scale = {'-' * 100_000}1\n")
    assert reported == lines("""
        error[MOD106]: the code is nested too deeply to be read
          --> models/olmo/modular_olmo.py
             hint: split it into smaller pieces

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


def test_cannot_write(tmp_path: Path) -> None:
    reported = diagnostics(
        tmp_path,
        {
            LLAMA: PARENT,
            OLMO: OLMO_MLP,
            "models/olmo/modeling_olmo.py/in_the_way.txt": "",
        },
    )
    assert [(diagnostic.code.id, diagnostic.place.path) for diagnostic in reported] == [
        ("MOD108", "models/olmo/modeling_olmo.py")
    ]
    assert "cannot be written" in reported[0].message


def test_formatter_failed(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from torch import nn

        from ..llama.modeling_llama import LlamaMLP


        class OlmoMLP(LlamaMLP):
            def __init__(self, config):
                super().__init__(config)
                self.gate = nn.Linear(4, 4, bias=True, bias=False)
        """,
    )
    assert reported == lines("""
        error[MOD109]: the formatter cannot read the generated \
`models/olmo/modeling_olmo.py`: Duplicate keyword argument "bias"
          --> models/olmo/modular_olmo.py:9:9
         9 |         self.gate = nn.Linear(4, 4, bias=True, bias=False)
           |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
             hint: correct the line; nothing of this model was written

        """)


def test_formatter_failed_at_a_line_of_the_parent(tmp_path: Path) -> None:
    parent = PARENT.replace("nn.Linear(4, 4)", "nn.Linear(4, 4, bias=True, bias=False)")
    assert of_olmo(tmp_path, OLMO_MLP, parent) == lines("""
        error[MOD109]: the formatter cannot read the generated \
`models/olmo/modeling_olmo.py`: Duplicate keyword argument "bias"
          --> models/olmo/modular_olmo.py:4:7
         4 | class OlmoMLP(LlamaMLP):
           |       ^^^^^^^
             inherited from models/llama/modeling_llama.py:9:9
         9 |         self.up_proj = nn.Linear(4, 4, bias=True, bias=False)
           |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
             hint: correct the line; nothing of this model was written

        """)


def test_too_large(tmp_path: Path) -> None:
    assert report(
        tmp_path,
        {LLAMA: PARENT, OLMO: b"class OlmoMLP:\n    pass\n" + b"#" * 1_000_000},
    ) == lines("""
        error[MOD110]: more than 1000000 bytes are too many
          --> models/olmo/modular_olmo.py
             hint: split it into smaller pieces

        """)


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
