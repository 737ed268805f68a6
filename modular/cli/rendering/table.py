"""Prints tables whose first column is text and whose other columns are numbers."""

from collections.abc import Sequence

from modular.cli.printing import echo_lines
from modular.system.printable import one_line


_GAP = "   "


def print_table(
    header: Sequence[str],
    rows: Sequence[Sequence[int | str]],
    footer: Sequence[int | str],
) -> None:
    """Print aligned rows below a header and above a footer.

    Args:
        header: The titles of the columns.
        rows: The cells of each row; numbers get thousands separators.
        footer: The cells of the last row; it may have fewer cells than the header.
    """
    head, *body, foot = [_format_cells(row) for row in (header, *rows, footer)]
    foot += [""] * (len(head) - len(foot))
    widths = []
    for column in zip(head, *body, foot, strict=True):
        widths.append(max(len(cell) for cell in column))

    rule = "─" * (sum(widths) + len(_GAP) * (len(widths) - 1))
    lines = [_align(row, widths) for row in (head, *body, foot)]
    echo_lines([lines[0], rule, *lines[1:-1], "", lines[-1]])


def _format_cells(row: Sequence[int | str]) -> list[str]:
    cells = []
    for cell in row:
        cells.append(f"{cell:,}" if isinstance(cell, int) else one_line(cell))
    return cells


def _align(cells: Sequence[str], widths: Sequence[int]) -> str:
    aligned = [cells[0].ljust(widths[0])]
    for cell, width in zip(cells[1:], widths[1:], strict=True):
        aligned.append(cell.rjust(width))
    return _GAP.join(aligned).rstrip()
