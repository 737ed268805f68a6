"""The command `modular lift`."""

from typing import TYPE_CHECKING

import click

from modular.cli.help import GroupedCommand
from modular.cli.options import diff_option, project_options
from modular.cli.printing import echo
from modular.cli.rendering.diffs import echo_diff
from modular.cli.reporting import exit_with, print_diagnostics, with_progress
from modular.run.api import Options
from modular.system.printable import counted, one_line


if TYPE_CHECKING:
    from modular.infer.edited_parts import EditedPart
    from modular.infer.lift import LiftedModel, LiftReport


@click.command(
    "lift",
    cls=GroupedCommand,
    examples={
        "modular lift olmo2": "Move your edits into the modular file.",
        "modular lift olmo2 --to-parent --diff": "Show how the parent would change.",
    },
)
@click.option(
    "--to-parent",
    is_flag=True,
    help="Move edits of inherited lines into the parent file instead.",
)
@diff_option
@project_options
def command(
    targets: tuple[str, ...], options: Options, to_parent: bool, diff: bool
) -> None:
    """Move your edits of generated files into the modular files.

    If you edit a generated file, `modular check` fails, because the modular file does
    not contain your edit. This command changes the modular file so that it generates
    your code, byte for byte. If a modular file cannot express an edit, the command lists
    the edit and exits with 1.

    A TARGET is the name of a model, a generated or modular file, or a folder. By
    default, the command processes the whole project.
    """
    from modular.infer.lift import lift

    with with_progress(options) as options:
        report = lift(targets, to_parent=to_parent, dry_run=diff, options=options)
    if diff:
        for model in report.models:
            echo_diff("".join(file.diff for file in model.files))
    print_diagnostics(report.diagnostics)
    for model in report.models:
        _print_model(model)
    _print_shared_edits(report)
    if not report.models and not report.diagnostics:
        echo("nothing to lift: no generated file was edited")
    would_change = diff and any(model.files for model in report.models)
    exit_with(
        report.is_complete and not would_change,
        wrong_use=report.has_unknown_targets,
    )


def _print_model(model: "LiftedModel") -> None:
    """Print the edits of one model: where they went, and which are left."""
    targets = ", ".join(one_line(file.path) for file in model.files)
    if model.lifted:
        edits = counted(len(model.lifted), "edit")
        echo(f"{edits} moved to {targets}")
    elif model.files:
        echo(
            f"{targets}: only the layout was edited; the generated layout was restored"
        )
    for lifted in model.lifted:
        echo(f"  {_describe(lifted.part)} ({lifted.form})")
    if model.left:
        echo(f"{counted(len(model.left), 'edit')} left, for {one_line(model.modular)}:")
    for left_edit in model.left:
        echo(f"  {_describe(left_edit.part)}: {left_edit.reason}")


def _describe(part: "EditedPart") -> str:
    """Return the place and the title of an edited part, for a line of the report."""
    return f"{one_line(part.id.path)}:{part.line}: {one_line(part.id.title)}"


def _print_shared_edits(report: "LiftReport") -> None:
    """Print the edits that several models share, because they belong in their parent."""
    for shared in report.shared_edits:
        models = counted(len(shared.modulars), "file")
        echo(
            f"the same edit in {models}: it belongs in {one_line(shared.parent)}, "
            "which `--to-parent` edits"
        )
