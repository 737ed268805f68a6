"""`modular stats`."""

from collections.abc import Sequence
from dataclasses import asdict

import click

from modular.cli.options import GroupedCommand, project_options
from modular.cli.printing import clean, counted, echo, echo_object
from modular.cli.reporting import leave, print_few_diagnostics, run, run_with_progress
from modular.cli.suggesting import NearChoice
from modular.run import api
from modular.run.api import Options, Report
from modular.run.savings import ModelSaving, Saving, savings, total


@click.command("stats", cls=GroupedCommand)
@project_options
@click.option("--history", "is_history", is_flag=True, help="The lines of the project over its git history.")
@click.option("--parents", is_flag=True, help="How much of the project rests on each model that others inherit from.")
@click.option("--since", metavar="REF", help="With --history: the commit to begin with.")
@click.option(
    "--output-format",
    type=NearChoice(["text", "json", "svg"]),
    default="text",
    help="How to report; svg with --history.",
)
def command(
    targets: tuple[str, ...],
    options: Options,
    is_history: bool,
    parents: bool,
    output_format: str,
) -> None:
    """Show how many lines modular files save, by model and in all. Nothing is written.

    A TARGET is a model's name, a modular file or a folder; none means the whole project. Counted are all lines of the
    modular files, and of what they generate.
    """
    if is_history:
        if targets or parents:
            raise click.UsageError("--history is of the whole project")
        _show_history(options, output_format)
        return
    if options.since is not None or output_format == "svg":
        raise click.UsageError("--since and svg need --history")
    report = run_with_progress(lambda chosen: api.check(targets, options=chosen), options)
    if parents:
        _show_weights(options, report, output_format)
    elif output_format == "json":
        echo_object(_as_json(savings(report.lines)))
    elif report.lines:
        _print_savings(savings(report.lines))
    print_few_diagnostics(report, are_all=False)
    leave(not report.has_errors, wrong_use=report.has_unknown_targets)


def _show_history(options: Options, output_format: str) -> None:
    from modular.git.history import history

    moments = run(lambda: history(options.open(), options.since))
    if output_format == "json":
        echo_object({"commits": [asdict(moment) for moment in moments]})
    elif output_format == "svg":
        from modular.cli.history_chart import chart

        echo(chart(moments), nl=False)
    else:
        rows = [
            (moment.day, moment.commit[:10], *_counts(moment.modulars, moment.maintained, moment.read))
            for moment in moments
        ]
        _print_table(
            ("day", "commit", "modular files", "maintained", "read"),
            (counted(len(rows), "commit"), "", "", "", ""),
            rows,
            left=2,
        )
        echo("maintained: lines that people edit; read: lines of all model files, generated ones included")


def _show_weights(options: Options, report: Report, output_format: str) -> None:
    from modular.project.ancestry import read_graph
    from modular.project.weights import weights

    lines = {modular: sum(each.generated.values()) for modular, each in report.lines.items()}
    found = weights(run(lambda: read_graph(options.open())), lines)
    if output_format == "json":
        echo_object({"parents": [each._asdict() for each in found]})
        return
    whole = sum(lines.values()) or 1
    rows = [
        (each.model, *_counts(each.direct, each.models, each.lines), f"{each.lines / whole:.0%}") for each in found
    ]
    _print_table(("parent", "directly", "in all", "lines", "share"), (f"{len(rows)} in all", "", "", "", ""), rows)
    echo("directly, in all: models that inherit from it; lines, share: what is generated for these")


def _counts(*numbers: int) -> tuple[str, ...]:
    return tuple(f"{number:,}" for number in numbers)


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


def _print_savings(found: Sequence[ModelSaving]) -> None:
    rows = [(each.model, *_cells(each.saving)) for each in found]
    footer = (f"{len(found)} in all", *_cells(total(found)))
    _print_table(("model", "modular", "generated", "saved", "ratio"), footer, rows)
    echo("modular: lines to maintain; generated: lines that come of them; ratio: generated for each of modular")


def _cells(saving: Saving) -> tuple[str, ...]:
    return f"{saving.modular:,}", f"{saving.generated:,}", f"{saving.saved:,}", f"x{saving.ratio:.1f}"


def _print_table(header: Sequence[str], footer: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> None:
    """Print a table whose first ``left`` columns are texts, the others numbers."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, show_edge=False, show_footer=any(footer), pad_edge=False)
    for index, (name, last) in enumerate(zip(header, footer, strict=True)):
        table.add_column(name, last, justify="left" if index < left else "right", no_wrap=True)
    for row in rows:
        table.add_row(*(Text(clean(cell)) for cell in row))
    console = Console()
    # A name that is wider than the terminal (or a pipe's 80 columns) is better than half a name.
    console.print(table, width=max(console.width, console.measure(table).maximum), crop=False)
