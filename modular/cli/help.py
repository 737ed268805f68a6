"""Commands whose help has headings and examples."""

from collections.abc import Iterable, Mapping
from textwrap import wrap
from typing import Any

import click


_COLUMN_GAP = 2
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


class HelpFormatter(click.HelpFormatter):
    """Writes the help of a command.

    Lines are only broken between words: `--source-library` stays on one line.
    """

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """Write how a command is called, such as `Usage: modular check [TARGET]...`."""
        title = "Usage:" if prefix is None else prefix.rstrip()
        indent = len(f"{title} {prog} ")
        first_line, *other_lines = _wrap(args, self.width - indent)
        self.write(f"{title} {prog} {first_line}\n")
        for line in other_lines:
            self.write(f"{'':>{indent}}{line}\n")

    def write_text(self, text: str) -> None:
        """Write paragraphs, which blank lines separate, wrapped to the width."""
        paragraphs = text.split("\n\n")
        for index, paragraph in enumerate(paragraphs):
            if index:
                self.write_paragraph()
            for line in _wrap(paragraph, self.width - self.current_indent):
                self.write(f"{'':>{self.current_indent}}{line}\n")

    def write_dl(
        self,
        rows: Iterable[tuple[str, str]],
        col_max: int = 30,
        col_spacing: int = _COLUMN_GAP,
    ) -> None:
        """Write terms and, beside them, their descriptions.

        Args:
            rows: The terms and descriptions.
            col_max: The width up to which a term is followed by its description on the
                same line.
            col_spacing: The blanks between the columns.
        """
        rows = list(rows)
        longest_term = max(len(term) for term, _ in rows)
        column_width = min(longest_term, col_max) + col_spacing
        description_width = self.width - self.current_indent - column_width
        indent = " " * self.current_indent
        for term, description in rows:
            lines = _wrap(description, description_width)
            if len(term) <= col_max:
                gap = " " * (column_width - len(term))
                self.write(f"{indent}{term}{gap}{lines.pop(0)}\n")
            else:
                # The whole description is below the term.
                self.write(f"{indent}{term}\n")
            for line in lines:
                self.write(f"{indent}{' ' * column_width}{line}\n")


def _wrap(text: str, width: int) -> list[str]:
    """Break a text into lines between words; a text without words is one blank line."""
    lines = wrap(text, max(width, 1), break_long_words=False, break_on_hyphens=False)
    return lines or [""]


class Context(click.Context):
    """The context of a command."""

    formatter_class = HelpFormatter


class GroupedCommand(click.Command):
    """A command whose help lists its options below headings, and ends with examples.

    Attributes:
        examples: Command lines, each with what it does.
    """

    context_class = Context

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
