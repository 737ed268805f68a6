"""`modular nearest`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from modular.cli.options import TEXT_OR_JSON, models_option, subcommand
from modular.cli.printing import echo_lines
from modular.cli.rendering.json import attributes, error_values, print_object
from modular.cli.reporting import exit_with, print_diagnostics
from modular.run.api import Options


if TYPE_CHECKING:
    from modular.infer.nearest import Asked, NearestReport, Neighbour


@subcommand("nearest", "root", "source_library", "no_cache")
@click.argument("target", metavar="FILE[:CLASS[.METHOD]]", type=click.Path())
@models_option("--before", help="Exclude MODEL and all models that depend on it.")
@click.option("--diff", is_flag=True, help="Show a diff against the nearest class.")
@TEXT_OR_JSON
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
        echo_lines(line for asked in report.asked for line in _lines(asked))
    exit_with(
        not report.diagnostics, wrong_use=bool(report.diagnostics and not report.asked)
    )


def _values(report: "NearestReport") -> dict[str, object]:
    classes = [
        {
            "name": asked.name,
            "nearest": [
                attributes(near, "path", "name", "similarity", "reason")
                for near in asked.nearest
            ],
        }
        for asked in report.asked
    ]
    return {
        "classes": classes,
        **(error_values(report.diagnostics) if report.diagnostics else {}),
    }


def _lines(asked: "Asked") -> Iterator[str]:
    yield asked.name
    for near in asked.nearest:
        yield f"  {near.similarity:4.0%}  {near.model}  {near.name}{_members(near)}"
        if near.reason:
            yield f"        before the next: {near.reason}"
    if asked.diff:
        yield asked.diff.rstrip("\n")
    if not asked.nearest:
        yield "  nothing is near"


def _members(near: "Neighbour") -> str:
    parts = (
        ("same", near.same),
        ("differ", near.different),
        ("not here", near.missing),
        ("new", near.new),
    )
    listed = "; ".join(f"{what}: {', '.join(names)}" for what, names in parts if names)
    return f"  ({listed})" if listed else ""
