"""`modular new`."""

from pathlib import Path

import click

from modular.cli.model_names import complete_any_model
from modular.cli.options import ROOT, SOURCE_LIBRARY, GroupedCommand
from modular.cli.printing import echo, echo_painted
from modular.cli.reporting import leave, run
from modular.run.api import Options
from modular.source import diagnostics
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
@ROOT
@SOURCE_LIBRARY
def command(model: str, parent: str, only: tuple[str, ...], root: Path | None, source_library: str | None) -> None:
    """Start a new MODEL: write a modular file that inherits from the public classes of another one.

    It is `modular_MODEL.py` in a new folder beside the other models. Change in it what is different, then run `modular
    convert MODEL`: that writes the complete model files.
    """
    from modular.run.new_model import start

    options = Options(root=root, source_library=source_library)
    new = run(lambda: start(model, parent, only, options))
    echo_painted(diagnostics.render(new.diagnostics), colour=False)
    written = not has_errors(new.diagnostics)
    if written:
        echo(f"{new.path} written: edit what differs, then run `modular convert {model}`")
    leave(written)
