"""Everything that is printed: the one place where it is made sure that no text controls what shows it.

File names, settings, sources and the words of other programs are a stranger's. Characters that move a terminal's cursor,
change its colours or turn the direction of writing are shown as U+FFFD.
"""

import os
import re
from collections.abc import Iterable
from typing import TextIO

import click

from modular.system.printable import REPLACEMENT, clean


_COMMAND = re.compile(r"^([^\S\n]*)(?=::)|(?<=##)(?=\w*\[)", re.MULTILINE)
"""Where a line begins a command of the service that runs a workflow, or holds one."""


def in_colour(stream: TextIO) -> bool:
    """Whether a stream is a terminal that shows colours, and `NO_COLOR` does not forbid it."""
    return stream.isatty() and not os.environ.get("NO_COLOR")


def echo(text: object = "", *, err: bool = False, nl: bool = True) -> None:
    """Print a text, cleaned. In a workflow no line of it is a command."""
    cleaned = clean(str(text))
    if os.environ.get("GITHUB_ACTIONS"):
        cleaned = _COMMAND.sub(rf"\1{REPLACEMENT}", cleaned)
    click.echo(cleaned, nl=nl, err=err)


def echo_lines(lines: Iterable[object], *, err: bool = False) -> None:
    """Print texts, cleaned, each with a line end."""
    echo("".join(f"{line}\n" for line in lines), nl=False, err=err)


def echo_commands(text: str) -> None:
    """Print commands of a workflow, which their renderer has escaped."""
    click.echo(clean(text), nl=False)


def echo_json(text: str) -> None:
    """Print JSON, which has nothing but ASCII in it: it says the same afterwards."""
    click.echo(text.replace("##", "#\\u0023"), nl=False)


def erase_line() -> None:
    """Take what was shown of a run's progress off the terminal, and show its cursor, which click's progress bar hides."""
    click.echo("\r\x1b[2K\x1b[?25h", nl=False, err=True)


def echo_painted(text: str, *, colour: bool, err: bool = True) -> None:
    """Print what was rendered from cleaned texts, with colours that are our own."""
    if colour:
        click.echo(text, nl=False, err=err, color=True)
    else:
        echo(text, nl=False, err=err)
