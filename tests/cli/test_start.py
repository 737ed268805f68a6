"""Commands start at once: what they do not need is not loaded."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.flock import make_flock


@pytest.mark.parametrize(
    ("arguments", "unwanted"),
    [
        (["lsp", "--help"], {"libcst", "rich", "pygls", "lsprotocol"}),
        (
            ["--help"],
            {"libcst", "rich", "pygls", "lsprotocol", "jinja2", "pygments", "modular.run.api", "modular.run.engine"},
        ),
        (["check", "--help"], {"libcst", "rich"}),
        (["review", "--help"], {"libcst", "rich", "jinja2", "pygments"}),
        (["check"], {"rich", "jinja2", "pygments"}),
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


def test_every_command_of_the_help_is_there() -> None:
    """The list of commands is written down apart from them, so that it is there without loading them."""
    from modular.cli.main import main

    context = main.make_context("modular", [], resilient_parsing=True)
    for name in main.list_commands(context):
        command = main.get_command(context, name)
        assert command is not None
        assert command.name == name
