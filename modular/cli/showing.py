"""What the command line asks to see of a report."""

from dataclasses import dataclass, fields
from typing import Any

import click

from modular.cli.rendering import FORMATS
from modular.cli.suggesting import NearChoice


@dataclass(frozen=True, slots=True)
class Shown:
    """How a report is printed; the fields are the options of these names."""

    output_format: str
    warnings: bool
    full: bool
    stat: bool
    quiet: bool
    verbose: bool


SHOWING_OPTIONS = (
    click.option("--output-format", type=NearChoice(FORMATS), default="text", help="Format of the report."),
    click.option("--warnings", is_flag=True, help="Show all warnings, even if there are many."),
    click.option("--full", is_flag=True, help="Show the diff of each file instead of one per cause."),
    click.option("--stat", is_flag=True, help="Show the number of changed lines per file."),
    click.option("--quiet", "-q", is_flag=True, help="Show errors only."),
    click.option(
        "--verbose", "-v", is_flag=True, help="Show all warnings, all stale parents, and the status of each file."
    ),
)
"""Options of all commands that print reports."""


def take_shown(values: dict[str, Any]) -> Shown:
    """Take what these options were given out of the values of all options."""
    return Shown(*(values.pop(field.name) for field in fields(Shown)))
