"""The command `modular stats`."""

from collections.abc import Sequence

import click

from modular.cli.help import GroupedCommand
from modular.cli.options import project_options, text_or_json_option
from modular.cli.printing import echo
from modular.cli.rendering.json import attributes, print_object
from modular.cli.rendering.table import print_table
from modular.cli.reporting import exit_with, print_few_diagnostics, with_progress
from modular.run import api
from modular.run.api import Options, Report
from modular.run.report import ModelSaving, Saving, savings, total


@click.command(
    "stats",
    cls=GroupedCommand,
    examples={
        "modular stats": "Count all models.",
        "modular stats --parents": "Count what depends on each parent.",
    },
)
@click.option(
    "--parents",
    is_flag=True,
    help="Show how much depends on each model that others inherit from.",
)
@text_or_json_option
@project_options
def command(
    targets: tuple[str, ...], options: Options, parents: bool, output_format: str
) -> None:
    """Count the lines that modular files save, for each model and in all.

    A TARGET is a model's name, a modular file or a folder; none means the whole
    project. All lines of the modular and of the generated files count. Nothing is
    written.
    """
    with with_progress(options) as options:
        report = api.check(targets, options=options)
    if parents:
        _show_parents(report, output_format)
    else:
        _show_savings(savings(report.lines), output_format)
    print_few_diagnostics(report.diagnostics)
    exit_with(not report.has_errors, wrong_use=report.has_unknown_targets)


def _show_parents(report: Report, output_format: str) -> None:
    """Print for each parent model how many models and generated lines depend on it."""
    from modular.project.ancestry import read_graph, weights

    generated_lines = {}
    for modular, counts in report.lines.items():
        generated_lines[modular] = sum(counts.generated.values())
    parents = weights(read_graph(report.project), generated_lines)
    if output_format == "json":
        print_object({"parents": [parent._asdict() for parent in parents]})
        return

    # Without any line, 1 prevents a division by zero.
    all_lines = sum(generated_lines.values()) or 1
    rows = []
    for parent in parents:
        share = f"{parent.lines / all_lines:.0%}"
        rows.append((parent.model, parent.direct, parent.models, parent.lines, share))
    print_table(
        header=("parent", "directly", "in all", "lines", "share"),
        rows=rows,
        footer=(f"{len(rows)} in all",),
    )
    echo("directly, in all: models that inherit from it;")
    echo("lines, share: what is generated for these")


def _show_savings(models: Sequence[ModelSaving], output_format: str) -> None:
    """Print the lines of each modular file and of the files that it generates."""
    if output_format == "json":
        values = []
        for model in models:
            place = attributes(model, "model", "path")
            values.append({**place, **_saving_values(model.saving)})
        print_object({"models": values, "total": _saving_values(total(models))})
    elif models:
        print_table(
            header=("model", "modular", "generated", "saved", "ratio"),
            rows=[_saving_cells(model.model, model.saving) for model in models],
            footer=_saving_cells(f"{len(models)} in all", total(models)),
        )
        echo("modular: lines to maintain; generated: lines that they generate;")
        echo("ratio: generated lines for each modular line")


def _saving_values(saving: Saving) -> dict[str, object]:
    values = attributes(saving, "modular", "generated", "saved")
    return {**values, "ratio": round(saving.ratio, 2)}


def _saving_cells(title: str, saving: Saving) -> tuple[int | str, ...]:
    ratio = f"x{saving.ratio:.1f}"
    return title, saving.modular, saving.generated, saving.saved, ratio
