"""`modular review`."""

import sys
from pathlib import Path

import click

from modular.cli.model_names import complete_target
from modular.cli.options import JOBS, NO_CACHE, ROOT, SOURCE_LIBRARY, GroupedCommand
from modular.cli.printing import counted, echo
from modular.cli.reporting import leave, print_diagnostics, print_left_out, run_with_progress
from modular.run.api import Options
from modular.source.diagnostics import has_errors


@click.command("review", cls=GroupedCommand)
@click.argument("targets", nargs=-1, shell_complete=complete_target)
@ROOT
@SOURCE_LIBRARY
@click.option("--since", metavar="REF", help="Show what changed since a commit, in the models that this can affect.")
@click.option(
    "--output",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder to write the pages to (default: `modular-review` below the root).",
)
@JOBS
@NO_CACHE
def command(
    targets: tuple[str, ...],
    root: Path | None,
    source_library: str | None,
    since: str | None,
    output: Path | None,
    jobs: int | None,
    no_cache: bool,
) -> None:
    """Write pages that show where each generated line comes from, and what a change does.

    A TARGET is a model's name, a modular file or a folder; none means the whole project. The pages need neither a server
    nor a network: open `index.html` in a browser, or attach the folder to a pull request.
    """
    from modular.review.folder import ReviewError
    from modular.review.site import review

    options = Options(root=root, jobs=jobs, cache=not no_cache, source_library=source_library, since=since)
    try:
        done = run_with_progress(lambda chosen: review(targets, output=output, options=chosen), options)
    except ReviewError as error:
        echo(f"error: {error}", err=True)
        sys.exit(2)
    print_diagnostics(done, errors_only=True)
    if done.models:
        echo(f"{counted(done.models, 'model')}: open {done.index}")
    else:
        echo(f"nothing to review: {'no model differs' if since else 'no model has a page'}", err=True)
    print_left_out(done.left_out)
    leave(not has_errors(done.diagnostics) and bool(done.models or since), wrong_use=done.has_unknown_targets)
