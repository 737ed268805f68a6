"""The lines of a file as rows of a page, in blocks that a browser lays out only when they are seen."""

from collections.abc import Callable, Iterator
from html import escape

from modular.review import highlighting
from modular.review.differences import Difference


BLOCK = 50
"""Rows in a block. The style sheet knows how high a block of so many rows is."""


def rows(
    name: str, text: str, old: str, changes: Difference, classes: Callable[[int], str] = lambda number: ""
) -> str:
    """Return the blocks of a file's rows as HTML.

    ``name`` is what the rows' identifiers begin with, as in `modeling_x.py-L12`. ``old`` is the older text, of which the
    lines that are gone are shown. ``classes`` gives the classes of a row for its line's number, from 1.
    """
    lines = highlighting.lines(text)
    older = highlighting.lines(old) if changes.gone else []
    quoted = escape(highlighting.visible(name))
    blocks = (
        "".join(_block(quoted, lines, older, changes, classes, first)) for first in range(0, len(lines) + 1, BLOCK)
    )
    return "".join(f'<div class="block">{block}</div>\n' for block in blocks if block)


def _block(
    name: str,
    lines: list[str],
    older: list[str],
    changes: Difference,
    classes: Callable[[int], str],
    first: int,
) -> Iterator[str]:
    for number in range(first + 1, min(first + BLOCK, len(lines)) + 1):
        yield from _gone(older, changes, number)
        names = f"{classes(number)} new".strip() if number in changes.new else classes(number)
        yield f'<div id="{name}-L{number}" class="{names}"><i>{number}</i>{lines[number - 1]}\n</div>'
    if first + BLOCK > len(lines):
        yield from _gone(older, changes, len(lines) + 1)


def _gone(older: list[str], changes: Difference, number: int) -> Iterator[str]:
    if number in changes.gone:
        start, end = changes.gone[number]
        for line in older[start - 1 : end]:
            yield f'<div class="gone"><i></i>{line}\n</div>'
