"""Tracebacks: below each frame in a generated file stands the line to edit."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result


Run = Callable[..., Result]

PYTHON = """\
before
Traceback (most recent call last):
  File "train.py", line 3, in <module>
    model.forward(1)
  File "models/owl/modeling_owl.py", line 29, in forward
    return self.wing.beat(x)
           ^^^^^^^^^^^^^^^^^
  File "models/owl/modeling_owl.py", line 22, in beat
    return glide(x)
  [Previous line repeated 2 more times]
TypeError: no wings
after
"""

ANNOTATED = """\
before
Traceback (most recent call last):
  File "train.py", line 3, in <module>
    model.forward(1)
  File "models/owl/modeling_owl.py", line 29, in forward
    return self.wing.beat(x)
           ^^^^^^^^^^^^^^^^^
    edit models/hawk/modeling_hawk.py:29 (inherited): return self.wing.beat(x)
  File "models/owl/modeling_owl.py", line 22, in beat
    return glide(x)
    edit models/hawk/modeling_hawk.py:22 (inherited): return glide(x)
  [Previous line repeated 2 more times]
TypeError: no wings
after
"""


def test_from_standard_input(birds: Path, modular: Run) -> None:
    done = modular("traceback", input=PYTHON)
    assert (done.exit_code, done.stdout) == (0, ANNOTATED)


def test_from_a_file(birds: Path, modular: Run) -> None:
    (birds / "log.txt").write_text(PYTHON)
    assert modular("traceback", "log.txt").stdout == ANNOTATED


def test_absolute_paths_stay_absolute(
    birds: Path, modular: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(birds.parent)
    frame = f'  File "{birds}/models/owl/modeling_owl.py", line 18, in __init__\n'
    edit = f"    edit {birds}/models/owl/modular_owl.py:9 (own): self.beats = 0\n"
    assert modular("traceback", input=frame).stdout == frame + edit


def test_paths_count_from_the_current_folder(
    birds: Path, modular: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(birds / "models/owl")
    frame = '  File "modeling_owl.py", line 22, in beat\n'
    edit = "    edit ../hawk/modeling_hawk.py:22 (inherited): return glide(x)\n"
    assert modular("traceback", input=frame).stdout == frame + edit


def test_a_generated_parent_is_no_line_to_edit(birds: Path, modular: Run) -> None:
    frame = '  File "models/owlet/modeling_owlet.py", line 14, in __init__\n'
    edit = "    edit models/hawk/modeling_hawk.py:18 (inherited): self.span = config.span\n"
    assert modular("traceback", input=frame).stdout == frame + edit


def test_chained_errors_groups_and_what_stands_before_lines(
    birds: Path, modular: Run
) -> None:
    text = """\
[rank0]:   File "models/owl/modeling_owl.py", line 32, in hoot
[rank0]:     return "hoo"
[rank0]: ValueError: no

During handling of the above exception, another exception occurred:

  | Traceback (most recent call last):
  |   File "models/owl/modeling_owl.py", line 11, in glide
  |     return x - EPS
  |            ~~^~~~~
  | TypeError: no
"""
    assert (
        modular("traceback", input=text).stdout
        == """\
[rank0]:   File "models/owl/modeling_owl.py", line 32, in hoot
[rank0]:     return "hoo"
[rank0]:     edit models/owl/modular_owl.py:15 (own): return "hoo"
[rank0]: ValueError: no

During handling of the above exception, another exception occurred:

  | Traceback (most recent call last):
  |   File "models/owl/modeling_owl.py", line 11, in glide
  |     return x - EPS
  |            ~~^~~~~
  |     edit models/hawk/modeling_hawk.py:12 (needed): return x - EPS
  | TypeError: no
"""
    )


def test_short_tracebacks_of_pytest(birds: Path, modular: Run) -> None:
    text = """\
\x1b[1m\x1b[31mmodels/owl/modeling_owl.py\x1b[0m:29: in forward
    \x1b[94mreturn\x1b[39;49;00m self.wing.beat(x)
models/owl/modeling_owl.py:22: in beat
    return glide(x)
E   TypeError: no
models/owl/modeling_owl.py:22: TypeError
"""
    colour = "\x1b[1m\x1b[31mmodels/owl/modeling_owl.py\x1b[0m:29: in forward\n"
    assert modular("traceback", input=text, color=True).stdout == (
        colour
        + """\
    \x1b[94mreturn\x1b[39;49;00m self.wing.beat(x)
    edit models/hawk/modeling_hawk.py:29 (inherited): return self.wing.beat(x)
models/owl/modeling_owl.py:22: in beat
    return glide(x)
    edit models/hawk/modeling_hawk.py:22 (inherited): return glide(x)
E   TypeError: no
models/owl/modeling_owl.py:22: TypeError
    edit models/hawk/modeling_hawk.py:22 (inherited): return glide(x)
"""
    )


@pytest.mark.parametrize(
    "text",
    [
        '  File "models/hawk/modeling_hawk.py", line 22, in beat\n',
        '  File "models/owl/modeling_owl.py", line 3, in <module>\n',
        '  File "models/owl/modeling_owl.py", line 99, in beat\n',
        '  File "models/gone/modeling_gone.py", line 1, in beat\n',
        '  File "<string>", line 1, in <module>\n',
        "models/owl/modeling_owl.py:22: is only mentioned here\n",
        "no line end, \x00 and no frame",
        "",
    ],
    ids=[
        "hand-written",
        "made",
        "no such line",
        "no such file",
        "no file",
        "mentioned",
        "no text",
        "nothing",
    ],
)
def test_what_nothing_is_added_to(birds: Path, modular: Run, text: str) -> None:
    assert modular("traceback", input=text).stdout == text


def test_bytes_that_are_no_text_pass_unchanged(birds: Path) -> None:
    data = b"\xff\xfe caf\xe9\r\n\x1b[0m end"
    done = subprocess.run(
        [sys.executable, "-m", "modular", "traceback"],
        input=data,
        capture_output=True,
        check=True,
    )
    assert done.stdout == data


@pytest.mark.parametrize(
    "path",
    [
        "models/owl/modeling_owl\0.py",
        "models/\0/x.py",
        "models/owl/" + "x" * 5000 + ".py",
        "models/owl/\udcff.py",
    ],
)
def test_a_path_that_cannot_be_is_passed_on_with_all_that_follows(
    birds: Path, path: str
) -> None:
    data = os.fsencode(f'  File "{path}", line 1, in f\nand the rest\n')
    done = subprocess.run(
        [sys.executable, "-m", "modular", "traceback"],
        input=data,
        capture_output=True,
        check=True,
    )
    assert done.stdout == data


def test_a_line_that_would_not_fit_into_memory_is_passed_on_in_parts(
    tmp_path: Path,
) -> None:
    size = 600_000_000
    with (tmp_path / "long.txt").open("wb") as file:
        file.truncate(size)
    script = f"ulimit -v 700000; {sys.executable} -m modular traceback long.txt | wc -c"
    done = subprocess.run(
        ["sh", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert (done.stdout.strip(), done.stderr) == (str(size), "")


def test_a_source_does_not_control_the_terminal(birds: Path, modular: Run) -> None:
    hawk = birds / "models/hawk/modeling_hawk.py"
    hawk.write_text(
        hawk.read_text().replace("return glide(x)", "return glide(x)  # \x1b[2J\x9b31m")
    )
    assert modular("convert").exit_code == 0
    assert modular(
        "traceback", input='  File "models/owl/modeling_owl.py", line 22, in beat\n'
    ).stdout == (
        '  File "models/owl/modeling_owl.py", line 22, in beat\n'
        "    edit models/hawk/modeling_hawk.py:22 (inherited): return glide(x)  # \ufffd[2J\ufffd31m\n"
    )


def test_a_stale_file_adds_nothing(birds: Path, modular: Run) -> None:
    with (birds / "models/owl/modular_owl.py").open("a") as file:
        file.write("\n\nclass OwlFeather:\n    pass\n")
    assert modular("traceback", input=PYTHON).stdout == PYTHON


def test_a_project_whose_settings_are_wrong_adds_nothing(
    birds: Path, modular: Run
) -> None:
    (birds / "pyproject.toml").write_text("[tool.modular]\nmodel = 1\n")
    assert modular("traceback", input=PYTHON).stdout == PYTHON


def test_nothing_is_loaded_that_no_frame_needs() -> None:
    """Lines without frames, and frames in files of no project, need neither the converter nor LibCST."""
    code = (
        "import sys\n"
        "from modular.provenance.frames import Frames, annotate\n"
        "list(annotate(['ValueError: no\\n', '  File \"gone/x.py\", line 1, in f\\n'], Frames()))\n"
        "print([module for module in sys.modules if module.split('.')[0] in ('libcst', 'rich', 'click')"
        " or module.startswith('modular.') and not module.startswith('modular.provenance')])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == "['modular.system', 'modular.system.printable']\n"
