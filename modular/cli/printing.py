"""Everything that is printed: the one place where it is made sure that no text controls what shows it.

File names, settings, sources and the words of other programs are a stranger's. Characters that move a terminal's cursor,
change its colours or turn the direction of writing are shown as U+FFFD.
"""

import os
import re
from typing import TextIO
from unicodedata import category

import click


_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_CONTROLLING = ("Cc", "Cf", "Cs", "Zl", "Zp")
_HARMLESS = "\N{ZERO WIDTH JOINER}\N{ZERO WIDTH NON-JOINER}"
"""Characters of these kinds that scripts and emoji are written with."""

_COMMAND = re.compile(r"^([^\S\n]*)(?=::)|(?<=##)(?=\w*\[)", re.MULTILINE)
"""Where a line begins a command of the service that runs a workflow, or holds one."""


def clean(text: str, keep: str = "\n\t") -> str:
    """Return a text without characters that control, but those to keep; line ends of Windows are kept with line ends."""
    if "\n" in keep:
        return "\n".join(_clean(line, keep) for line in text.split("\n"))
    return _clean(text, keep)


def _clean(line: str, keep: str) -> str:
    if line.isprintable():
        return line
    end = "\r" if "\n" in keep and line.endswith("\r") else ""
    line = line.removesuffix(end)
    return "".join(letter if letter in keep or not _controls(letter) else _REPLACEMENT for letter in line) + end


def _controls(letter: str) -> bool:
    return category(letter) in _CONTROLLING and letter not in _HARMLESS


def one_line(text: str) -> str:
    """Return a text cleaned, and in one line."""
    return clean(text, "\t")


def counted(number: int, what: str) -> str:
    """Return a number with what it counts: `1 model`, `2 models`."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def in_colour(stream: TextIO) -> bool:
    """Whether a stream is a terminal that shows colours, and `NO_COLOR` does not forbid it."""
    return stream.isatty() and not os.environ.get("NO_COLOR")


def echo(text: object = "", *, err: bool = False, nl: bool = True) -> None:
    """Print a text, cleaned. In a workflow no line of it is a command."""
    cleaned = clean(str(text))
    if os.environ.get("GITHUB_ACTIONS"):
        cleaned = _COMMAND.sub(rf"\1{_REPLACEMENT}", cleaned)
    click.echo(cleaned, nl=nl, err=err)


def echo_commands(text: str) -> None:
    """Print commands of a workflow, which their renderer has escaped."""
    click.echo(clean(text), nl=False)


def echo_json(text: str) -> None:
    """Print JSON, which has nothing but ASCII in it: it says the same afterwards."""
    click.echo(text.replace("\x7f", "\\u007f").replace("##", "#\\u0023"), nl=False)


def echo_painted(text: str, *, colour: bool, err: bool = True) -> None:
    """Print what was rendered from cleaned texts, with colours that are our own."""
    if colour:
        click.echo(text, nl=False, err=err, color=True)
    else:
        echo(text, nl=False, err=err)
