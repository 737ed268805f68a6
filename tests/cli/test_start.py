"""Commands start at once: what they do not need is not loaded."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from modular.cli.main import main
from tests.flock import make_flock
from tests.support import loaded


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
        (["completion", "zsh"], {"libcst", "rich"}),
    ],
)
def test_what_is_not_loaded(
    tmp_path: Path, arguments: list[str], unwanted: set[str]
) -> None:
    assert loaded(make_flock(tmp_path), arguments, unwanted) == "[]"


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
        "watch",
        "fix",
        "rename",
    ]
    assert commands["Set up"][-2:] == ["completion", "cache"]
