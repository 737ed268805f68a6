"""Fills in the Jinja templates of this folder."""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from modular.system.printable import counted


def render(template: str, **values: Any) -> str:
    """Return a template of this folder with values filled in.

    Args:
        template: The file name of the template, for example `graph.mermaid`.
        values: The variables of the template.
    """
    return str(_environment().get_template(template).render(values))


@cache
def _environment() -> Any:
    """Return the Jinja environment with the filters that the templates use."""
    from jinja2 import Environment, FileSystemLoader  # Few commands need it.

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["mermaid"] = _quote_for_mermaid
    environment.filters["cell"] = _escape_table_cell
    environment.filters["fenced"] = _fence_diff
    environment.filters["counted"] = counted
    return environment


def _quote_for_mermaid(text: str) -> str:
    """Return a text as a quoted label of Mermaid."""
    escaped = text.replace("#", "#35;").replace('"', "#quot;")
    return f'"{escaped}"'


def _fence_diff(lines: Sequence[str]) -> str:
    """Return the lines of a diff as a code block of Markdown.

    The fence is longer than all backticks in the lines, so that none ends the block.
    """
    text = "\n".join(lines)
    most_backticks = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, most_backticks + 1)
    return f"{fence}diff\n{text}\n{fence}"


def _escape_table_cell(text: str) -> str:
    """Return a text as the content of a cell of a Markdown table."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
