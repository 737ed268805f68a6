"""`modular impact`."""

from typing import TYPE_CHECKING

import click

from modular.cli.completion import complete_any_model
from modular.cli.options import (
    GroupedCommand,
    jobs_option,
    no_cache_option,
    output_format_option,
    pass_options,
    root_option,
    ruff_option,
    source_library_option,
)
from modular.cli.printing import echo
from modular.cli.rendering.diffs import echo_diff
from modular.cli.rendering.json import attributes, error_values, print_object
from modular.cli.rendering.templates import render
from modular.cli.reporting import (
    exit_with,
    print_diagnostics,
    print_left_out,
    with_progress,
)
from modular.run.api import Options


if TYPE_CHECKING:
    from modular.effects.impact import Impact


@click.command("impact", cls=GroupedCommand)
@click.argument(
    "paths", nargs=-1, metavar="[PATH]...", shell_complete=complete_any_model
)
@click.option(
    "--since",
    "commit",
    metavar="REF",
    default="HEAD",
    help="The commit to compare with; the last one if not given.",
)
@output_format_option("json", "markdown")
@root_option
@source_library_option
@jobs_option
@no_cache_option
@ruff_option
@pass_options
def command(
    paths: tuple[str, ...], options: Options, commit: str, output_format: str
) -> None:
    """Show what changes in the working tree would do to the generated files, and which models break.

    Nothing is written. With a PATH, a model's name, a file or a folder, only its changes count. Exit code 1 if something breaks.
    """
    from modular.effects.impact import impact, list_models

    with with_progress(options) as options:
        result = impact(paths, since=commit, options=options)
    if output_format == "json":
        print_object(_values(result))
    elif result.has_unknown_paths:
        print_diagnostics(result.diagnostics)
    else:
        if output_format == "markdown":
            values = {
                "summary": result.summary(),
                "causes": result.causes,
                "problems": list(result.problems()),
            }
            echo(render("impact.md", models=list_models, **values), nl=False)
        else:
            echo_diff(f"{result}\n")
        print_left_out(result.unaffected_models)
    exit_with(result.is_harmless, wrong_use=result.has_unknown_paths)


def _values(result: "Impact") -> dict[str, object]:
    return {
        "since": result.since,
        "files": [
            {
                **attributes(file, "path", "modular", "diff"),
                **attributes(file.difference, "added", "removed"),
            }
            for file in result.files
        ],
        "causes": [
            {
                "path": None if cause.place is None else cause.place.path,
                "line": None if cause.place is None else cause.place.line,
                "name": cause.title,
                **attributes(cause, "models", "files", "added", "removed"),
                "lines": cause.changes[0].lines,
            }
            for cause in result.causes
        ],
        "broken": [
            {
                **attributes(breakage.place, "path", "line"),
                **attributes(breakage, "member", "message"),
                "class": breakage.class_,
            }
            for breakage in result.breakages
        ],
        **error_values(result.diagnostics),
    }
