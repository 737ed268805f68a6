"""`modular new`."""

import click

from modular.cli.completion import complete_any_model
from modular.cli.options import (
    GroupedCommand,
    pass_options,
    root_option,
    source_library_option,
)
from modular.cli.printing import echo
from modular.cli.reporting import exit_with, print_diagnostics
from modular.run.api import Options
from modular.source.diagnostics import has_errors


@click.command("new", cls=GroupedCommand)
@click.argument("model")
@click.option(
    "--from",
    "parent",
    required=True,
    metavar="PARENT",
    shell_complete=complete_any_model,
    help="The model to inherit from.",
)
@click.option(
    "--only",
    multiple=True,
    metavar="CLASS",
    help="Take only this class of the parent, and the configuration; may be repeated.",
)
@root_option
@source_library_option
@pass_options
def command(model: str, parent: str, only: tuple[str, ...], options: Options) -> None:
    """Start a new MODEL: write a modular file that inherits from the public classes of another one.

    It is `modular_MODEL.py` in a new folder beside the other models. Change in it what is different, then run `modular
    convert MODEL`: that writes the complete model files.
    """
    from modular.scaffold.new_model import start

    new = start(model, parent, only, options)
    print_diagnostics(new.diagnostics)
    is_written = not has_errors(new.diagnostics)
    if is_written:
        echo(
            f"{new.path} written: edit what differs, then run `modular convert {model}`"
        )
    exit_with(is_written)
