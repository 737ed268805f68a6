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


def test_the_language_server_greets_before_it_loads_what_it_works_with() -> None:
    code = (
        "import sys\n"
        "from modular.lsp.server import make_server\n"
        "make_server()\n"
        "print(sorted({'libcst', 'rich', 'urllib.request', 'modular.project.project', 'modular.run.api'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    ("arguments", "without", "said"),
    [
        (["lsp"], "", "False"),
        (["lsp", "--stdio"], "", "False"),
        (["lsp", "--help"], "", "True"),
        (["lsp"], "pygls", "Error: pygls is not installed: run `pip install 'modular-models[lsp]'`\nTrue"),
    ],
)
def test_what_reads_command_lines_is_not_loaded_for_an_editor(arguments: list[str], without: str, said: str) -> None:
    code = (
        "import atexit, sys\n"
        "from modular import __main__\n"
        f"sys.argv[1:] = {arguments!r}\n"
        f"sys.modules.update(dict.fromkeys({without!r}.split()))\n"
        "atexit.register(lambda: print('click' in sys.modules, file=sys.stderr))\n"
        "__main__.main()\n"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert done.stderr == f"{said}\n"


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
    assert commands["Write and check models"] == ["new", "convert", "check", "watch", "infer", "nearest"]
    assert commands["Set up"] == ["lsp", "completion", "cache"]
