"""The command `modular blame`."""

import sys

import click

from modular.cli.help import GroupedCommand
from modular.cli.options import (
    LineRange,
    no_cache_option,
    pass_options,
    read_line_range,
    root_option,
    ruff_option,
    source_library_option,
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


@click.command(
    "blame",
    cls=GroupedCommand,
    examples={
        "modular blame models/olmo2/modeling_olmo2.py": "Show the origin of each line.",
        "modular blame --deep models/olmo2/modeling_olmo2.py:80": "Find the hand-written line that line 80 comes from.",
    },
)
@click.argument(
    "lines", metavar="FILE[:LINE[-LINE]]", type=click.Path(), callback=read_line_range
)
@click.option(
    "--deep",
    is_flag=True,
    help="If the parent file is generated, too, show the hand-written line that it comes from.",
)
@text_or_json_option
@root_option
@source_library_option
@no_cache_option
@ruff_option
@pass_options
def command(lines: LineRange, deep: bool, options: Options, output_format: str) -> None:
    """Show which source line each line of a generated file comes from.

    The first column shows where a line comes from. `own` lines come from the modular
    file, and `inherited` lines from a parent class. `merged` lines are the body of a
    parent's method, which modular writes in place of your call to `super()`. `needed`
    lines are definitions that other generated code uses. `import` lines are imports,
    and `made` lines were added by the converter or the formatter.
    """
    blamed = blame(lines.path, deep=deep, options=options)
    if lines.first is not None and lines.last is not None:
        blamed = blamed.only(lines.first, lines.last)
    if output_format == "json":
        values = attributes(blamed, "path", "modular")
        values["lines"] = [line_values(line) for line in blamed.lines]
        print_object(values)
    else:
        _print(blamed)


def _print(blamed: Blame) -> None:
    """Print each generated line after the place that it comes from, in columns.

    inherited models/llama/modeling_llama.py:120 42) self.mlp = OlmoMLP(config)
    """
    colour = in_colour(sys.stdout)

    lines = blamed.lines
    origins = []
    for line in lines:
        origin = "" if line.path is None else f"{line.path}:{line.origin_line}"
        origins.append(one_line(origin))
    origin_width = max(map(len, origins), default=0)
    number_width = len(str(lines[-1].line)) if lines else 0

    for line, origin in zip(lines, origins, strict=True):
        prefix = f"{line.kind.value:<9} {origin:<{origin_width}}"
        if colour:
            prefix = click.style(prefix, fg=_COLOURS[line.kind])
        text = one_line(blamed.texts[line.line - 1])
        row = f"{prefix} {line.line:>{number_width}}) {text}".rstrip()
        echo_painted(f"{row}\n", colour=colour, err=False)
