"""Lines of files on the command line: `FILE`, `FILE:LINE` and `FILE:LINE-LINE`."""

import re
from dataclasses import dataclass

import click


_LINES = re.compile(r"(?P<path>.+?)(?::(?P<first>\d{1,9})(?:-(?P<last>\d{1,9}))?)?")


@dataclass(frozen=True, slots=True)
class LineRange:
    """A file and the lines of it (from 1) that are meant; None: all."""

    path: str
    first: int | None
    last: int | None


def read_line_range(ctx: click.Context, param: click.Parameter, value: str) -> LineRange:
    """Read `FILE[:LINE[-LINE]]`."""
    match = _LINES.fullmatch(value)
    if match is None:
        raise click.BadParameter("it is empty")
    first = None if match["first"] is None else int(match["first"])
    return LineRange(match["path"], first, first if match["last"] is None else int(match["last"]))
