"""Prints tables: columns of text on the left, and columns of numbers."""

from collections.abc import Sequence

from modular.cli.printing import echo_lines
from modular.system.printable import one_line


_GAP = "   "


def print_table(
    header: Sequence[str],
    rows: Sequence[Sequence[int | str]],
    footer: Sequence[int | str],
    *,
    text_columns: int = 1,
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
        text_columns: The number of columns that are aligned on the left.
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

    lines = [_align(header_cells, widths, text_columns), rule]
    lines += [_align(cells, widths, text_columns) for cells in row_cells]
    lines += ["", _align(footer_cells, widths, text_columns)]
    echo_lines(lines)


def _format_cells(row: Sequence[int | str]) -> list[str]:
    """Return the texts of a row's cells, such as `1,024` for a number."""
    cells = []
    for cell in row:
        cells.append(f"{cell:,}" if isinstance(cell, int) else one_line(cell))
    return cells


def _align(cells: Sequence[str], widths: Sequence[int], text_columns: int) -> str:
    """Return the line of a row: its texts on the left, and numbers on the right."""
    aligned = []
    for column, (cell, width) in enumerate(zip(cells, widths, strict=True)):
        is_text = column < text_columns
        aligned.append(cell.ljust(width) if is_text else cell.rjust(width))
    return _GAP.join(aligned).rstrip()
