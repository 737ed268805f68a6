"""The command `modular review`."""

from pathlib import Path

import click

from modular.cli.help import GroupedCommand
from modular.cli.options import (
    conversion_options,
    targets_argument,
)
from modular.cli.printing import echo
from modular.cli.reporting import (
    exit_with,
    print_diagnostics,
    print_left_out,
    with_progress,
)
from modular.run.api import Options
from modular.source.diagnostics import has_errors
from modular.system.printable import counted


@click.command(
    "review",
    cls=GroupedCommand,
    examples={
        "modular review olmo2": "Write pages for a model.",
        "modular review --since main": "Write pages for a branch.",
    },
)
@click.option(
    "--since",
    metavar="REF",
    help="Show only models affected by changes since this commit, with the changes.",
)
@click.option(
    "--output",
    "folder",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder to write the pages to (default: `modular-review` below the root).",
)
@targets_argument
@conversion_options
def command(targets: tuple[str, ...], options: Options, folder: Path | None) -> None:
    """Write pages that show where generated lines come from and what a change does.

    Open `index.html` in a browser, or attach the folder to a pull request. The pages
    need no server and no network.

    A TARGET is the name of a model, a modular file or a folder. By default, the command
    processes the whole project.
    """
    from modular.review.site import review

    with with_progress(options) as options:
        pages = review(targets, output=folder, options=options)
    print_diagnostics(pages.diagnostics, errors_only=True)
    for sentence in pages.model_changes.sentences():
        echo(sentence)
    # A change can break models, or delete some, without changing the files of any model.
    if pages.models or pages.breakages or pages.model_changes:
        echo(f"{counted(pages.models, 'model')}: open {pages.index}")
    else:
        reason = "no model differs" if options.since else "no model has a page"
        echo(f"nothing to review: {reason}", err=True)
    print_left_out(pages.unaffected_models)
    # Without `--since`, the targets should have at least one model.
    is_clean = not has_errors(pages.diagnostics) and bool(pages.models or options.since)
    exit_with(is_clean, wrong_use=pages.has_unknown_targets)
