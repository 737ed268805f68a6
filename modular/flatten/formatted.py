"""The result of formatting: texts, syntax errors and undefined names."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, NamedTuple


class Failure(NamedTuple):
    """A syntax error that the formatter found.

    Attributes:
        path: The file's path relative to the root.
        line: The line in the unformatted text, from 1.
        column: The column in characters, from 1.
        message: The formatter's message.
    """

    path: str
    line: int
    column: int
    message: str


class Undefined(NamedTuple):
    """A name that a file uses but does not define.

    Attributes:
        path: The file's path relative to the root.
        line: The line in the unformatted text, from 1.
        name: The name.
    """

    path: str
    line: int
    name: str


@dataclass(eq=False)
class Formatted:
    """The result of formatting some files.

    Attributes:
        texts: The formatted texts by path. Files with syntax errors are not included.
        failures: The syntax errors.
        undefined: The undefined names in the unformatted texts.
        modules: For each path the first-party modules that import sorting looked up:
            the suffix of each module (empty for a folder, None if it does not exist) by
            its path without suffix.
    """

    texts: Final[Mapping[str, str]]
    failures: Final[tuple[Failure, ...]] = ()
    undefined: Final[tuple[Undefined, ...]] = ()
    modules: Final[Mapping[str, Mapping[str, str | None]]] = field(default_factory=dict)

    @cached_property
    def undefined_by_path(self) -> Mapping[str, Sequence[Undefined]]:
        """The undefined names of each file that has any, by path."""
        undefined: dict[str, list[Undefined]] = {}
        for name in self.undefined:
            undefined.setdefault(name.path, []).append(name)
        return undefined

    @cached_property
    def complaints(self) -> frozenset[str]:
        """The paths of the files with syntax errors or undefined names."""
        paths = {failure.path for failure in self.failures}
        paths.update(name.path for name in self.undefined)
        return frozenset(paths)
