"""`modular traceback`."""

import sys
from functools import partial
from typing import BinaryIO

import click

from modular.cli.printing import in_colour
from modular.provenance.frames import Frames, annotate


_COLOUR = "cyan"
_LONGEST = 1_000_000
"""Bytes of a line that are read at once: of a longer one, each part is passed on as if it were a line."""


@click.command("traceback")
@click.argument("output", metavar="[FILE]", type=click.File("rb"), default="-")
def command(output: BinaryIO) -> None:
    """Pass a program's output on, and put below each frame in a generated file the line to edit.

    It is read from FILE, or from standard input, as in `python train.py 2>&1 | modular traceback`.
    """
    colour = in_colour(sys.stdout)
    lines = (
        line.decode("utf-8", "surrogateescape")
        for line in iter(partial(output.readline, _LONGEST), b"")
    )
    for line in annotate(
        lines, Frames(), lambda text: click.style(text, fg=_COLOUR) if colour else text
    ):
        sys.stdout.buffer.write(line.encode("utf-8", "surrogateescape"))
        sys.stdout.buffer.flush()
