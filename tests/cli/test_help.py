"""The help of commands: its examples."""

import shlex
from collections.abc import Iterator

import pytest
from click.testing import CliRunner

from modular.cli.help import GroupedCommand
from modular.cli.main import main


FEW_EXAMPLES = {"lsp", "clean"}
"""Commands that people only run in one form."""


def commands() -> Iterator[tuple[str, GroupedCommand]]:
    """Yield each command that the help lists, with its name."""
    context = main.make_context("modular", [], resilient_parsing=True)
    for name in main.list_commands(context):
        command = main.get_command(context, name)
        assert isinstance(command, GroupedCommand)
        yield name, command


COMMANDS = [pytest.param(*named, id=named[0]) for named in commands()]


@pytest.mark.parametrize(("name", "command"), COMMANDS)
def test_each_command_has_two_examples(name: str, command: GroupedCommand) -> None:
    assert len(command.examples) >= (1 if name in FEW_EXAMPLES else 2)
    shown = CliRunner().invoke(main, [*name.split(), "--help"]).output
    examples = shown[shown.index("\nExamples:\n") :]
    for line in command.examples:
        assert f"  {line}" in examples


@pytest.mark.parametrize(("name", "command"), COMMANDS)
def test_the_options_of_each_example_exist(name: str, command: GroupedCommand) -> None:
    for line in command.examples:
        words = shlex.split(
            line.replace('eval "$(', "").replace(')"', "").split("|")[0]
        )
        if words[0] == "modular":
            arguments = words[1 + len(name.split()) :]
            command.make_context(name, arguments)
