"""`modular --help`, `modular -V`, the groups of options, and how errors of use are said."""

import json
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from signal import SIGINT

import pytest
from click.testing import CliRunner, Result

from modular.cli.main import main
from modular.system.interrupts import Ended
from tests.flock import make_flock
from tests.schema import validate
from tests.support import loaded


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


@pytest.mark.parametrize("option", ["-V", "--version"])
def test_the_version_names_those_of_python_and_ruff(option: str) -> None:
    expected = f"modular {version('modular-models')} (Python {python_version()}, ruff {version('ruff')})\n"
    assert run(option).output == expected


def test_bare_modular_prints_its_help_once_and_no_error() -> None:
    done = run()
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == run("--help").stdout


@pytest.mark.parametrize("signal_error", [Ended(SIGINT), KeyboardInterrupt()])
def test_a_signal_while_a_class_is_made_ends_a_command_without_a_traceback(
    signal_error: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Interrupted:
        def __set_name__(self, owner: type, name: str) -> None:
            raise signal_error

    def make_class() -> None:
        type("Class", (), {"attribute": Interrupted()})

    monkeypatch.setattr("modular.cli.main.delete_leftovers", make_class)
    done = run("rule")
    assert done.exit_code == 128 + SIGINT
    assert isinstance(done.exception, SystemExit)


@pytest.mark.parametrize("arguments", [["chekc"], ["check", "--nothing"]])
def test_wrong_use_shows_the_usage_once_and_no_colour_codes(
    arguments: list[str],
) -> None:
    error = run(*arguments).stderr
    assert error.count("Usage: ") == 1
    assert "[1m" not in error


def test_the_list_of_rules_fits_into_a_terminal() -> None:
    """Of 80 columns, which are those of a runner of tests."""
    assert max(map(len, run("rule").output.splitlines())) <= 80


def test_options_stand_in_groups() -> None:
    lines = run("check", "--help").output.splitlines()
    headings = [
        line for line in lines if line.endswith(":") and not line.startswith(" ")
    ]
    assert headings == [
        "Options:",
        "Models and files:",
        "Findings:",
        "Report:",
        "Execution:",
        "Examples:",
    ]
    report = lines[lines.index("Report:") + 1 : lines.index("Execution:")]
    assert [line.split()[0] for line in report if line.startswith("  -")] == [
        "--output-format",
        "--full",
        "-q,",
        "-v,",
    ]


def test_wrong_use_is_said_with_one_prefix_and_code() -> None:
    done = run("check", "--force")
    assert (done.exit_code, done.stderr.splitlines()[-1]) == (
        2,
        "error: --force needs --fix",
    )
    assert run("check", "--nothing").exit_code == 2
    assert run("nothing").exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["check", "--strictt", "--output-format", "json"],
            "No such option",
        ),
        (
            ["graph", "--ancestors", "--output-format=json"],
            "--ancestors and --descendants need a MODEL",
        ),
        (
            ["check", "--output-format", "json", "--since", "no-commit"],
            "not a git repository",
        ),
    ],
)
def test_wrong_use_is_json_where_json_was_asked_for(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(make_flock(tmp_path))
    done = run(*arguments)
    assert done.exit_code == 2
    validate(done.stdout, "failure")
    error = json.loads(done.stdout)["error"]
    assert error.startswith(message)
    assert done.stderr.endswith(f"error: {error}\n")


@pytest.mark.parametrize(
    ("arguments", "unwanted"),
    [
        (
            ["--help"],
            {
                "libcst",
                "rich",
                "pygls",
                "lsprotocol",
                "jinja2",
                "modular.run.api",
                "modular.run.engine",
            },
        ),
        (["check", "--help"], {"libcst", "rich"}),
        (["check"], {"rich", "jinja2"}),
        (["graph"], {"libcst", "rich"}),
    ],
)
def test_what_is_not_loaded(
    tmp_path: Path, arguments: list[str], unwanted: set[str]
) -> None:
    assert loaded(make_flock(tmp_path), arguments, unwanted) == "[]"


def test_no_parser_is_loaded_for_bases_that_are_no_names(tmp_path: Path) -> None:
    with (make_flock(tmp_path) / "models/owl/modular_owl.py").open("a") as file:
        file.write("\n\nclass OwlOutput(Generic[T]):\n    pass\n")
    assert loaded(tmp_path, ["graph"], {"libcst"}) == "[]"


def test_every_command_of_the_help_is_there() -> None:
    """The list of commands is written down apart from them, so that it is there without loading them."""
    context = main.make_context("modular", [], resilient_parsing=True)
    for name in main.list_commands(context):
        command = main.get_command(context, name)
        assert command is not None
        assert command.name == name


def test_the_help_groups_the_commands_by_what_they_are_for() -> None:
    text = CliRunner().invoke(main, ["--help"]).output
    sections = [part.split(":\n") for part in text.split("\n\n")]
    commands = {
        part[0]: [line.split()[0] for line in part[1].splitlines()]
        for part in sections
        if len(part) == 2
    }
    assert commands["Write and check models"][:7] == [
        "init",
        "new",
        "convert",
        "check",
        "verify",
        "watch",
        "fix",
    ]
    assert commands["Set up"][-1] == "clean"
