"""Groups changes of generated files by cause, so that a change in 41 models appears once.

A cause is an edit of a hand-written file. Models that it changes alike are a variant.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from modular.effects.changes import Change, Key, OldRecord, find_changes
from modular.project.project import model_name
from modular.source.diagnostics import Place
from modular.system.printable import REPORT_COLUMNS, counted, fold


if TYPE_CHECKING:
    from modular.provenance.blame import Blamer
    from modular.run.options import Progress
    from modular.run.report import FileReport

_MAX_SHOWN_LINES = 40
"""Number of lines that are shown of the first variant."""

_MAX_LINES_OF_VARIANT = 12
"""Number of lines that are shown of each other variant."""


@dataclass(frozen=True)
class Variant:
    """Changes that differ only in the names of their models, sorted by path."""

    changes: tuple[Change, ...]

    @property
    def files(self) -> tuple[str, ...]:
        """The paths of the generated files that change."""
        return tuple(dict.fromkeys(change.path for change in self.changes))

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the models that change, sorted."""
        return tuple(sorted({model_name(change.modular) for change in self.changes}))

    @property
    def lines(self) -> tuple[str, ...]:
        """The diff of the first file, without lines that only move."""
        return self.changes[0].lines

    @property
    def added(self) -> int:
        """The number of added lines in all files together."""
        return self._count_lines("+")

    @property
    def removed(self) -> int:
        """The number of removed lines in all files together."""
        return self._count_lines("-")

    @property
    def moved(self) -> int:
        """The number of lines that only move, in all files together."""
        return sum(change.moved for change in self.changes)

    def _count_lines(self, sign: str) -> int:
        count = 0
        for change in self.changes:
            count += sum(line.startswith(sign) for line in change.lines)
        return count


@dataclass(frozen=True)
class Cause(Variant):
    """All changes of one edit.

    Attributes:
        variants: The changes by what they look like, most files first.
    """

    variants: tuple[Variant, ...]

    @property
    def place(self) -> Place | None:
        """The first line of the edit, if known."""
        return self.changes[0].place

    @property
    def title(self) -> str:
        """The name of the edited member, for example `LlamaMLP.forward`."""
        return ".".join(filter(None, self.changes[0].owner)) or "module level"

    def report(self) -> Iterator[str]:
        """Yield the lines of a report on what one edit changes in generated files.

        The report has a heading and, for each variant, the models and the diff of its
        first file. Its other files change in the same way.
        """
        origin = self.place or self.changes[0]
        heading = f"--- {self.title}, {origin.path}:{origin.line}:"
        numbers = _describe(self)
        if len(heading) + 1 + len(numbers) <= REPORT_COLUMNS:
            yield f"{heading} {numbers}"
        else:
            yield from fold(heading)
            yield f"    {numbers}"
        for number, variant in enumerate(self.variants, start=1):
            if len(self.variants) > 1:
                variant_heading = f"variant {number}, {_describe(variant)}"
            else:
                variant_heading = counted(len(variant.models), "model")
            if len(self.files) > 1:
                yield from fold(f"    {variant_heading}: {', '.join(variant.models)}")
            max_lines = _MAX_SHOWN_LINES if number == 1 else _MAX_LINES_OF_VARIANT
            yield from _report_first_file(variant, max_lines)
        yield ""


def _report_first_file(variant: Variant, max_lines: int) -> Iterator[str]:
    """Yield the changed lines of a variant's first file, at most some of them."""
    first = variant.changes[0]
    if first.lines:
        yield f"@@ {first.path}:{first.line} @@"
    yield from first.lines[:max_lines]
    if len(first.lines) > max_lines:
        yield f"    ... {counted(len(first.lines) - max_lines, 'more line')}"


def _describe(changes: Variant) -> str:
    """Return the numbers of some changes, such as `2 files, +3 -1, 4 lines moved`."""
    numbers = (
        f"{counted(len(changes.files), 'file')}, +{changes.added} -{changes.removed}"
    )
    if changes.moved:
        numbers += f", {counted(changes.moved, 'line')} moved"
    return numbers


def find_causes(
    files: Sequence["FileReport"],
    blamer: "Blamer",
    old_record: OldRecord = OldRecord(),
    progress: "Progress | None" = None,
) -> tuple[Cause, ...]:
    """Return the causes of the changes of generated files, most files first.

    Args:
        files: The generated files and their changes.
        blamer: Finds the origins of their lines.
        old_record: What is known of the project before the changes.
        progress: Called before each file, or None.
    """
    changes = []
    for number, file in enumerate(files):
        if progress is not None:
            progress("grouping causes", number, len(files))
        changes += find_changes(file, blamer, old_record)
    return group_by_cause(changes)


def group_by_cause(changes: Iterable[Change]) -> tuple[Cause, ...]:
    """Return the causes of changes, most files first.

    Changes have the same cause if the same member of the same hand-written file was
    edited. They are the same variant of it if they differ only in the models' names.
    """
    changes_by_cause: dict[Key, list[Change]] = {}
    for change in changes:
        edited_path = change.place.path if change.place else None
        key = (edited_path, change.owner)
        changes_by_cause.setdefault(key, []).append(change)

    causes = []
    for cause_changes in changes_by_cause.values():
        changes_by_variant: dict[Key, list[Change]] = {}
        for change in cause_changes:
            changes_by_variant.setdefault(change.key, []).append(change)
        variants = [Variant(tuple(equal)) for equal in changes_by_variant.values()]
        variants.sort(
            key=lambda variant: (-len(variant.files), variant.changes[0].path)
        )
        causes.append(Cause(tuple(cause_changes), tuple(variants)))
    return tuple(sorted(causes, key=_sort_key))


def _sort_key(cause: Cause) -> Key:
    first = cause.changes[0]
    place = cause.place or Place("", 0)
    return -len(cause.files), place.path, place.line, first.path, first.line
