"""`modular check`."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from modular.system.ruff import RUFF_VARIABLE, ruff_executable
from tests.family import CHILD_OUTPUT, GRANDCHILD_OUTPUT, files
from tests.support import statuses


Modular = Callable[..., Result]
CHILD_FILE = "models/child/modeling_child.py"
GRANDCHILD_FILE = "models/grandchild/modeling_grandchild.py"


def test_what_was_converted_is_identical(project: Path, modular: Modular) -> None:
    modular("convert")
    done = modular("check")
    assert (done.exit_code, done.stdout) == (
        0,
        "2 identical; 11 lines of modular code, 20 generated (x1.8)\n",
    )


def test_a_missing_file_is_shown_and_not_written(
    project: Path, modular: Modular
) -> None:
    before = files(project)
    done = modular("check", "child")
    assert done.exit_code == 1
    assert "+class ChildMLP(nn.Module):" in done.stdout
    assert files(project) == before


def test_a_stale_file_is_shown_as_a_diff(project: Path, modular: Modular) -> None:
    modular("convert")
    (project / CHILD_FILE).write_text(
        CHILD_OUTPUT.replace("return -self", "return +self")
    )
    done = modular("check", "child")
    assert done.exit_code == 1
    assert (
        "-        return +self.up_proj(x)\n+        return -self.up_proj(x)\n"
        in done.stdout
    )


def test_the_last_line_names_no_target_that_does_not_exist(
    project: Path, modular: Modular
) -> None:
    lines = modular("check", "child", "chidl").stdout.splitlines()
    assert lines[-1] == "To update the generated files, run `modular convert child`."


def test_a_check_does_not_advise_to_convert_a_model_with_an_error(
    project: Path, modular: Modular
) -> None:
    modular("convert")
    path = project / "models/child/modular_child.py"
    path.write_text(f"{path.read_text()}\n    def run(self):\n        return unknown\n")
    done = modular("check")
    assert "Found 2 errors" in done.stdout
    assert "To update the generated files" not in done.stdout


def test_a_check_with_errors_ends_with_their_number(
    project: Path, modular: Modular
) -> None:
    modular("convert")
    path = project / "models/child/modular_child.py"
    path.write_text(f"import json\n{path.read_text()}")
    last_line = modular("check", "child", "nothing").stdout.splitlines()[-1]
    assert last_line == "Found 1 error, 1 warning"


@pytest.mark.parametrize("arguments", [[], ["child"], ["--root", "."]])
def test_a_stale_check_ends_with_the_command_that_updates_the_files(
    project: Path, modular: Modular, arguments: list[str]
) -> None:
    last_line = modular("check", *arguments).stdout.splitlines()[-1]
    command = last_line.split("`")[1].split()
    assert last_line == f"To update the generated files, run `{' '.join(command)}`."
    assert command[0] == "modular"
    modular(*command[1:])
    assert modular("check", *arguments).exit_code == 0


@pytest.mark.parametrize("option", ["--quiet", "--output-format=json", "--fix"])
def test_a_check_names_no_command_where_nobody_would_run_it(
    project: Path, modular: Modular, option: str
) -> None:
    assert "To update" not in modular("check", option).output


def test_json_gives_every_file_its_status(project: Path, modular: Modular) -> None:
    modular("convert")
    (project / GRANDCHILD_FILE).unlink()
    (project / CHILD_FILE).write_text("# by hand\n")
    done = modular("check", "--output-format", "json")
    assert statuses(done) == {CHILD_FILE: "stale", GRANDCHILD_FILE: "missing"}


def test_a_child_of_a_stale_parent_is_checked_against_the_fresh_one(
    project: Path, modular: Modular
) -> None:
    modular("convert")
    (project / CHILD_FILE).write_text(
        CHILD_OUTPUT.replace("return -self", "return +self")
    )
    done = modular("check", "grandchild")
    assert done.exit_code == 0
    assert "1 identical" in done.stdout


def test_quiet_prints_the_paths_of_what_is_stale_or_missing(
    project: Path, modular: Modular
) -> None:
    modular("convert")
    (project / GRANDCHILD_FILE).unlink()
    (project / CHILD_FILE).write_text("# by hand\n")
    done = modular("check", "--quiet")
    assert (done.exit_code, done.output) == (1, f"{CHILD_FILE}\n{GRANDCHILD_FILE}\n")
    modular("convert", "--force")
    assert modular("check", "--quiet").output == ""


def test_fix_writes_what_differs(project: Path, modular: Modular) -> None:
    modular("convert")
    (project / CHILD_FILE).write_text("# by hand\n")
    (project / GRANDCHILD_FILE).unlink()
    assert modular("check", "--fix", "--force").exit_code == 0
    assert (project / CHILD_FILE).read_text() == CHILD_OUTPUT
    assert (project / GRANDCHILD_FILE).read_text() == GRANDCHILD_OUTPUT


def test_github_marks_the_line_that_a_generated_one_comes_from(
    project: Path, modular: Modular
) -> None:
    modular("convert")
    (project / CHILD_FILE).write_text(
        CHILD_OUTPUT.replace("return -self", "return +self")
    )
    done = modular("check", "child", "--output-format", "github")
    assert done.stdout.startswith("::error file=models/child/modular_child.py,line=6,")


def test_a_pinned_formatter_that_is_not_the_running_one_is_named_where_files_are_stale(
    project: Path, modular: Modular
) -> None:
    modular("convert")
    (project / "setup.py").write_text('_deps = ["ruff==0.0.1"]\n')
    assert "0.0.1" not in modular("check").output
    (project / CHILD_FILE).write_text("x = 1\n")
    done = modular("check")
    [note] = [line for line in done.stderr.splitlines() if "0.0.1" in line]
    assert note.startswith("the project pins ruff 0.0.1 (setup.py), but ruff ")
    assert "run `pip install ruff==0.0.1`" in note

    assert note in modular("check", "--quiet").stderr
    done = modular("check", "--output-format", "json")
    assert json.loads(done.stdout)["formatter_note"] == note
    # Lines that a person wrote would be kept, but not a difference in formatting.
    (project / CHILD_FILE).write_text(CHILD_OUTPUT + "\n")
    assert note in modular("verify").stderr


def test_the_option_names_the_ruff_that_formats(
    project: Path, modular: Modular, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(RUFF_VARIABLE, "")
    program = project.parent / "ruff"
    program.write_text(
        f'#!/bin/sh\n: >> "{project.parent}/ran"\nexec {ruff_executable()} "$@"\n'
    )
    program.chmod(0o755)
    assert modular("convert", "--ruff", str(program)).exit_code == 0
    assert (project.parent / "ran").exists()


def test_a_setting_of_the_project_never_names_the_ruff_to_run(
    project: Path, modular: Modular
) -> None:
    path = project / "pyproject.toml"
    path.write_text(
        path.read_text().replace("[tool.modular]", '[tool.modular]\nruff = "./ruff"')
    )
    done = modular("check")
    assert done.exit_code == 2
    assert "tool.modular.ruff: unknown key" in done.stderr


def _reformat_child(project: Path) -> None:
    """Change nothing but the formatting of a generated file."""
    reformatted = CHILD_OUTPUT.replace("return -self", "return  -self")
    assert reformatted != CHILD_OUTPUT
    (project / CHILD_FILE).write_text(reformatted)


def test_a_file_that_differs_in_formatting_alone_is_named_so_by_every_command(
    project: Path, modular: Modular
) -> None:
    modular("convert")
    _reformat_child(project)
    done = modular("check")
    assert done.exit_code == 1
    [note] = [line for line in done.stderr.splitlines() if "formatting" in line]
    # What to run depends on the ruff that runs.
    assert note.startswith("1 file differs in formatting alone: ")
    assert "ruff" in note
    assert "To update the generated files" not in done.stdout
    assert note in modular("check", "--quiet").stderr
    assert note in modular("check", "--output-format", "github").stdout

    report = json.loads(modular("check", "--output-format", "json").stdout)
    assert report["formatter_note"] == note
    marked = {
        file["path"] for file in report["files"] if file["differs_only_in_formatting"]
    }
    assert marked == {CHILD_FILE}

    (project / "setup.py").write_text('_deps = ["ruff==0.0.1"]\n')
    note = modular("verify").stderr
    assert "1 file differs in formatting alone: the project pins ruff 0.0.1" in note


def test_a_file_with_other_code_differs_in_more_than_formatting(
    project: Path, modular: Modular
) -> None:
    modular("convert")
    changed = CHILD_OUTPUT.replace("return -self", "return  +self")
    (project / CHILD_FILE).write_text(changed)
    done = modular("check", "--output-format", "json")
    assert not json.loads(done.stdout)["formatter_note"]
    assert "formatting alone" not in done.output
