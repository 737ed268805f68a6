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

        Model     Lines
        ───────────────
        llama     1,024

        1 model   1,024

    Args:
        header: The titles of the columns.
        rows: The cells of each row; numbers get thousands separators.
        footer: The cells of the last row; it may have fewer cells than the header.
    """
    header_cells = _format_cells(header)
    row_cells = [_format_cells(row) for row in rows]
    footer_cells = _format_cells(footer)
    missing_cells = len(header_cells) - len(footer_cells)
    footer_cells += [""] * missing_cells

    widths = [len(title) for title in header_cells]
    for cells in [*row_cells, footer_cells]:
        for column, cell in enumerate(cells):
            widths[column] = max(widths[column], len(cell))
    gap_width = len(_GAP) * (len(widths) - 1)
    rule = "─" * (sum(widths) + gap_width)

    lines = [_align(header_cells, widths), rule]
    lines += [_align(cells, widths) for cells in row_cells]
    lines += ["", _align(footer_cells, widths)]
    echo_lines(lines)


def _format_cells(row: Sequence[int | str]) -> list[str]:
    """Return the texts of a row's cells, such as `1,024` for a number."""
    cells = []
    for cell in row:
        cells.append(f"{cell:,}" if isinstance(cell, int) else one_line(cell))
    return cells


def _align(cells: Sequence[str], widths: Sequence[int]) -> str:
    """Return the line of a row: its first cell on the left, the others on the right."""
    aligned = [cells[0].ljust(widths[0])]
    for cell, width in zip(cells[1:], widths[1:], strict=True):
        aligned.append(cell.rjust(width))
    return _GAP.join(aligned).rstrip()
