"""The options that several commands share."""

from collections import defaultdict
from collections.abc import Iterator

import click

from modular.cli.main import main


OWN_MEANING = {
    ("infer", "--from"): "several models may be parents",
    ("infer", "--force"): "modular files are overwritten, and no generated ones",
    ("infer", "--diff"): "without it, a new modular file is printed whole",
    ("drift", "--diff"): "without it, the changes of parents are listed",
    ("nearest", "--diff"): "nothing is ever written",
    ("nearest", "--since"): "it looks at added code, and not at affected models",
    ("infer", "--verbose"): "it has no findings and no statuses of files",
    ("nearest", "--verbose"): "it has no findings and no statuses of files",
    ("review", "--output"): "pages are written, and no generated files",
    ("review", "--since"): "the pages show the changes, too",
    ("impact", "--since"): "there is always a commit to compare with",
}
"""Options whose help differs from that of the same option of other commands, and why."""


def commands() -> Iterator[tuple[str, click.Command]]:
    """Yield the name and the command of each subcommand."""
    context = click.Context(main)
    for name in main.list_commands(context):
        command = main.get_command(context, name)
        assert command is not None
        yield name, command


def test_options_of_the_same_name_have_the_same_help() -> None:
    helps: dict[str, dict[str | None, list[str]]] = defaultdict(dict)
    for command_name, command in commands():
        for option in command.params:
            if not isinstance(option, click.Option):
                continue
            if (command_name, option.opts[0]) in OWN_MEANING:
                continue
            for name in option.opts:
                helps[name].setdefault(option.help, []).append(command_name)
    different = {name: texts for name, texts in helps.items() if len(texts) > 1}
    assert different == {}


def test_commands_that_format_take_the_ruff_to_run() -> None:
    """A command with worker processes or a cache converts models, and formats them."""
    for name, command in commands():
        options = {option for param in command.params for option in param.opts}
        if options & {"--jobs", "--no-cache"} and name != "nearest":
            assert options >= {"--ruff", "--source-library", "--root"}, name


def test_formats_are_chosen_by_the_same_option() -> None:
    for name, command in commands():
        options = {option for param in command.params for option in param.opts}
        assert "--format" not in options, name


def test_commands_that_write_sources_show_their_changes_first() -> None:
    for name in ("convert", "fix", "infer", "init", "new", "rename", "drift"):
        command = dict(commands())[name]
        options = set()
        for param in command.params:
            options.update(param.opts, param.secondary_opts)
        assert options >= {"--diff", "--write"}, name
