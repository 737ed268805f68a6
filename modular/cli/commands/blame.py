"""`modular blame`."""

import sys

import click

from modular.cli.options import (
    GroupedCommand,
    LineRange,
    pass_options,
    read_line_range,
    root_option,
    text_or_json_option,
)
from modular.cli.printing import echo_painted, in_colour
from modular.cli.rendering.json import attributes, line_values, print_object
from modular.provenance.blame import Blame, blame
from modular.rules.files.drafts import Provenance
from modular.run.api import Options
from modular.system.printable import one_line


_COLOURS = {
    Provenance.OWN: "green",
    Provenance.INHERITED: "cyan",
    Provenance.MERGED: "yellow",
    Provenance.NEEDED: "blue",
    Provenance.IMPORT: "magenta",
    Provenance.MADE: "bright_black",
}


@click.command("blame", cls=GroupedCommand)
@click.argument(
    "lines", metavar="FILE[:LINE[-LINE]]", type=click.Path(), callback=read_line_range
)
@click.option(
    "--deep",
    is_flag=True,
    help="Follow parents that are generated to the first line written by hand.",
)
@text_or_json_option
@root_option
@pass_options
def command(lines: LineRange, deep: bool, options: Options, output_format: str) -> None:
    """Show for each line of a generated file which line it comes from, and how.

    `own` lines are the modular file's, `inherited` ones the parent's, `merged` ones the parent's where a call of `super()` was
    replaced by its body; `needed` are dependencies, `import` imports, and `made` is what the converter or formatter added.
    """
    blamed = blame(lines.path, root=options.root, deep=deep)
    if lines.first is not None and lines.last is not None:
        blamed = blamed.only(lines.first, lines.last)
    if output_format == "json":
        print_object(
            {
                **attributes(blamed, "path", "modular"),
                "lines": list(map(line_values, blamed.lines)),
            }
        )
    else:
        _print(blamed)


def _print(blamed: Blame) -> None:
    colour = in_colour(sys.stdout)
    places = (
        "" if line.path is None else f"{line.path}:{line.origin_line}"
        for line in blamed.lines
    )
    origins = list(map(one_line, places))
    width = max(map(len, origins), default=0)
    digits = len(str(blamed.lines[-1].line)) if blamed.lines else 0
    for line, origin in zip(blamed.lines, origins, strict=True):
        before = f"{line.kind.value:<9} {origin:<{width}}"
        before = click.style(before, fg=_COLOURS[line.kind]) if colour else before
        text = f"{before} {line.line:>{digits}}) {one_line(blamed.texts[line.line - 1])}".rstrip()
        echo_painted(f"{text}\n", colour=colour, err=False)
