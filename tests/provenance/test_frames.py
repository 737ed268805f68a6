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


def run_script(
    root: Path, script: str, *arguments: str
) -> subprocess.CompletedProcess[str]:
    (root / "train.py").write_text(script)
    command = [sys.executable, "-m", "modular.provenance", "train.py", *arguments]
    return subprocess.run(
        command, cwd=root, capture_output=True, text=True, check=False
    )


@pytest.fixture
def glider(birds: Path, modular: Run) -> Path:
    """A project with a generated file that can be run."""
    for path, text in {
        "models/kite/modeling_kite.py": "class KiteWing:\n    def glide(self, x):\n        return 1 / x\n",
        "models/gull/modular_gull.py": (
            "from ..kite.modeling_kite import KiteWing\n\n\nclass GullWing(KiteWing):\n    pass\n"
        ),
    }.items():
        (birds / path).parent.mkdir()
        (birds / path).write_text(text)
    assert modular("convert", "gull").exit_code == 0
    return birds


FAILS = """\
import os
import sys

sys.path.insert(0, os.path.abspath("models/gull"))
from modeling_gull import GullWing

print(sys.argv, __name__)
GullWing().glide(0)
"""


def test_a_script_that_fails(glider: Path) -> None:
    done = run_script(glider, FAILS, "--steps", "2")
    assert done.returncode == 1
    assert done.stdout == f"['{glider}/train.py', '--steps', '2'] __main__\n"
    lines = [line for line in done.stderr.splitlines() if not set(line) <= set(" ~^")]
    assert lines == [
        "Traceback (most recent call last):",
        f'  File "{glider}/train.py", line 8, in <module>',
        "    GullWing().glide(0)",
        f'  File "{glider}/models/gull/modeling_gull.py", line 3, in glide',
        "    return 1 / x",
        f"    edit {glider}/models/kite/modeling_kite.py:3 (inherited): return 1 / x",
        "ZeroDivisionError: division by zero",
    ]


@pytest.mark.parametrize(
    ("script", "code", "out"),
    [
        ("print('all is well')\n", 0, "all is well\n"),
        ("import sys\nsys.exit(3)\n", 3, ""),
        ("import sys\nsys.exit('no')\n", 1, ""),
    ],
)
def test_a_script_that_ends_otherwise(
    birds: Path, script: str, code: int, out: str
) -> None:
    done = run_script(birds, script)
    assert (done.returncode, done.stdout) == (code, out)


def test_a_script_beside_which_modules_stand(birds: Path) -> None:
    (birds / "beside.py").write_text("WORD = 'found'\n")
    assert (
        run_script(birds, "from beside import WORD\nprint(WORD)\n").stdout == "found\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "usage: python -m modular.provenance SCRIPT [ARGUMENT]...\n"),
        (["gone.py"], "error: gone.py: no such file\n"),
    ],
)
def test_a_script_that_is_not_there(
    birds: Path, arguments: list[str], message: str
) -> None:
    command = [sys.executable, "-m", "modular.provenance", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, message)


TEST = """\
import os
import sys

sys.path.insert(0, os.path.abspath("models/gull"))
from modeling_gull import GullWing


def test_glide():
    GullWing().glide(0)
"""


def run_pytest(root: Path, *arguments: str) -> str:
    (root / "test_gull.py").write_text(TEST)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "modular.provenance.plugin",
        "-p",
        "no:cacheprovider",
        *arguments,
    ]
    return subprocess.run(
        [*command, "test_gull.py"],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    ).stdout


@pytest.mark.parametrize(
    ("style", "shown"),
    [
        (
            "short",
            "    return 1 / x\n           ^^^^^\n    edit models/kite/modeling_kite.py:3 (inherited): return 1 / x\nE   Zero",
        ),
        (
            "long",
            "models/gull/modeling_gull.py:3: ZeroDivisionError; edit models/kite/modeling_kite.py:3 (inherited)\n",
        ),
        ("native", "modeling_kite.py:3 (inherited): return 1 / x\nZeroDivisionError"),
    ],
)
def test_the_plugin_of_pytest(glider: Path, style: str, shown: str) -> None:
    assert shown in run_pytest(glider, f"--tb={style}")


@pytest.mark.parametrize(
    ("line", "more", "shown"),
    [
        ("SIZE = 1 / 0", "SIZE, ", "(needed): SIZE = 1 / 0\nE   Zero"),
        (
            "import wings.gone as SIZE",
            "",
            "(import): import wings.gone as SIZE\nE   ModuleNotFound",
        ),
    ],
    ids=["another error", "import error"],
)
def test_the_plugin_where_a_test_file_cannot_be_imported(
    glider: Path, line: str, more: str, shown: str
) -> None:
    kite = "class KiteWing:\n    size = SIZE\n"
    gull = f"from ..kite.modeling_kite import {more}KiteWing\n\n\nclass GullWing(KiteWing):\n    pass\n"
    (glider / "models/kite/modeling_kite.py").write_text(f"{line}\n\n\n{kite}")
    (glider / "models/gull/modular_gull.py").write_text(gull)
    subprocess.run(
        [sys.executable, "-m", "modular", "convert", "gull"], cwd=glider, check=True
    )
    assert f"    edit models/kite/modeling_kite.py:1 {shown}" in run_pytest(glider)
