"""`modular stats`."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from itertools import zip_longest

import click

from modular.cli.options import PROJECT, output_format_option, subcommand
from modular.cli.printing import echo
from modular.cli.rendering.json import attributes, print_object
from modular.cli.reporting import exit_with, print_few_diagnostics, with_progress
from modular.run import api
from modular.run.api import Options, Report
from modular.run.report import ModelSaving, Saving, savings, total
from modular.system.printable import clean
from modular.system.terminal import counted


@subcommand("stats", *PROJECT)
@click.option(
    "--history",
    "is_history",
    is_flag=True,
    help="The lines of the project over its git history.",
)
@click.option(
    "--parents",
    is_flag=True,
    help="How much of the project rests on each model that others inherit from.",
)
@click.option(
    "--since", metavar="REF", help="With --history: the commit to begin with."
)
@output_format_option("json", "svg", help="Format of the report; svg with --history.")
def command(
    targets: tuple[str, ...],
    options: Options,
    is_history: bool,
    parents: bool,
    since: str | None,
    output_format: str,
) -> None:
    """Show how many lines modular files save, by model and in all. Nothing is written.

    A TARGET is a model's name, a modular file or a folder; none means the whole project. Counted are all lines of the
    modular files, and of what they generate.
    """
    if is_history:
        if targets or parents:
            raise click.UsageError("--history is of the whole project")
        _show_history(options, since, output_format)
        return
    if since is not None or output_format == "svg":
        raise click.UsageError("--since and svg need --history")
    with with_progress(options) as options:
        report = api.check(targets, options=options)
    if parents:
        _show_parents(report, output_format)
    else:
        _show_savings(savings(report.lines), output_format)
    print_few_diagnostics(report.diagnostics)
    exit_with(not report.has_errors, wrong_use=report.has_unknown_targets)


def _show_history(options: Options, since: str | None, output_format: str) -> None:
    from modular.git.history import history

    moments = history(options.open(), since)
    if output_format == "json":
        print_object({"commits": [asdict(moment) for moment in moments]})
    elif output_format == "svg":
        from modular.cli.rendering.history_chart import chart

        echo(chart(moments), nl=False)
    else:
        header = ("day", "commit", "modular files", "maintained", "read")
        rows = [
            (
                moment.day,
                moment.commit[:10],
                moment.modulars,
                moment.maintained,
                moment.read,
            )
            for moment in moments
        ]
        _print_table(header, rows, (counted(len(rows), "commit"),), left=2)
        echo(
            "maintained: lines that people edit;\nread: lines of all model files, generated ones included"
        )


def _show_parents(report: Report, output_format: str) -> None:
    from modular.project.ancestry import read_graph, weights

    lines = {
        modular: sum(counts.generated.values())
        for modular, counts in report.lines.items()
    }
    parents = weights(read_graph(report.project), lines)
    if output_format == "json":
        print_object({"parents": [parent._asdict() for parent in parents]})
        return
    whole = sum(lines.values()) or 1
    rows = [
        (
            parent.model,
            parent.direct,
            parent.models,
            parent.lines,
            f"{parent.lines / whole:.0%}",
        )
        for parent in parents
    ]
    _print_table(
        ("parent", "directly", "in all", "lines", "share"),
        rows,
        (f"{len(rows)} in all",),
    )
    echo(
        "directly, in all: models that inherit from it;\nlines, share: what is generated for these"
    )


def _show_savings(models: Sequence[ModelSaving], output_format: str) -> None:
    if output_format == "json":
        values = [
            {**attributes(model, "model", "path"), **_values(model.saving)}
            for model in models
        ]
        print_object({"models": values, "total": _values(total(models))})
    elif models:
        rows = [(model.model, *_cells(model.saving)) for model in models]
        footer = (f"{len(models)} in all", *_cells(total(models)))
        _print_table(("model", "modular", "generated", "saved", "ratio"), rows, footer)
        echo(
            "modular: lines to maintain; generated: lines that come of them;\nratio: generated for each of modular"
        )


def _values(saving: Saving) -> dict[str, object]:
    return {
        **attributes(saving, "modular", "generated", "saved"),
        "ratio": round(saving.ratio, 2),
    }


def _cells(saving: Saving) -> tuple[int | str, ...]:
    return saving.modular, saving.generated, saving.saved, f"x{saving.ratio:.1f}"


def _print_table(
    header: Sequence[str],
    rows: Iterable[Sequence[int | str]],
    footer: Sequence[int | str],
    left: int = 1,
) -> None:
    """Print a table whose first ``left`` columns are texts, the others numbers."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    def shown(cell: int | str) -> Text:
        return Text(clean(f"{cell:,}" if isinstance(cell, int) else cell))

    table = Table(box=SIMPLE_HEAD, show_edge=False, show_footer=True, pad_edge=False)
    for index, (name, last) in enumerate(zip_longest(header, footer, fillvalue="")):
        table.add_column(
            str(name),
            shown(last),
            justify="left" if index < left else "right",
            no_wrap=True,
        )
    for row in rows:
        table.add_row(*map(shown, row))
    console = Console()
    # A name that is wider than the terminal (or a pipe's 80 columns) is better than half a name.
    console.print(
        table, width=max(console.width, console.measure(table).maximum), crop=False
    )
