"""The command `modular impact`."""

from typing import TYPE_CHECKING

import click

from modular.cli.completion import complete_any_model
from modular.cli.help import GroupedCommand
from modular.cli.options import (
    conversion_options,
    output_format_option,
)
from modular.cli.printing import echo
from modular.cli.rendering.diffs import echo_diff
from modular.cli.rendering.json import (
    attributes,
    error_values,
    override_values,
    print_object,
)
from modular.cli.rendering.templates import render
from modular.cli.reporting import (
    exit_with,
    print_diagnostics,
    print_left_out,
    with_progress,
)
from modular.run.api import Options


if TYPE_CHECKING:
    from modular.effects.causes import Cause
    from modular.effects.impact import Impact
    from modular.effects.model_changes import NewModel


@click.command(
    "impact",
    cls=GroupedCommand,
    examples={
        "modular impact": "Show what your uncommitted changes do.",
        "modular impact --since main": "Show what a branch does.",
    },
)
@click.argument(
    "paths", nargs=-1, metavar="[PATH]...", shell_complete=complete_any_model
)
@click.option(
    "--since",
    "commit",
    metavar="REF",
    default="HEAD",
    help="Commit to compare the working tree with (default: HEAD).",
)
@output_format_option("json", "markdown")
@conversion_options
def command(
    paths: tuple[str, ...], options: Options, commit: str, output_format: str
) -> None:
    """Show how your changes affect generated files, and which models they break.

    The command writes nothing. It exits with 1 if a model breaks. To see only some of
    the changes, pass a model, a file or a folder as PATH.
    """
    from modular.effects.breakage import list_names
    from modular.effects.impact import impact
    from modular.effects.overrides import group_unreached

    with with_progress(options) as options:
        result = impact(paths, since=commit, options=options)
    if output_format == "json":
        print_object(_values(result))
    elif result.has_unknown_paths:
        print_diagnostics(result.diagnostics)
    else:
        if output_format == "markdown":
            text = render(
                "impact.md",
                models=list_names,
                summary=result.summary(),
                causes=result.causes,
                model_changes=list(result.model_changes.sentences()),
                problems=list(result.problems()),
                unreached=group_unreached(result.unreached),
            )
            echo(text, nl=False)
        else:
            echo_diff(f"{result}\n")
        print_left_out(result.unaffected_models)
    exit_with(result.is_harmless, wrong_use=result.has_unknown_paths)


def _values(result: "Impact") -> dict[str, object]:
    """Return what changes in the working tree do, and which models break, for JSON."""
    files = []
    for file in result.files:
        change = attributes(file.difference, "added", "removed")
        files.append({**attributes(file, "path", "modular", "diff"), **change})
    broken: list[dict[str, object]] = []
    for breakage in result.breakages:
        broken.append(
            {
                **attributes(breakage.place, "path", "line"),
                "class": breakage.class_,
                "member": breakage.member,
                "message": breakage.sentence,
            }
        )
    for diagnostic in result.diagnostics:
        broken.append(
            {
                **attributes(diagnostic.place, "path", "line"),
                "class": None,
                "member": None,
                "message": f"{diagnostic.code.id} {diagnostic.message}",
            }
        )
    unreached = []
    for drifted in result.unreached:
        unreached.append({**override_values(drifted), "parent": drifted.original})
    return {
        "since": result.since,
        "files": files,
        "causes": [_cause_values(cause) for cause in result.causes],
        "new_models": [_new_model_values(model) for model in result.model_changes.new],
        "deleted_models": result.model_changes.deleted,
        "hand_edited": [
            attributes(edit.place, "path", "line")
            for edit in result.model_changes.hand_edits
        ],
        "broken": broken,
        "not_reached": unreached,
        **error_values(result.diagnostics),
    }


def _cause_values(cause: "Cause") -> dict[str, object]:
    """Return an edit, with what it changes in generated files, as values for JSON.

    Changes that look the same in several files are one variant, of which `lines` is the
    diff. `added`, `removed` and `moved` are numbers of lines in all files together.

    Args:
        cause: The edit, for example of `LlamaMLP.forward`, and the changes.
    """
    path = None
    line = None
    if cause.place is not None:
        path = cause.place.path
        line = cause.place.line
    numbers = ("models", "files", "added", "removed", "moved")
    variants = []
    for variant in cause.variants:
        variants.append(attributes(variant, *numbers, "lines"))
    return {
        "path": path,
        "line": line,
        "name": cause.title,
        **attributes(cause, *numbers),
        "variants": variants,
    }


def _new_model_values(model: "NewModel") -> dict[str, object]:
    """Return a new model as values for JSON."""
    return {
        "model": model.name,
        **attributes(model, "modular", "lines", "overrides"),
        "classes_from": model.class_counts,
    }
