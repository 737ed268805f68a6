"""Prints all text of the command line, with control characters replaced.

File names, settings, sources and messages of other programs may contain characters that
move a terminal's cursor, change its colours or reverse the direction of writing. They
are printed as U+FFFD.
"""

import os
import re
from collections.abc import Iterable
from shutil import get_terminal_size
from typing import Any, TextIO

import click

from modular.system.printable import REPLACEMENT, clean


_WORKFLOW_COMMAND = re.compile(r"^([^\S\n]*)(?=::)|(?<=##)(?=\w*\[)", re.MULTILINE)
"""The place in a line at which GitHub Actions would recognize a workflow command."""


def in_colour(stream: TextIO) -> bool:
    """Return whether a stream is a terminal, and `NO_COLOR` is not set."""
    return stream.isatty() and not os.environ.get("NO_COLOR")


def terminal_columns(stream: TextIO) -> int | None:
    """Return the width of the terminal that a stream writes to, or None for a file or pipe.

    The environment variable `COLUMNS` overrides the width.
    """
    return get_terminal_size().columns if stream.isatty() else None


def table_columns() -> int:
    """Return the width of tables: that of the terminal, or 80 in a file or pipe.

    The environment variable `COLUMNS` overrides the width.
    """
    return get_terminal_size().columns


class UnwritableOutputError(OSError):
    """Standard output or standard error cannot be written."""


def echo(text: object = "", *, err: bool = False, nl: bool = True) -> None:
    """Print a text without control characters and without GitHub's workflow commands.

    Texts can come from a stranger's project, whose names could control the terminal.

    Args:
        text: The text.
        err: Whether it is printed on standard error.
        nl: Whether a line break is added.
    """
    _print(hide_commands(clean(str(text))), nl=nl, err=err)


def _print(text: str, **options: Any) -> None:
    """Print a text as `click.echo` does.

    Raises:
        BrokenPipeError: The reader of the output has ended.
        UnwritableOutputError: The output cannot be written for another reason.
    """
    try:
        click.echo(text, **options)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise UnwritableOutputError(error.errno, error.strerror) from error


def hide_commands(text: str) -> str:
    """Return a text in which GitHub Actions sees no workflow command.

    A line such as `::add-mask::x` in the output of a job is a command. Outside of
    GitHub Actions, the text is unchanged.
    """
    if os.environ.get("GITHUB_ACTIONS"):
        return _WORKFLOW_COMMAND.sub(rf"\1{REPLACEMENT}", text)
    return text


def echo_lines(lines: Iterable[object], *, err: bool = False) -> None:
    """Print each value on a line, as `echo` does."""
    echo("".join(f"{line}\n" for line in lines), nl=False, err=err)


def echo_commands(text: str) -> None:
    """Print workflow commands, which the caller has escaped."""
    _print(clean(text), nl=False)


def echo_json(text: str) -> None:
    """Print ASCII-only JSON. `##` is escaped, because it can begin a workflow command."""
    _print(text.replace("##", "#\\u0023"), nl=False)


def erase_line() -> None:
    """Erase the progress bar from the terminal, and show the cursor that it hid."""
    _print("\r\x1b[2K\x1b[?25h", nl=False, err=True)


def echo_painted(text: str, *, colour: bool, err: bool = True) -> None:
    """Print a text that may have colour codes.

    Args:
        text: The text. With colours, it must have no other control characters.
        colour: Whether to keep the colour codes.
        err: Whether it is printed on standard error.
    """
    if colour:
        _print(text, nl=False, err=err, color=True)
    else:
        echo(text, nl=False, err=err)
