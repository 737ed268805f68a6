"""The command `modular where`."""

import click

from modular.cli.help import GroupedCommand
from modular.cli.options import (
    LineRange,
    conversion_options,
    read_line_range,
    text_or_json_option,
)
from modular.cli.printing import echo, echo_lines, table_columns
from modular.cli.rendering.json import attributes, line_values, print_object
from modular.cli.rendering.terminal import with_code
from modular.cli.reporting import exit_with, print_diagnostics, with_progress
from modular.provenance.where import Where, where
from modular.run.api import Options
from modular.system.printable import counted, fold


@click.command(
    "where",
    cls=GroupedCommand,
    examples={
        "modular where models/llama/modeling_llama.py:180": "List the lines generated from line 180.",
        "modular where models/llama/modeling_llama.py:180 --output-format json": "Print these lines as JSON.",
    },
)
@click.argument(
    "lines", metavar="FILE:LINE", type=click.Path(), callback=read_line_range
)
@text_or_json_option
@conversion_options
def command(lines: LineRange, options: Options, output_format: str) -> None:
    """List the generated lines, in all models, that come from a hand-written line."""
    if lines.first is None or lines.last != lines.first:
        raise click.UsageError("name one line, as FILE:LINE")
    with with_progress(options) as options:
        result = where(lines.path, lines.first, options=options)
    if output_format == "json":
        print_object(_values(result))
    else:
        _print(result)
    print_diagnostics(result.failures)
    exit_with(not result.failures)


def _values(result: Where) -> dict[str, object]:
    """Return a source line, and a list of its generated lines, as values for JSON."""
    lines = []
    for file, line in result.generated_lines:
        values = line_values(line)
        # All these lines come from the same source line. So the values have the path of
        # the generated file instead of that of the source.
        del values["origin_line"]
        values["path"] = file.path
        values["modular"] = file.modular
        values["text"] = file.texts[line.line - 1]
        lines.append(values)
    return {
        **attributes(result, "path", "line", "text"),
        "files": len(result.files),
        "lines": lines,
    }


def _print(result: Where) -> None:
    """Print a source line, and below it the generated lines that come from it.

    models/llama/modeling_llama.py:120: self.act_fn = ACT2FN[config.hidden_act]
      models/olmo/modeling_olmo.py:98  inherited  OlmoMLP.__init__
    """
    columns = table_columns()
    head = f"{result.path}:{result.line}:"
    echo_lines(with_code(head, result.text.strip(), columns))
    places = [f"{file.path}:{line.line}" for file, line in result.generated_lines]
    place_width = max(map(len, places), default=0)
    if place_width > columns // 2:
        # Aligned columns would leave no room for the names of classes.
        place_width = 0
    for place, (_, line) in zip(places, result.generated_lines, strict=True):
        owner = ".".join(name for name in (line.class_, line.member) if name)
        text = f"  {place:<{place_width}}  {line.kind.value:<9}  {owner}".rstrip()
        echo_lines(fold(text, columns, indent=" " * 6))
    if result.files:
        echo(f"it is in {counted(len(result.files), 'generated file')}")
    elif not result.failures:
        echo("it is in no generated file")
