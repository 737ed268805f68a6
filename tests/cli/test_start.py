"""Commands start at once: what they do not need is not loaded."""

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from modular.cli.main import main
from tests.flock import make_flock


@pytest.mark.parametrize(
    ("arguments", "unwanted"),
    [
        (["lsp", "--help"], {"libcst", "rich", "pygls", "lsprotocol"}),
        (
            ["--help"],
            {"libcst", "rich", "pygls", "lsprotocol", "jinja2", "modular.run.api", "modular.run.engine"},
        ),
        (["check", "--help"], {"libcst", "rich"}),
        (["review", "--help"], {"libcst", "rich", "jinja2"}),
        (["check"], {"rich", "jinja2"}),
        (["graph"], {"libcst", "rich"}),
        (["completion", "zsh"], {"libcst", "rich"}),
    ],
)
def test_what_is_not_loaded(tmp_path: Path, arguments: list[str], unwanted: set[str]) -> None:
    code = (
        "import sys\n"
        "from modular.cli.main import main\n"
        "try:\n"
        f"    main({arguments!r})\n"
        "except SystemExit:\n"
        f"    print(sorted({unwanted!r} & set(sys.modules)), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=make_flock(tmp_path), capture_output=True, text=True)
    assert done.stderr == "[]\n"


def test_the_language_server_names_what_it_lacks() -> None:
    code = "import sys\nsys.modules['pygls'] = None\nfrom modular.cli.main import main\nmain(['lsp'])\n"
    done = subprocess.run([sys.executable, "-c", code], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert (done.stderr, done.returncode) == (
        "error: pygls is not installed: run `pip install 'modular-models[lsp]'`\n",
        2,
    )


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
    commands = {part[0]: [line.split()[0] for line in part[1].splitlines()] for part in sections if len(part) == 2}
    assert commands["Write and check models"] == [
        "init",
        "new",
        "convert",
        "check",
        "watch",
        "fix",
        "rename",
        "infer",
        "nearest",
    ]
    assert commands["Set up"] == ["lsp", "completion", "help", "cache"]
