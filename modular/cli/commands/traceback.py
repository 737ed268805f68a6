"""The command `modular traceback`."""

import sys
from collections.abc import Iterator
from typing import BinaryIO

import click

from modular.cli.printing import in_colour
from modular.provenance.frames import Frames, annotate


_COLOUR = "cyan"
_MAX_LINE_BYTES = 1_000_000
"""Bytes of a line that are read at once; the rest counts as further lines."""


@click.command("traceback")
@click.argument("output", metavar="[FILE]", type=click.File("rb"), default="-")
def command(output: BinaryIO) -> None:
    """Copy a program's output, and add the line to edit below each generated frame.

    The output is read from FILE or from standard input, as in
    `python train.py 2>&1 | modular traceback`.
    """
    colour = in_colour(sys.stdout)

    def paint(text: str) -> str:
        return click.style(text, fg=_COLOUR) if colour else text

    for line in annotate(_read_lines(output), Frames(), paint):
        sys.stdout.buffer.write(line.encode("utf-8", "surrogateescape"))
        sys.stdout.buffer.flush()


def _read_lines(output: BinaryIO) -> Iterator[str]:
    while line := output.readline(_MAX_LINE_BYTES):
        yield line.decode("utf-8", "surrogateescape")
