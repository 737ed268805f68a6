"""`modular where`."""

from pathlib import Path

import click

from modular.cli.line_ranges import LineRange, read_line_range
from modular.cli.options import OUTPUT_FORMAT, ROOT, GroupedCommand
from modular.cli.printing import echo, echo_object
from modular.cli.reporting import run_with_progress
from modular.provenance.where import Where, where
from modular.run.api import Options


@click.command("where", cls=GroupedCommand)
@click.argument("lines", metavar="FILE:LINE", callback=read_line_range)
@ROOT
@OUTPUT_FORMAT
def command(lines: LineRange, root: Path | None, output_format: str) -> None:
    """Show the generated lines, in all models, that come from a line of a modular or hand-written file."""
    line = lines.first
    if line is None or lines.last != line:
        raise click.UsageError("name one line, as FILE:LINE")
    found = run_with_progress(
        lambda options: where(lines.path, line, root=root, progress=options.progress), Options(root=root)
    )
    if output_format == "json":
        echo_object(found.as_json())
    else:
        _print(found)


def _print(found: Where) -> None:
    echo(f"{found.path}:{found.line}: {found.text.strip()}".rstrip())
    places = [f"{file.path}:{line.line}" for file, line in found.found]
    width = max(map(len, places), default=0)
    for place, (_, line) in zip(places, found.found, strict=True):
        owner = ".".join(filter(None, (line.class_, line.member)))
        echo(f"  {place:<{width}}  {line.kind.value:<9}  {owner}".rstrip())
    files = len(found.files)
    echo("it is in no generated file" if not files else f"it is in {files} generated file{'s' * (files > 1)}")
