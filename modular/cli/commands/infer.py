"""The command `modular infer`."""

import os
from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

import click

from modular.cli.completion import complete_any_model
from modular.cli.help import GroupedCommand
from modular.cli.options import (
    conversion_options,
    text_or_json_option,
    verbose_option,
)
from modular.cli.printing import echo, echo_lines
from modular.cli.rendering.diffs import echo_diff
from modular.cli.rendering.json import attributes, error_values, print_object
from modular.cli.reporting import exit_with, print_diagnostics, with_progress
from modular.project.project import model_name
from modular.run.api import Options
from modular.source.diffs import compare
from modular.system.printable import counted


if TYPE_CHECKING:
    from modular.infer.flat import Remark
    from modular.infer.infer import InferReport
    from modular.infer.inference import Inference
    from modular.infer.parents import ParentClass
    from modular.project.project import Project


_MAX_LISTED_UNCHANGED = 2
"""Models without a modular file to write that are listed; more are only counted."""

_MAX_EXAMPLES = 3
"""Models that are named as examples for a reason."""


@click.command(
    "infer",
    cls=GroupedCommand,
    examples={
        "modular infer olmo2": "Print the modular file for a model.",
        "modular infer olmo2 --from llama --write": "Write the file, with llama as the parent.",
    },
)
@click.argument(
    "targets", metavar="[TARGET]...", nargs=-1, shell_complete=complete_any_model
)
@click.option(
    "--diff/--write",
    "diff",
    default=None,
    help="Print a diff and exit 1 if files would change, or write the modular files "
    "(default: print new files in full).",
)
@click.option("--force", is_flag=True, help="Overwrite existing modular files.")
@click.option(
    "--improve",
    is_flag=True,
    help="Let the existing modular files of TARGET inherit more (default: of all "
    "models), and print a diff.",
)
@click.option(
    "--from",
    "parents",
    multiple=True,
    metavar="MODEL",
    shell_complete=complete_any_model,
    help="Inherit only from this model (repeatable).",
)
@verbose_option("Also list what each class inherits.")
@text_or_json_option
@conversion_options
def command(
    targets: tuple[str, ...],
    options: Options,
    diff: bool | None,
    force: bool,
    improve: bool,
    parents: tuple[str, ...],
    verbose: bool,
    output_format: str,
) -> None:
    """Turn a flat model into a modular file that provably generates the model.

    The command prints the modular file. To write it, pass --write.

    A TARGET is a model's name or folder, a folder with several models, or any Python
    file with the classes of a model.
    """
    if not targets and not improve:
        raise click.UsageError("Missing argument 'TARGET'.")
    from modular.infer.infer import improve as improve_models
    from modular.infer.infer import infer_modular

    write = diff is False
    with with_progress(options) as options:
        if improve:
            report = improve_models(
                targets,
                write=write,
                parents=parents,
                options=options,
            )
        else:
            report = infer_modular(
                targets, write=write, force=force, parents=parents, options=options
            )
    if output_format == "json":
        print_object(_values(report))
    else:
        _print(report, shows_text=not write, as_diff=diff is True, verbose=verbose)
        if report.written and not improve:
            _print_next_step(report, options)
        if diff is None and any(inference.text for inference in report.inferences):
            echo(
                "Nothing was written. To write modular files, pass `--write`.", err=True
            )
    would_change = diff is True and any(
        _would_change_file(report.project, inference) for inference in report.inferences
    )
    # Problems of targets or options prevent all results.
    is_wrong_use = bool(report.problems and not report.inferences)
    exit_with(not report.has_errors and not would_change, wrong_use=is_wrong_use)


def _print_next_step(report: "InferReport", options: Options) -> None:
    """Print the command that writes the generated files of new modular files."""
    # The project is opened again, because it has new modular files now.
    modular_files = options.open().modular_files
    targets = " ".join(_find_targets(report, modular_files))
    command_to_run = f"modular convert {targets}"
    if not _are_identical(report):
        # Without it, `modular convert` keeps files that people wrote.
        command_to_run += " --force"
    echo(f"next: `{command_to_run}` writes the generated files")


def _would_change_file(project: "Project", inference: "Inference") -> bool:
    """Return whether writing an inferred modular file would change the file on disk."""
    is_improvement = bool(inference.diff)
    if is_improvement:
        return True
    if not inference.text:
        # There is no modular file to write.
        return False
    return project.load(inference.modular, {}).text != inference.text


def _are_identical(report: "InferReport") -> bool:
    """Return whether each written modular file generates the same files as on disk."""
    return all(
        inference.equals_files_on_disk
        for inference in report.inferences
        if inference.modular in report.written
    )


def _find_targets(
    report: "InferReport", modular_files: Collection[str]
) -> Iterator[str]:
    """Yield what to pass to `modular convert` for each modular file that was written.

    This is the name of the model, or the path of a file outside of the models folders.

    Args:
        report: The report with these files.
        modular_files: The modular files in the models folders of the project.
    """
    for path in report.written:
        if path in modular_files:
            yield model_name(path)
        else:
            # Outside of the models folders, `modular convert` does not know the model.
            yield os.path.relpath(report.project.root / path)


def _values(report: "InferReport") -> dict[str, object]:
    """Return the inferred modular files, and any errors, as values for JSON."""
    models = [_model_values(inference) for inference in report.inferences]
    errors = error_values(report.diagnostics) if report.diagnostics else {}
    return {"models": models, **errors}


def _model_values(inference: "Inference") -> dict[str, object]:
    """Return the values that are printed as JSON for an inferred modular file."""
    classes = []
    for class_ in inference.classes:
        classes.append(
            {
                "name": class_.name,
                **attributes(class_.derived, "inherited", "merged", "overridden"),
                "parent": _parent_values(class_.parent),
            }
        )
    return {
        **attributes(inference, "model", "modular", "text"),
        **attributes(inference, "flat_lines", "modular_lines", "proof"),
        "files": inference.proofs,
        "classes": classes,
        "by_hand": _remark_values(inference.by_hand),
        "notes": _remark_values(inference.notes),
    }


def _remark_values(remarks: Iterable["Remark"]) -> list[dict[str, object]]:
    """Return the values that are printed for remarks on code."""
    return [attributes(remark, "path", "line", "reason") for remark in remarks]


def _parent_values(parent: "ParentClass | None") -> dict[str, object] | None:
    """Return the values that are printed for a parent class, if there is one."""
    return None if parent is None else attributes(parent, "path", "name")


def _print(
    report: "InferReport", *, shows_text: bool, as_diff: bool, verbose: bool
) -> None:
    """Print the modular file that was inferred for each model, and a summary of it.

    Many models without a modular file to write are only counted:
    `12 models (bert, gpt2, opt): nothing more could be inherited`.

    Args:
        report: The report.
        shows_text: Print the modular files to standard output, and the summaries to
            standard error. Otherwise the summaries go to standard output.
        as_diff: Print a new modular file as a diff, like one that exists.
        verbose: Print the details of each summary, and list all models.
    """
    print_diagnostics(report.diagnostics)
    counted_only = _select_counted(report.inferences, verbose)
    for inference in report.inferences:
        if inference in counted_only:
            continue
        if shows_text:
            _print_text(report.project, inference, as_diff=as_diff)
        echo_lines(inference.summary(verbose=verbose), err=shows_text)

    models_by_reason: dict[str, list[str]] = {}
    for inference in counted_only:
        reason = _without_names(_reason_of(inference))
        models_by_reason.setdefault(reason, []).append(inference.model)
    most_models_first = sorted(
        models_by_reason.items(), key=lambda entry: len(entry[1]), reverse=True
    )
    for reason, models in most_models_first:
        examples = ", ".join(models[:_MAX_EXAMPLES])
        count = counted(len(models), "model")
        echo(f"{count} ({examples}): {reason}", err=shows_text)
    if counted_only and not verbose:
        echo("The option --verbose lists these models one by one.", err=shows_text)


def _select_counted(
    inferences: Iterable["Inference"], verbose: bool
) -> list["Inference"]:
    """Return the models that are only counted, and not listed one by one.

    These are the models without a modular file to write, if there are many of them.

    Args:
        inferences: The results for all models.
        verbose: Whether all models are listed.
    """
    without_modular_file = [
        inference
        for inference in inferences
        if not inference.text and not inference.diagnostics
    ]
    are_few = len(without_modular_file) <= _MAX_LISTED_UNCHANGED
    return [] if verbose or are_few else without_modular_file


def _reason_of(inference: "Inference") -> str:
    """Return why there is no modular file to write for a model."""
    if inference.by_hand:
        return inference.by_hand[0].reason
    return inference.remark or "it would not be shorter"


def _without_names(reason: str) -> str:
    """Return a reason without its quoted names, so that equal reasons can be counted."""
    # Every second part of the text is between backticks.
    parts = reason.split("`")
    parts[1::2] = ["..."] * len(parts[1::2])
    return "`".join(parts).replace("`...`, ", "")


def _print_text(project: "Project", inference: "Inference", *, as_diff: bool) -> None:
    """Print an inferred modular file, or the diff if a modular file exists.

    Args:
        project: The project.
        inference: The inferred modular file. Its text is empty if nothing can be inferred.
        as_diff: Whether to print a new modular file as a diff.
    """
    # An improvement of an existing modular file has a diff, a new file has none.
    if inference.diff:
        echo(inference.diff, nl=False)
    elif inference.text and as_diff:
        _print_diff(project, inference)
    elif inference.text:
        echo(inference.text, nl=False)


def _print_diff(project: "Project", inference: "Inference") -> None:
    """Print an inferred modular file as a diff from the existing file, if there is one."""
    path = inference.modular
    before_path = "/dev/null"
    before = ""
    if (project.root / path).exists():
        before_path = f"a/{path}"
        before = project.load(path, {}).text
    echo_diff(compare(before, inference.text).text(before_path, f"b/{path}"))
