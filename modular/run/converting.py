"""What a process does that converts models for another one."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Protocol

from modular.conversion.converter import Converter
from modular.project.project import Project
from modular.source.machine import collect_rarely


Initial = tuple[Project, Mapping[str, str]]
"""What a converter is made of: the project and the fresh texts."""

_FEW_LOOKS = 1_000_000
"""Objects between two looks for garbage where nobody waits for a single model."""


class Channel(Protocol):
    """A connection to another process that takes and gives objects."""

    def send(self, obj: Any, /) -> None:
        """Send an object. Raises OSError if nobody is there."""

    def recv(self) -> Any:
        """Wait for an object. Raises EOFError or OSError if nobody is there."""

    def close(self) -> None:
        """Hang up."""


def start_converter(initial: Initial) -> Converter:
    """Make the converter of a process."""
    collect_rarely()
    return Converter(*initial)


def serve(channel: Channel, initial: Initial | None = None, copied: Sequence[Channel] = ()) -> None:
    """Convert what comes in until nothing comes any more; what the converter is made of comes first, if it is not given.

    ``copied`` are the other ends of channels that a fork has copied. While they are open here, nobody here would see that
    the process at them was killed.
    """
    for each in copied:
        each.close()
    collect_rarely(_FEW_LOOKS)
    with suppress(EOFError, OSError, KeyboardInterrupt):
        converter = Converter(*(initial or channel.recv()))
        while True:
            fresh, chunk = channel.recv()
            for path, text in fresh:
                converter.refresh(path, text)
            channel.send([converter.convert(modular).packed() for modular in chunk])
