"""The command `modular new`."""

import click

from modular.cli.completion import complete_any_model
from modular.cli.help import GroupedCommand
from modular.cli.options import (
    pass_options,
    root_option,
    source_library_option,
)
from modular.cli.printing import echo, echo_lines
from modular.cli.reporting import exit_with, print_diagnostics
from modular.run.api import Options
from modular.source.diagnostics import has_errors


@click.command(
    "new",
    cls=GroupedCommand,
    examples={
        "modular new my_model --from llama": "Inherit all public classes.",
        "modular new my_model --from llama --only LlamaModel": "Inherit one class.",
    },
)
@click.argument("model")
@click.option(
    "--from",
    "parent",
    required=True,
    metavar="PARENT",
    shell_complete=complete_any_model,
    help="Model to inherit from.",
)
@click.option(
    "--only",
    multiple=True,
    metavar="CLASS",
    help="Inherit only from this class of PARENT and from its configuration; "
    "may be repeated.",
)
@click.option(
    "--hub",
    is_flag=True,
    help="Start a model repository on the Hub in the current folder: with settings and "
    "a config.json that names the new classes.",
)
@root_option
@source_library_option
@pass_options
def command(
    model: str, parent: str, only: tuple[str, ...], hub: bool, options: Options
) -> None:
    """Start a new model that inherits from the public classes of another one.

    The command writes `modular_MODEL.py` in a new folder beside the other models. Edit
    it, then run `modular convert MODEL` to write the complete model files.
    """
    from modular.scaffold.hub_repository import start_repository
    from modular.scaffold.new_model import start

    if hub:
        repository = start_repository(model, parent, only, options)
        new = repository.model
        echo_lines(f"{path} written" for path in repository.paths if path != new.path)
    else:
        new = start(model, parent, only, options)
    print_diagnostics(new.diagnostics)
    is_written = not has_errors(new.diagnostics)
    if is_written:
        next_step = f"edit what differs, then run `modular convert {model}`"
        echo(f"{new.path} written: {next_step}")
    exit_with(is_written)
