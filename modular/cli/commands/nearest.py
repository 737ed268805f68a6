"""`modular nearest`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from modular.cli.options import (
    GroupedCommand,
    models_option,
    no_cache_option,
    pass_options,
    root_option,
    source_library_option,
    text_or_json_option,
)
from modular.cli.printing import echo_lines
from modular.cli.rendering.json import attributes, error_values, print_object
from modular.cli.reporting import exit_with, print_diagnostics
from modular.run.api import Options


if TYPE_CHECKING:
    from modular.infer.nearest import NearestReport, Neighbour, QueryResult


@click.command("nearest", cls=GroupedCommand)
@click.argument("target", metavar="FILE[:CLASS[.METHOD]]", type=click.Path())
@models_option("--before", help="Exclude MODEL and all models that depend on it.")
@click.option("--diff", is_flag=True, help="Show a diff against the nearest class.")
@text_or_json_option
@root_option
@source_library_option
@no_cache_option
@pass_options
def command(
    target: str,
    options: Options,
    before: tuple[str, ...],
    diff: bool,
    output_format: str,
) -> None:
    """Show the classes, functions and methods of the library that share most with those of a Python file, names aside.

    Models that depend on the file's own model are excluded.
    """
    from modular.infer.nearest import nearest

    report = nearest(target, before=before, with_diff=diff, options=options)
    if output_format == "json":
        print_object(_values(report))
    else:
        print_diagnostics(report.diagnostics)
        for result in report.results:
            echo_lines(_lines(result))
    exit_with(
        not report.diagnostics,
        wrong_use=bool(report.diagnostics and not report.results),
    )


def _values(report: "NearestReport") -> dict[str, object]:
    classes = [
        {
            "name": result.name,
            "nearest": [
                attributes(neighbour, "path", "name", "similarity", "reason")
                for neighbour in result.neighbours
            ],
        }
        for result in report.results
    ]
    return {
        "classes": classes,
        **(error_values(report.diagnostics) if report.diagnostics else {}),
    }


def _lines(result: "QueryResult") -> Iterator[str]:
    yield result.name
    for neighbour in result.neighbours:
        similarity = f"{neighbour.similarity:4.0%}"
        methods = _describe_methods(neighbour)
        yield f"  {similarity}  {neighbour.model}  {neighbour.name}{methods}"
        if neighbour.reason:
            yield f"        comes before the next: {neighbour.reason}"
    if result.diff:
        yield result.diff.rstrip("\n")
    if not result.neighbours:
        yield "  no similar code"


def _describe_methods(neighbour: "Neighbour") -> str:
    parts = []
    for label, names in (
        ("same", neighbour.equal_methods),
        ("differ", neighbour.different_methods),
        ("missing", neighbour.missing_methods),
        ("new", neighbour.new_methods),
    ):
        if names:
            parts.append(f"{label}: {', '.join(names)}")
    return f"  ({'; '.join(parts)})" if parts else ""
