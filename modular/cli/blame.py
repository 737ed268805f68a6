"""`modular blame`."""

import sys
from pathlib import Path

import click

from modular.cli.line_ranges import LineRange, read_line_range
from modular.cli.options import OUTPUT_FORMAT, ROOT, GroupedCommand
from modular.cli.printing import echo_object, echo_painted, in_colour, one_line
from modular.cli.reporting import run
from modular.provenance.blame import Blame, BlamedLine, blame
from modular.rules.drafts import Way


_COLOURS = {
    Way.OWN: "green",
    Way.INHERITED: "cyan",
    Way.MERGED: "yellow",
    Way.NEEDED: "blue",
    Way.IMPORT: "magenta",
    Way.MADE: "bright_black",
}


@click.command("blame", cls=GroupedCommand)
@click.argument("lines", metavar="FILE[:LINE[-LINE]]", callback=read_line_range)
@click.option("--deep", is_flag=True, help="Follow parents that are generated to the first line written by hand.")
@ROOT
@OUTPUT_FORMAT
def command(lines: LineRange, deep: bool, root: Path | None, output_format: str) -> None:
    """Show for each line of a generated file which line it comes from, and how.

    `own` is the modular file's, `inherited` its parent's, `merged` the parent's in a body that `super()` stands for,
    `needed` what something else uses, `import` an import; `made` is what the converter or the formatter added.
    """
    found = run(lambda: _blame(lines, deep, root))
    if output_format == "json":
        echo_object(found.as_json())
    else:
        _print(found)


def _blame(lines: LineRange, deep: bool, root: Path | None) -> Blame:
    found = blame(lines.path, root=root, deep=deep)
    return found if lines.first is None or lines.last is None else found.only(lines.first, lines.last)


def _print(found: Blame) -> None:
    colour = in_colour(sys.stdout)
    origins = [one_line(_origin(line)) for line in found.lines]
    width = max(map(len, origins), default=0)
    digits = len(str(found.lines[-1].line)) if found.lines else 0
    for line, origin in zip(found.lines, origins, strict=True):
        before = f"{line.kind.value:<9} {origin:<{width}}"
        before = click.style(before, fg=_COLOURS[line.kind]) if colour else before
        text = f"{before} {line.line:>{digits}}) {one_line(found.texts[line.line - 1])}".rstrip()
        echo_painted(f"{text}\n", colour=colour, err=False)


def _origin(line: BlamedLine) -> str:
    return "" if line.path is None else f"{line.path}:{line.origin_line}"
