"""The command `modular new`."""

from collections.abc import Mapping
from pathlib import Path

import click

from modular.cli.completion import complete_any_model
from modular.cli.help import GroupedCommand
from modular.cli.options import (
    diff_option,
    pass_options,
    root_option,
    ruff_option,
    source_library_option,
)
from modular.cli.printing import echo
from modular.cli.rendering.diffs import echo_diff
from modular.cli.reporting import exit_with, print_diagnostics
from modular.run.api import Options
from modular.source.diagnostics import Severity, has_errors
from modular.source.diffs import compare


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
    help="Inherit only from this class and the configuration of PARENT (repeatable).",
)
@click.option(
    "--hub",
    is_flag=True,
    help="Start a model repository for the Hub in the current folder, with settings and "
    "config.json.",
)
@diff_option
@root_option
@source_library_option
@ruff_option
@pass_options
def command(
    model: str,
    parent: str,
    only: tuple[str, ...],
    hub: bool,
    options: Options,
    diff: bool,
) -> None:
    """Start a new model that inherits from the public classes of another model.

    The command writes `modular_MODEL.py` to a new folder beside the other models. Edit
    this file, then run `modular convert MODEL` to generate the complete model files.
    """
    from modular.cli.rendering.classes import print_classes
    from modular.scaffold.hub_repository import start_repository
    from modular.scaffold.new_model import new
    from modular.scaffold.setup_files import read_text

    folder = Path(options.root or Path.cwd()).resolve()
    files: Mapping[str, str]
    if hub:
        repository = start_repository(
            model, parent, only=only, dry_run=diff, options=options
        )
        new_model = repository.model
        files = repository.files
    else:
        new_model = new(model, parent, only=only, dry_run=diff, options=options)
        files = {new_model.path: new_model.text}
        folder = options.open().root
    print_diagnostics(
        [
            diagnostic
            for diagnostic in new_model.diagnostics
            if diagnostic.severity is not Severity.INFO
        ]
    )
    if has_errors(new_model.diagnostics):
        exit_with(False)

    print_classes(new_model.classes)
    if diff:
        for path, text in files.items():
            difference = compare(read_text(folder, path), text)
            echo_diff(difference.text(f"a/{path}", f"b/{path}"))
        exit_with(not files)
    for path in files:
        if path != new_model.path:
            echo(f"{path} written")
    next_step = f"edit what differs, then run `modular convert {model}`"
    echo(f"{new_model.path} written: {next_step}")
