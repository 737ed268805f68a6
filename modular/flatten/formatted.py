"""What a formatter made of texts, and what it found in them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, NamedTuple


class Failure(NamedTuple):
    """A file that the formatter could not read: where it stopped, in the unformatted text, and why."""

    path: str
    line: int
    column: int
    message: str


class Undefined(NamedTuple):
    """A name that a file uses but does not define, and where in the unformatted text."""

    path: str
    line: int
    name: str


@dataclass(eq=False)
class Formatted:
    """The formatted texts by path, what could not be formatted, and which names are undefined in the texts.

    ``modules`` says by the path of each text what the sorting of its imports found in the project: suffixes of modules by
    their paths without them, None for one that is not there.
    """

    texts: Final[Mapping[str, str]]
    failures: Final[tuple[Failure, ...]] = ()
    undefined: Final[tuple[Undefined, ...]] = ()
    modules: Final[Mapping[str, Mapping[str, str | None]]] = field(default_factory=dict)

    @cached_property
    def complaints(self) -> frozenset[str]:
        """The paths of the texts in which something was found."""
        return frozenset(failure.path for failure in self.failures) | frozenset(
            name.path for name in self.undefined
        )
