"""Completion of commands, options and models in a shell, by click."""

import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import get_completion_class

from tests.flock import completed, make_flock, run_modular


def test_targets_are_models_with_a_modular_file(tmp_path: Path) -> None:
    make_flock(tmp_path)
    for command in ("convert", "check", "watch"):
        assert completed(f"modular {command} ow", tmp_path) == [
            "plain,owl",
            "plain,owlet",
        ]
    assert completed("modular convert owl owle", tmp_path) == ["plain,owlet"]


def test_what_is_no_model_may_be_a_file(tmp_path: Path) -> None:
    assert completed("modular convert models/ow", make_flock(tmp_path)) == [
        "file,models/ow"
    ]


@pytest.mark.parametrize("command", ["blame", "where"])
def test_files(tmp_path: Path, command: str) -> None:
    assert completed(f"modular {command} models/ow", tmp_path) == ["file,models/ow"]


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("rule MOD421", "MOD421"),
        ("rule super-past", "super-past-parent"),
        ("rule del-a", "del-attribute"),
    ],
)
def test_rules_codes_and_commands(tmp_path: Path, words: str, name: str) -> None:
    assert completed(f"modular {words}", tmp_path) == [f"plain,{name}"]


@pytest.mark.parametrize("command", ["graph", "new kite --from"])
def test_a_model_may_be_written_by_hand(tmp_path: Path, command: str) -> None:
    assert completed(f"modular {command} e", make_flock(tmp_path)) == ["plain,eagle"]


def test_the_root_is_the_one_that_was_typed(tmp_path: Path) -> None:
    make_flock(tmp_path / "flock")
    assert completed("modular convert --root flock owle", tmp_path) == ["plain,owlet"]


@pytest.mark.skipif(
    get_completion_class("powershell") is None,
    reason="click knows PowerShell since 8.4",
)
def test_powershell_asks_for_the_word_that_is_completed(tmp_path: Path) -> None:
    make_flock(tmp_path)
    asked = {
        "_MODULAR_COMPLETE": "powershell_complete",
        "COMP_WORDS": "modular convert ow",
        "COMP_CWORD": "2",
    }
    done = run_modular(cwd=tmp_path, env=asked)
    assert done.stdout.split() == ["plain", "owl", "_", "plain", "owlet", "_"]


def test_wrong_settings_offer_nothing(tmp_path: Path) -> None:
    make_flock(tmp_path)
    (tmp_path / "pyproject.toml").write_text("[tool.modular]\nmodel = 3\n")
    assert completed("modular convert ow", tmp_path) == []


@pytest.mark.parametrize(
    ("words", "begun", "names"),
    [
        (["convert"], "ow", ["owl", "owlet"]),
        (["new", "kite", "--from"], "owl", ["owl", "owlet"]),
        (["rule"], "MOD421", ["MOD421"]),
    ],
)
def test_completing_loads_no_parser(
    tmp_path: Path, words: list[str], begun: str, names: list[str]
) -> None:
    code = (
        "import sys\n"
        "from click.shell_completion import BashComplete\n"
        "from modular.cli.main import main\n"
        f"found = BashComplete(main, {{}}, 'modular', '_MODULAR_COMPLETE').get_completions({words}, '{begun}')\n"
        "print([item.value for item in found], sorted({'libcst', 'rich'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=make_flock(tmp_path),
        capture_output=True,
        text=True,
    )
    assert done.stdout == f"{names} []\n", done.stderr


def test_bash_completes(tmp_path: Path) -> None:
    """The script as bash runs it; the command is a function here, which runs the module."""
    script = f"""
eval "$(_MODULAR_COMPLETE=bash_source {sys.executable} -c "from modular.cli.main import main; main(prog_name='modular')")"
env() {{ command env "${{@:1:$#-1}}" {sys.executable} -c "from modular.cli.main import main; main(prog_name='modular')"; }}
COMP_WORDS=(modular convert owle) COMP_CWORD=2
_modular_completion modular
echo "${{COMPREPLY[@]}}"
complete -p modular
"""
    done = subprocess.run(
        ["bash", "-c", script], cwd=make_flock(tmp_path), capture_output=True, text=True
    )
    assert done.stdout.splitlines() == [
        "owlet",
        "complete -o nosort -F _modular_completion modular",
    ], done.stderr
