"""Files that cannot be read (MOD101, MOD102, MOD106, MOD110)."""

from pathlib import Path

import pytest

from tests.reporting import (
    LLAMA,
    OLMO,
    PARENT,
    lines,
    of_olmo,
    report,
)


OLMO_MLP = """\
from ..llama.modeling_llama import LlamaMLP


class OlmoMLP(LlamaMLP):
    pass
"""


def test_a_syntax_error_of_the_modular_file_is_reported(tmp_path: Path) -> None:
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
             hint: correct the syntax; the model was not converted

        """)


CONFLICT = """\
<<<<<<< HEAD
    size = 1
=======
    size = 2
>>>>>>> topic
"""


def test_a_merge_conflict_is_said_with_its_line(tmp_path: Path) -> None:
    source = OLMO_MLP.replace("    pass\n", CONFLICT)
    assert of_olmo(tmp_path, source) == lines("""
        error[MOD101]: merge conflict, line 5
          --> models/olmo/modular_olmo.py:5:1
         5 | <<<<<<< HEAD
           | ^^^^^^^^^^^^
             hint: choose the lines to keep, and remove the marks of git

        """)


def test_a_merge_conflict_in_a_parent_file_is_said(tmp_path: Path) -> None:
    reported = report(
        tmp_path,
        {LLAMA: PARENT + CONFLICT, OLMO: OLMO_MLP},
        "models/olmo/modular_olmo.py",
    )
    assert "merge conflict, line" in reported


@pytest.mark.parametrize("mark", ["<<<<<<< ours", ">>>>>>> theirs"])
def test_a_single_mark_of_git_in_a_parent_file_is_said(
    tmp_path: Path, mark: str
) -> None:
    parent = f"{PARENT}\n\n{mark}\nclass LlamaOther:\n    pass\n"
    assert "merge conflict, line" in of_olmo(tmp_path, OLMO_MLP, parent=parent)


def test_marks_of_git_in_a_string_of_a_parent_file_are_no_conflict(
    tmp_path: Path,
) -> None:
    parent = f'{PARENT}\nA = """\n{CONFLICT}"""\nB = f"""\n{CONFLICT}{{A}}"""\n'
    assert of_olmo(tmp_path, OLMO_MLP, parent=parent) == ""


def test_marks_of_git_in_a_string_are_no_conflict(tmp_path: Path) -> None:
    source = f'MARKS = """\n{CONFLICT}"""\n\nclass OlmoMLP(\n'
    reported = of_olmo(tmp_path, source)
    assert "merge conflict" not in reported


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
             hint: correct the syntax; the model was not converted

        """)


def test_the_byte_that_is_not_utf8_is_shown(tmp_path: Path) -> None:
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


def test_code_that_nests_too_deeply_is_reported(tmp_path: Path) -> None:
    reported = of_olmo(tmp_path, f"class OlmoMLP:\n    scale = {'-' * 100_000}1\n")
    assert reported == lines("""
        error[MOD106]: the code is nested too deeply to be read
          --> models/olmo/modular_olmo.py
             hint: split the code into smaller parts

        """)


def test_a_file_that_is_too_large_is_reported(tmp_path: Path) -> None:
    assert report(
        tmp_path,
        {LLAMA: PARENT, OLMO: b"class OlmoMLP:\n    pass\n" + b"#" * 1_000_000},
    ) == lines("""
        error[MOD110]: the file is too large: more than 1000000 bytes
          --> models/olmo/modular_olmo.py
             hint: split the file into smaller ones

        """)
