"""Groups changes of generated files by cause, so that a change in 41 models appears once.

A cause is a member of a class, or another statement, in a hand-written file. The
origins of the changed lines tell which one.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING

from modular.effects.changes import Change, Key, find_changes
from modular.project.project import model_name
from modular.source.diagnostics import Place
from modular.system.printable import counted


if TYPE_CHECKING:
    from modular.provenance.blame import Blamer
    from modular.run.options import Progress
    from modular.run.report import FileReport

_MAX_SHOWN_LINES = 40
"""Number of lines that are shown of a change."""

_MODELS_WIDTH = 100
"""Width in columns of the list of models."""


@dataclass(frozen=True)
class Cause:
    """Changes that differ only in the names of their models, sorted by path."""

    changes: tuple[Change, ...]

    @property
    def place(self) -> Place | None:
        """The hand-written line that the changed lines come from, if known."""
        return self.changes[0].place

    @property
    def files(self) -> tuple[str, ...]:
        """The paths of the generated files that change."""
        return tuple(dict.fromkeys(change.path for change in self.changes))

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the models that change, sorted."""
        return tuple(sorted({model_name(change.modular) for change in self.changes}))

    @property
    def title(self) -> str:
        """The name of the changed member, for example `LlamaMLP.forward`."""
        return ".".join(filter(None, self.changes[0].owner)) or "module level"

    @property
    def added(self) -> int:
        """The number of added lines in all files together."""
        return self._count_lines("+")

    @property
    def removed(self) -> int:
        """The number of removed lines in all files together."""
        return self._count_lines("-")

    def _count_lines(self, sign: str) -> int:
        count = 0
        for change in self.changes:
            count += sum(line.startswith(sign) for line in change.lines)
        return count

    def lines(self) -> Iterator[str]:
        """Yield the report: a heading, the models, and the diff of the first file.

        The other files change in the same way, so their diffs are left out.
        """
        first = self.changes[0]
        origin = self.place or first
        files = counted(len(self.files), "file")
        yield (
            f"--- {self.title}, {origin.path}:{origin.line}: {files}, "
            f"+{self.added} -{self.removed}"
        )
        if len(self.files) > 1:
            models = f"{counted(len(self.models), 'model')}: {', '.join(self.models)}"
            indent = "    "
            yield from wrap(
                models,
                _MODELS_WIDTH,
                initial_indent=indent,
                subsequent_indent=indent,
            )
        yield f"@@ {first.path}:{first.line} @@"
        yield from first.lines[:_MAX_SHOWN_LINES]
        if len(first.lines) > _MAX_SHOWN_LINES:
            rest = counted(len(first.lines) - _MAX_SHOWN_LINES, "more line")
            yield f"    ... {rest}"
        yield ""


def find_causes(
    files: Sequence["FileReport"], blamer: "Blamer", progress: "Progress | None" = None
) -> tuple[Cause, ...]:
    """Return the causes of the changes of generated files, most files first.

    Args:
        files: The generated files and their changes.
        blamer: Finds the origins of their lines.
        progress: Called before each file, or None.
    """
    changes = []
    for number, file in enumerate(files):
        if progress is not None:
            progress("grouping causes", number, len(files))
        changes += find_changes(file, blamer)
    return group_by_cause(changes)


def group_by_cause(changes: Iterable[Change]) -> tuple[Cause, ...]:
    """Return the causes of changes, most files first."""
    groups: dict[Key, list[Change]] = {}
    for change in changes:
        groups.setdefault(change.key, []).append(change)
    causes = [Cause(tuple(group)) for group in groups.values()]
    return tuple(sorted(causes, key=_sort_key))


def _sort_key(cause: Cause) -> Key:
    first = cause.changes[0]
    place = cause.place or Place("", 0)
    return -len(cause.files), place.path, place.line, first.path, first.line
