"""Commands whose help has headings and examples."""

from collections.abc import Mapping
from typing import Any

import click


_MAX_EXAMPLE_COLUMNS = 46
"""The longest example that is followed by its description on the same line."""

_GROUPS = {
    "Models and files": (
        "root",
        "output",
        "source_library",
        "since",
        "affected_by",
    ),
    "Findings": ("strict", "warnings", "baseline", "write_baseline"),
    "Report": ("output_format", "diff", "full", "quiet", "verbose"),
    "Execution": ("jobs", "no_cache", "ruff"),
}
"""Headings of the help, with the options below each; all others come first."""


class GroupedCommand(click.Command):
    """A command whose help lists its options below headings, and ends with examples.

    Attributes:
        examples: Command lines, each with what it does.
    """

    def __init__(self, *args: Any, examples: Mapping[str, str], **kwargs: Any) -> None:
        """Create a command with click's arguments and some examples."""
        super().__init__(*args, **kwargs)
        self.examples = examples

    def format_options(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Write the help of the options: ungrouped ones first, then group by group."""
        rows = {}
        for param in self.get_params(ctx):
            row = param.get_help_record(ctx)
            if row is not None and isinstance(param, click.Option):
                rows[param.name] = row

        grouped_rows = []
        for heading, names in _GROUPS.items():
            rows_of_group = [rows.pop(name) for name in names if name in rows]
            grouped_rows.append((heading, rows_of_group))
        ungrouped_rows = list(rows.values())
        for heading, rows_below in [("Options", ungrouped_rows), *grouped_rows]:
            if rows_below:
                with formatter.section(heading):
                    formatter.write_dl(rows_below)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples."""
        with formatter.section("Examples"):
            rows = list(self.examples.items())
            formatter.write_dl(rows, col_max=_MAX_EXAMPLE_COLUMNS)
