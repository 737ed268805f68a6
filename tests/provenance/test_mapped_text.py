"""Text output: below each place in a generated file is the line to edit."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from tests import support
from tests.birds import BIRDS


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
    done = modular("map", input=PYTHON)
    assert (done.exit_code, done.stdout) == (0, ANNOTATED)


def test_the_same_finding_in_the_source_itself_stays(birds: Path, modular: Run) -> None:
    generated = "models/owl/modeling_owl.py:22:16: undefined name\n"
    source = "models/hawk/modeling_hawk.py:22:16: undefined name\n"
    shown = modular("map", input=generated + source).stdout
    edit = "  edit models/hawk/modeling_hawk.py:22 (inherited): return glide(x)\n"
    assert shown == generated + edit + source


def test_absolute_paths_stay_absolute(
    birds: Path, modular: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(birds.parent)
    frame = f'  File "{birds}/models/owl/modeling_owl.py", line 18, in __init__\n'
    edit = f"    edit {birds}/models/owl/modular_owl.py:9 (own): self.beats = 0\n"
    assert modular("map", input=frame).stdout == frame + edit


def test_paths_count_from_the_current_folder(
    birds: Path, modular: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(birds / "models/owl")
    frame = '  File "modeling_owl.py", line 22, in beat\n'
    edit = "    edit ../hawk/modeling_hawk.py:22 (inherited): return glide(x)\n"
    assert modular("map", input=frame).stdout == frame + edit


def test_a_generated_parent_is_no_line_to_edit(birds: Path, modular: Run) -> None:
    frame = '  File "models/owlet/modeling_owlet.py", line 14, in __init__\n'
    edit = "    edit models/hawk/modeling_hawk.py:18 (inherited): self.span = config.span\n"
    assert modular("map", input=frame).stdout == frame + edit


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
        modular("map", input=text).stdout
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
    assert modular("map", input=text, color=True).stdout == (
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
        "no line end, \x00 and no frame",
        "",
    ],
    ids=[
        "hand-written",
        "made",
        "no such line",
        "no such file",
        "no file",
        "no text",
        "nothing",
    ],
)
def test_what_nothing_is_added_to(birds: Path, modular: Run, text: str) -> None:
    assert modular("map", input=text).stdout == text


def test_bytes_that_are_no_text_pass_unchanged(birds: Path) -> None:
    data = b"\xff\xfe caf\xe9\r\n\x1b[0m end"
    done = subprocess.run(
        [sys.executable, "-m", "modular", "map"],
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
        [sys.executable, "-m", "modular", "map"],
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
    script = f"ulimit -v 700000; {sys.executable} -m modular map < long.txt | wc -c"
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
        "map", input='  File "models/owl/modeling_owl.py", line 22, in beat\n'
    ).stdout == (
        '  File "models/owl/modeling_owl.py", line 22, in beat\n'
        "    edit models/hawk/modeling_hawk.py:22 (inherited): return glide(x)  # \ufffd[2J\ufffd31m\n"
    )


def test_a_stale_file_adds_nothing(birds: Path, modular: Run) -> None:
    with (birds / "models/owl/modular_owl.py").open("a") as file:
        file.write("\n\nclass OwlFeather:\n    pass\n")
    assert modular("map", input=PYTHON).stdout == PYTHON


def test_a_project_whose_settings_are_wrong_adds_nothing(
    birds: Path, modular: Run
) -> None:
    (birds / "pyproject.toml").write_text("[tool.modular]\nmodel = 1\n")
    assert modular("map", input=PYTHON).stdout == PYTHON


def test_nothing_is_loaded_that_no_place_needs() -> None:
    """Output without places of projects needs neither the converter nor LibCST."""
    code = (
        "import sys\n"
        "from modular.provenance.line_map import LineMap\n"
        "from modular.provenance.mapped_text import TextMapper\n"
        "lines = ['ValueError: no\\n', '  File \"gone/x.py\", line 1, in f\\n']\n"
        "mapper = TextMapper(LineMap(), str)\n"
        "print([text for line in lines for text in mapper.map_line(line)] == lines)\n"
        "print([module for module in sys.modules if module.split('.')[0] in ('libcst', 'rich', 'click')"
        " or module.startswith('modular.') and not module.startswith('modular.provenance')])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == "True\n['modular.system', 'modular.system.printable']\n"


BEAT = "models/hawk/modeling_hawk.py:22 (inherited): return glide(x)\n"
OWL_BEAT = "models/owl/modeling_owl.py:22"
OWLET_BEAT = "models/owlet/modeling_owlet.py:19"


@pytest.mark.parametrize(
    ("line", "indent"),
    [
        (f"{OWL_BEAT}:16: F821 Undefined name `x`\n", "  "),
        (f"{OWL_BEAT}: error: Returning Any  [no-any-return]\n", "  "),
        (f"    {OWL_BEAT}:16 - error: no (reportAny)\n", "      "),
        (f"step 3: slow, at {OWL_BEAT}, again\n", "  "),
        (f"({OWL_BEAT})\n", "  "),
    ],
    ids=["ruff", "mypy", "pyright", "a log", "in brackets"],
)
def test_the_line_to_edit_is_below_a_place(
    birds: Path, modular: Run, line: str, indent: str
) -> None:
    assert modular("map", input=line).stdout == f"{line}{indent}edit {BEAT}"


def test_a_path_may_contain_spaces(
    tmp_path: Path, modular: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "my birds"
    support.convert(root, BIRDS)
    monkeypatch.chdir(tmp_path)
    line = "my birds/models/owl/modeling_owl.py:22:1: F821 Undefined name\n"
    edit = f"  edit my birds/{BEAT}"
    assert modular("map", input=line).stdout == line + edit


def test_the_code_of_a_finding_stays_below_it(birds: Path, modular: Run) -> None:
    text = (
        f"{OWL_BEAT}: error: no\n        return glide(x)\n               ^\nFound 1\n"
    )
    mapped = modular("map", input=text).stdout
    assert mapped == text.replace("Found", f"  edit {BEAT}Found")


FULL = """\
F821 Undefined name `x`
  --> {place}:16
   |
22 |         return glide(x)
   |                      ^
   |

"""


def test_a_finding_with_an_arrow_has_the_line_below_the_arrow(
    birds: Path, modular: Run
) -> None:
    text = FULL.format(place=OWL_BEAT) + "Found 1 error.\n"
    arrow = f"{OWL_BEAT}:16\n"
    mapped = modular("map", input=text).stdout
    assert mapped == text.replace(arrow, f"{arrow}    edit {BEAT}")


@pytest.mark.parametrize(
    "form",
    [
        "{place}:16: F821 Undefined name\n",
        "{place}: error: no\n    return glide(x)\n",
        "  {place}:9 - error: no\n  \xa0\xa0It is unknown\n",
    ],
    ids=["ruff, concise", "mypy, pretty", "pyright"],
)
def test_a_finding_of_an_inherited_line_appears_once(
    birds: Path, modular: Run, form: str
) -> None:
    first, copy = form.format(place=OWL_BEAT), form.format(place=OWLET_BEAT)
    alone = modular("map", input=f"{first}Found 2.\n").stdout
    together = modular("map", input=f"{first}{copy}Found 2.\n").stdout
    summary = together.removeprefix(alone)
    assert together.startswith(alone)
    assert summary.startswith("models/hawk/modeling_hawk.py:22: ")
    assert summary.endswith(": and in 1 more file\n")
    assert summary.count("\n") == 1


def test_findings_that_differ_by_the_name_of_the_model_are_the_same(
    birds: Path, modular: Run
) -> None:
    lines = (
        f"{OWL_BEAT}: OwlWing is bad\n{OWLET_BEAT}: OwletWing is bad\n"
        f"{OWLET_BEAT}: OwletWing is worse\n"
    )
    mapped = modular("map", input=lines).stdout
    assert "OwletWing is bad" not in mapped
    assert "OwletWing is worse" in mapped
    assert mapped.endswith(
        "models/hawk/modeling_hawk.py:22: OwlWing is bad: and in 1 more file\n"
    )


def test_a_finding_that_a_file_repeats_is_repeated(birds: Path, modular: Run) -> None:
    line = f"{OWL_BEAT}: step 1\n"
    mapped = modular("map", input=line * 2).stdout
    assert mapped == f"{line}  edit {BEAT}" * 2


def test_copies_of_a_finding_in_the_parent_are_counted(
    birds: Path, modular: Run
) -> None:
    parent = "models/hawk/modeling_hawk.py:22:9: F821 Undefined\n"
    copies = f"{OWL_BEAT}:9: F821 Undefined\n{OWLET_BEAT}:9: F821 Undefined\n"
    assert modular("map", input=parent + copies).stdout == (
        parent
        + "models/hawk/modeling_hawk.py:22: F821 Undefined: and in 2 more files\n"
    )
