"""Renders the Markdown of a rule's page for a terminal."""

import re
from textwrap import wrap

from modular.cli.rendering.terminal import BLUE, BOLD, Paint, plain


_FENCE = "```"
_CODE_INDENT = "    "
_LIST_MARK = re.compile(r"(?:-|\d+\.) ")
_STRONG = re.compile(r"\*\*(.+?)\*\*", re.DOTALL)
_INLINE_CODE = re.compile(r"`([^`]+)`")
_LINK = re.compile(r"\[([^]]+)\]\([^)]+\)")


def render_markdown(text: str, columns: int, paint: Paint) -> str:
    """Return Markdown as text for a terminal.

    Headings are bold, paragraphs and list items are wrapped, and code is indented.

    Args:
        text: The Markdown: headings, paragraphs, lists and fenced code.
        columns: The width of the terminal.
        paint: Applies styles. Without colours, inline code keeps its backticks.
    """
    blocks = []
    # Fences separate text and code, so that every second section is code.
    for index, section in enumerate(re.split(rf"(?m)^{_FENCE}", text)):
        is_code = index % 2 == 1
        if is_code:
            # The first line is the language, such as `python`.
            code = section.partition("\n")[2].rstrip("\n")
            blocks.append(_indent(code))
            continue
        for block in section.split("\n\n"):
            if block.strip():
                blocks.append(_render_block(block.strip("\n"), columns, paint))
    return "\n\n".join(blocks) + "\n"


def _indent(code: str) -> str:
    """Indent the lines of code."""
    lines = [f"{_CODE_INDENT}{line}".rstrip() for line in code.split("\n")]
    return "\n".join(lines)


def _render_block(block: str, columns: int, paint: Paint) -> str:
    """Return a heading, a paragraph or a list, with styles instead of Markdown's marks."""
    if block.startswith("#"):
        return paint(block.lstrip("#").strip(), BOLD)

    paragraphs: list[str] = []
    for line in block.split("\n"):
        if _LIST_MARK.match(line) or not paragraphs:
            paragraphs.append(line)
        else:
            paragraphs[-1] += f" {line.strip()}"

    lines = []
    for paragraph in paragraphs:
        paragraph = _LINK.sub(r"\1", paragraph)
        mark = _LIST_MARK.match(paragraph)
        indent = " " * len(mark[0]) if mark else ""
        lines += wrap(
            paragraph,
            columns,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
    # Styles are applied after wrapping, because their codes have no width.
    wrapped_text = "\n".join(lines)
    painted = _STRONG.sub(lambda match: paint(match[1], BOLD), wrapped_text)
    if paint is plain:
        return painted
    return _INLINE_CODE.sub(lambda match: paint(match[1], BLUE), painted)
