"""`modular nearest`."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from modular.cli.options import NO_CACHE, OUTPUT_FORMAT, ROOT, SOURCE_LIBRARY, GroupedCommand
from modular.cli.printing import echo, echo_object
from modular.cli.rendering.json import as_objects
from modular.cli.reporting import leave, print_diagnostics, run
from modular.run.api import Options


if TYPE_CHECKING:
    from modular.infer.nearest import Asked, NearestReport, Neighbour


@click.command("nearest", cls=GroupedCommand)
@click.argument("target", metavar="FILE[:CLASS[.METHOD]]")
@ROOT
@SOURCE_LIBRARY
@click.option("--before", multiple=True, metavar="MODEL", help="Exclude MODEL and all models that depend on it.")
@click.option("--diff", is_flag=True, help="Show a diff against the nearest class.")
@NO_CACHE
@OUTPUT_FORMAT
def command(
    target: str,
    root: Path | None,
    source_library: str | None,
    before: tuple[str, ...],
    diff: bool,
    no_cache: bool,
    output_format: str,
) -> None:
    """Show the classes, functions and methods of the library that share most with those of a Python file, names aside.

    Models that depend on the file's own model are excluded.
    """
    from modular.infer.nearest import nearest

    options = Options(root=root, source_library=source_library, cache=not no_cache)
    report = run(lambda: nearest(target, before=before, with_diff=diff, options=options))
    if output_format == "json":
        echo_object(_as_json(report))
    else:
        print_diagnostics(report)
        for each in report.asked:
            echo("\n".join(_lines(each)))
    leave(not report.diagnostics, wrong_use=bool(report.diagnostics and not report.asked))


def _as_json(report: "NearestReport") -> dict[str, object]:
    classes = [
        {
            "name": each.name,
            "nearest": [{"path": one.path, "name": one.name, "similarity": one.similarity} for one in each.nearest],
        }
        for each in report.asked
    ]
    found: dict[str, object] = {"classes": classes}
    return {**found, "errors": as_objects(report.diagnostics)} if report.diagnostics else found


def _lines(asked: "Asked") -> Iterator[str]:
    yield asked.name
    for each in asked.nearest:
        yield f"  {each.similarity:4.0%}  {each.model}  {each.name}{_members(each)}"
    if asked.nearest and asked.nearest[0].diff:
        yield asked.nearest[0].diff.rstrip("\n")
    if not asked.nearest:
        yield "  nothing is near"


def _members(each: "Neighbour") -> str:
    parts = (("same", each.same), ("differ", each.different), ("not here", each.missing), ("new", each.new))
    listed = "; ".join(f"{what}: {', '.join(names)}" for what, names in parts if names)
    return f"  ({listed})" if listed else ""
