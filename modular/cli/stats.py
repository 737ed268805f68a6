"""`modular stats`."""

import json
from collections.abc import Sequence

import click

from modular.cli.options import project_options
from modular.cli.printing import clean, echo_json
from modular.cli.reporting import leave, print_few_diagnostics, run_with_progress
from modular.cli.suggesting import NearChoice
from modular.run import api
from modular.run.api import Options
from modular.run.savings import ModelSaving, Saving, savings, total


@click.command("stats")
@project_options
@click.option("--output-format", type=NearChoice(["text", "json"]), default="text", help="How to report.")
def command(targets: tuple[str, ...], options: Options, output_format: str) -> None:
    """Show how many lines modular files save, by model and in all. Nothing is written.

    A TARGET is a model's name, a modular file or a folder; none means the whole project. Counted are all lines of the
    modular files, and of what they generate.
    """
    report = run_with_progress(lambda chosen: api.check(targets, options=chosen), options)
    print_few_diagnostics(report, are_all=False)
    found = savings(report.lines)
    if output_format == "json":
        echo_json(json.dumps(_as_json(found), indent=2) + "\n")
    else:
        _print_table(found)
    leave(not report.has_errors)


def _as_json(found: Sequence[ModelSaving]) -> dict[str, object]:
    models = [{"model": each.model, "path": each.path, **_numbers(each.saving)} for each in found]
    return {"models": models, "total": _numbers(total(found))}


def _numbers(saving: Saving) -> dict[str, float]:
    return {
        "modular": saving.modular,
        "generated": saving.generated,
        "saved": saving.saved,
        "ratio": round(saving.ratio, 2),
    }


def _print_table(found: Sequence[ModelSaving]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, show_edge=False, show_footer=True, pad_edge=False)
    in_all = _cells(total(found))
    table.add_column("model", f"{len(found)} in all", no_wrap=True)
    for name, cell in zip(("modular", "generated", "saved", "ratio"), in_all, strict=True):
        table.add_column(name, cell, justify="right", no_wrap=True)
    for each in found:
        table.add_row(Text(clean(each.model)), *_cells(each.saving))
    console = Console()
    # A name that is wider than the terminal (or a pipe's 80 columns) is better than half a name.
    console.print(table, width=max(console.width, console.measure(table).maximum), crop=False)


def _cells(saving: Saving) -> tuple[str, ...]:
    return f"{saving.modular:,}", f"{saving.generated:,}", f"{saving.saved:,}", f"x{saving.ratio:.1f}"
