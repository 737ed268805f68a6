"""`modular infer`."""

from collections import Counter
from typing import TYPE_CHECKING

import click

from modular.cli.completion import complete_any_model
from modular.cli.options import (
    GroupedCommand,
    jobs_option,
    models_option,
    no_cache_option,
    pass_options,
    root_option,
    ruff_option,
    source_library_option,
    text_or_json_option,
)
from modular.cli.printing import echo, echo_lines
from modular.cli.rendering.json import attributes, error_values, print_object
from modular.cli.reporting import exit_with, print_diagnostics, with_progress
from modular.run.api import Options
from modular.system.terminal import counted


if TYPE_CHECKING:
    from modular.infer.infer import InferReport
    from modular.infer.inference import Inference
    from modular.infer.parents import ParentClass


_MANY = 3
"""So many files of which there is nothing to say are counted, not listed."""


@click.command("infer", cls=GroupedCommand)
@click.argument("targets", nargs=-1, shell_complete=complete_any_model)
@click.option(
    "--write", is_flag=True, help="Write the modular files instead of printing them."
)
@click.option("--force", is_flag=True, help="Overwrite existing modular files.")
@click.option(
    "--improve",
    is_flag=True,
    help="Shorten existing modular files by what they could inherit (default: of all models); shown as a diff.",
)
@click.option(
    "--drop-comments",
    is_flag=True,
    help="With --improve --write: write files that lose comments, too.",
)
@models_option("--from", "only", help="Inherit from this model only; may be repeated.")
@models_option("--not-from", "none_of", help="Do not inherit from this model.")
@text_or_json_option
@root_option
@source_library_option
@jobs_option
@no_cache_option
@ruff_option
@pass_options
def command(
    targets: tuple[str, ...],
    options: Options,
    write: bool,
    force: bool,
    improve: bool,
    drop_comments: bool,
    only: tuple[str, ...],
    none_of: tuple[str, ...],
    output_format: str,
) -> None:
    """Infer the modular file of a flat model, and prove that it generates the flat files again.

    A TARGET is the name of a model, its folder, or any Python file with the classes of a model. For classes that nearly are
    another model's, the report says what to change to inherit them.
    """
    if not targets and not improve:
        raise click.UsageError("Missing argument 'TARGETS...'.")
    from modular.infer import infer as inferring

    parents = inferring.AllowedParents(only, none_of)
    with with_progress(options) as options:
        if improve:
            report = inferring.improve(
                targets,
                write=write,
                drop_comments=drop_comments,
                parents=parents,
                options=options,
            )
        else:
            report = inferring.infer_modular(
                targets, write=write, force=force, parents=parents, options=options
            )
    if output_format == "json":
        print_object(_values(report))
    else:
        _print(report, show_text=not write)
    exit_with(
        not report.has_errors, wrong_use=bool(report.problems and not report.inferences)
    )


def _values(report: "InferReport") -> dict[str, object]:
    errors = error_values(report.diagnostics) if report.diagnostics else {}
    return {
        "models": [_model_values(inference) for inference in report.inferences],
        **errors,
    }


def _model_values(inference: "Inference") -> dict[str, object]:
    return {
        **attributes(
            inference,
            "model",
            "modular",
            "text",
            "flat_lines",
            "modular_lines",
            "proof",
        ),
        "files": inference.proofs,
        "classes": [
            {
                **attributes(class_, "name"),
                **attributes(class_.derived, "inherited", "merged", "overridden"),
                "parent": _parent_values(class_.parent),
            }
            for class_ in inference.classes
        ],
        "near_misses": [
            {
                **attributes(miss, "name", "changes"),
                "parent": _parent_values(miss.parent),
                "differs_in": miss.kinds,
            }
            for miss in inference.near_misses
        ],
        "by_hand": [
            attributes(skipped, "path", "line", "reason")
            for skipped in inference.by_hand
        ],
        "left_out": [
            attributes(skipped, "path", "line", "reason")
            for skipped in inference.left_out
        ],
        "lost_comments": [
            attributes(comment, "line", "text") for comment in inference.lost_comments
        ],
    }


def _parent_values(parent: "ParentClass | None") -> dict[str, object] | None:
    return None if parent is None else attributes(parent, "path", "name")


def _print(report: "InferReport", *, show_text: bool) -> None:
    """Print modular files, and what is said of them: on the other stream where the files themselves are shown."""
    print_diagnostics(report.diagnostics)
    unchanged = [inference for inference in report.inferences if inference.remark]
    are_many = len(unchanged) >= _MANY
    for inference in report.inferences:
        if inference.remark and are_many:
            continue
        if show_text:
            echo(inference.diff or inference.text, nl=False)
        echo_lines(inference.summary(), err=show_text)
    if are_many:
        for remark, number in Counter(
            inference.remark for inference in unchanged
        ).items():
            echo(f"{counted(number, 'modular file')}: {remark}", err=show_text)
