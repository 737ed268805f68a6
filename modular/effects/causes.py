"""Groups changes of generated files by cause, so that a change in 41 models appears once.

A cause is a member of a class, or another statement, in a hand-written file. The
origins of the changed lines tell which one.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from itertools import groupby
from textwrap import wrap
from typing import TYPE_CHECKING, NamedTuple

from modular.project.project import model_name
from modular.provenance.outline import UNOWNED, Owner, line_owners
from modular.source import module as modules
from modular.source.diagnostics import Place
from modular.source.diffs import Diff
from modular.system.printable import counted


if TYPE_CHECKING:
    from modular.provenance.blame import Blamer
    from modular.run.report import FileReport

_Key = tuple[object, ...]

_MAX_SHOWN_LINES = 40
"""Number of lines that are shown of a change."""

_MODELS_WIDTH = 100
"""Width in columns of the list of models."""


@dataclass(frozen=True, slots=True)
class Change:
    """The change of one member of a generated file.

    Attributes:
        path: Path of the generated file.
        modular: Path of its modular file.
        line: Number, from 1, of the first changed line in the new text.
        place: Hand-written line that the changed lines come from, if known.
        owner: Owner of that line, or without a place that of the changed lines.
        lines: Lines of the diff, which begin with ``+`` or ``-``.
        key: Equal for changes that differ only in the names of their models.
    """

    path: str
    modular: str
    line: int
    place: Place | None
    owner: Owner
    lines: tuple[str, ...]
    key: _Key = ()


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
        """Yield a heading, the names of the models, and the change of the first file."""
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


def find_causes(files: Iterable["FileReport"], blamer: "Blamer") -> tuple[Cause, ...]:
    """Return the causes of the changes of generated files, most files first."""
    changes = []
    for file in files:
        changes += find_changes(file, blamer)
    return group_by_cause(changes)


def group_by_cause(changes: Iterable[Change]) -> tuple[Cause, ...]:
    """Return the causes of changes, most files first."""
    groups: dict[_Key, list[Change]] = {}
    for change in changes:
        groups.setdefault(change.key, []).append(change)
    causes = [Cause(tuple(group)) for group in groups.values()]
    return tuple(sorted(causes, key=_sort_key))


def _sort_key(cause: Cause) -> _Key:
    first = cause.changes[0]
    place = cause.place or Place("", 0)
    return -len(cause.files), place.path, place.line, first.path, first.line


def find_changes(file: "FileReport", blamer: "Blamer") -> list[Change]:
    """Return the changes of a generated file, one for each member and origin."""
    if not file.difference:
        return []

    origins = _OriginFinder(file, blamer)
    changes: dict[_Key, Change] = {}
    for part in _split_by_member(file.difference, origins):
        if part.added_lines:
            origin = origins.of_added_lines(part)
        else:
            origin = origins.of_removed_lines(part)
        origin_path = None if origin.place is None else origin.place.path
        member_and_origin = (part.owner, origin_path, origin.owner)
        change = changes.get(member_and_origin)
        if change is None:
            change = Change(
                path=file.path,
                modular=file.modular,
                line=part.line,
                place=origin.place,
                owner=origin.owner,
                lines=(),
            )
        lines = (*change.lines, *part.lines)
        changes[member_and_origin] = replace(change, lines=lines)

    names = _names_pattern(blamer.model_names(file.path))
    keyed_changes = []
    for change in changes.values():
        key = _key_without_names(change, names)
        keyed_changes.append(replace(change, key=key))
    return keyed_changes


_TOKEN = re.compile(r"\w+|[^\w\s(),]")


def _names_pattern(names: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern of names in lower case, longest first, underscores optional.

    The pattern of `my_model` matches `my_model_layer` and `mymodellayer`.
    """
    lowered = {name.lower() for name in names}
    patterns = []
    for name in sorted(lowered, key=lambda name: (-len(name), name)):
        patterns.append("_?".join(map(re.escape, name.split("_"))))
    return re.compile(rf"(?<![a-z0-9])(?:{'|'.join(patterns)})")


def _key_without_names(change: Change, names: re.Pattern[str]) -> _Key:
    """Return the key of a change: its origin and its tokens without the model's names.

    `-self.q = LlamaNorm(x)` and `-self.q = GemmaNorm(x)` are equal: the names become
    the same mark.
    """
    key: list[object] = []
    if change.place is not None:
        key += [change.place.path, change.owner]
    for sign, lines in groupby(change.lines, key=lambda line: line[0]):
        text = "\n".join(line[1:].lower() for line in lines)
        text_without_names = names.sub("\N{SECTION SIGN}", text)
        key.append((sign, *_TOKEN.findall(text_without_names)))
    return tuple(key)


@dataclass(slots=True)
class _HunkPart:
    """The lines of a hunk that belong to one owner.

    Attributes:
        owner: Owner of the lines.
        line: Number, from 1, of the first of them in the new text.
        lines: Lines of the diff.
        added_lines: Numbers, from 1, of the added lines in the new text.
    """

    owner: Owner
    line: int
    lines: list[str] = field(default_factory=list)
    added_lines: list[int] = field(default_factory=list)


def _split_by_member(diff: Diff, origins: "_OriginFinder") -> Iterator[_HunkPart]:
    """Split each hunk into the lines of each member of a class.

    A hunk that changes the end of `forward` and the beginning of `reset` has two parts.
    """
    for hunk in diff.hunks:
        parts: dict[Owner, _HunkPart] = {}
        owners = _owners_of_lines(hunk.removed, hunk.old_line, origins.old_owner)
        for text, owner in zip(hunk.removed, owners, strict=True):
            part = parts.setdefault(owner, _HunkPart(owner, hunk.new_line))
            part.lines.append(f"-{text}")

        owners = _owners_of_lines(hunk.added, hunk.new_line, origins.new_owner)
        line = hunk.new_line
        for text, owner in zip(hunk.added, owners, strict=True):
            part = parts.setdefault(owner, _HunkPart(owner, line))
            part.lines.append(f"+{text}")
            part.added_lines.append(line)
            line += 1

        yield from _join_renamed_member(list(parts.values()), origins)


def _owners_of_lines(
    texts: Sequence[str], first_line: int, owner_of: Callable[[int], Owner]
) -> list[Owner]:
    """Return the owner of each line of a hunk.

    A blank line has the owner of the line above or, at the beginning, of the first line
    that is not blank.
    """
    owner = UNOWNED
    for number, text in enumerate(texts, start=first_line):
        if text.strip():
            owner = owner_of(number)
            break

    owners = []
    for number, text in enumerate(texts, start=first_line):
        if text.strip():
            owner = owner_of(number)
        owners.append(owner)
    return owners


def _join_renamed_member(
    parts: Sequence[_HunkPart], origins: "_OriginFinder"
) -> Sequence[_HunkPart]:
    """Join the part of a lost member with that of a new one of the same class.

    If a hunk has one of each, these are one member under a new name.
    """
    lost_parts = [part for part in parts if part.owner not in origins.new_owners]
    new_parts = [part for part in parts if part.owner not in origins.old_owners]
    if len(lost_parts) != 1 or len(new_parts) != 1:
        return parts
    lost, new = lost_parts[0], new_parts[0]
    if lost.owner.class_ != new.owner.class_:
        return parts

    new.lines = lost.lines + new.lines
    return [part for part in parts if part is not lost]


class _Origin(NamedTuple):
    """A hand-written line, if one is known, and its owner."""

    place: Place | None
    owner: Owner


class _OriginFinder:
    """Finds the origins of the changed lines of one generated file.

    Attributes:
        old_owners: All owners of lines of the old text.
        new_owners: All owners of lines of the new text.
    """

    def __init__(self, file: "FileReport", blamer: "Blamer") -> None:
        self._blamer = blamer
        self._modular = file.modular
        self._old_owner_by_line = _owners_by_line(file.path, file.difference.old)
        self._new_owner_by_line = _owners_by_line(file.path, file.difference.new)
        self.old_owners = {UNOWNED, *self._old_owner_by_line.values()}
        self.new_owners = {UNOWNED, *self._new_owner_by_line.values()}
        self._is_new_file = not file.difference.old
        self._blamed_lines = blamer.blame_file(file.path).lines

        # The lines of the new text by owner. A line of a member is also the class's.
        self._lines_by_owner: dict[Owner, list[int]] = defaultdict(list)
        for number, text in enumerate(file.difference.new, start=1):
            if text.strip():
                owner = self._new_owner_by_line.get(number, UNOWNED)
                for member_or_class in {owner, Owner(owner.class_)}:
                    self._lines_by_owner[member_or_class].append(number)

    def old_owner(self, line: int) -> Owner:
        """Return the owner of a line of the old text; the class if only it remains."""
        owner = self._old_owner_by_line.get(line, UNOWNED)
        return _without_lost_class(owner, self.new_owners)

    def new_owner(self, line: int) -> Owner:
        """Return the owner of a line of the new text; the class if all of it is new."""
        if self._is_new_file:
            return UNOWNED
        owner = self._new_owner_by_line.get(line, UNOWNED)
        return _without_lost_class(owner, self.old_owners)

    def of_added_lines(self, part: _HunkPart) -> _Origin:
        """Return the origin of the first added line that has one.

        Lines of a definition come before other lines, such as blank ones.
        """

        def is_unowned(line: int) -> bool:
            return self._new_owner_by_line.get(line, UNOWNED) == UNOWNED

        for line in sorted(part.added_lines, key=is_unowned):
            place = self._place(line)
            if place is not None:
                return _Origin(place, self._owner_at(place))
        return _Origin(None, part.owner)

    def of_removed_lines(self, part: _HunkPart) -> _Origin:
        """Return the origin of the remaining lines of a member or class.

        Removed lines have no origin themselves.
        """
        class_, member = part.owner
        if part.owner != UNOWNED and part.owner in self.new_owners:
            place = self._nearest_place(part.line, part.owner)
            if place is None:
                return _Origin(None, part.owner)
            return _Origin(place, self._owner_at(place))
        if class_ is None or member is None:
            return _Origin(None, part.owner)
        return self._of_removed_member(part.line, class_, member)

    def _of_removed_member(self, line: int, class_: str, member: str) -> _Origin:
        """Return the origin of a member that its class no longer has.

        The lines of the class that are left come from some source classes. The origin is
        the one that lost the member or, if none did, the parent with most lines.
        """
        line_counts: Counter[tuple[str, str | None]] = Counter()
        for number in self._lines_by_owner[Owner(class_)]:
            place = self._place(number)
            if place is not None:
                line_counts[place.path, self._owner_at(place).class_] += 1

        without_member = []
        parents = []
        for path, source_class in line_counts:
            if self._blamer.has_lost(path, Owner(source_class, member)):
                without_member.append((path, source_class))
            if path != self._modular:
                parents.append((path, source_class))

        candidates = without_member or parents or list(line_counts)
        if not candidates:
            return _Origin(None, Owner(class_, member))
        path, source_class = max(candidates, key=line_counts.__getitem__)
        place = self._nearest_place(line, Owner(class_), path)
        return _Origin(place, Owner(source_class, member))

    def _nearest_place(self, line: int, owner: Owner, path: str = "") -> Place | None:
        """Return the origin of the owner's nearest line, above a line if possible.

        If a path is given, lines with an origin in another file do not count.
        """
        lines = self._lines_by_owner[owner]
        lines_above = [number for number in lines if number < line]
        lines_below = [number for number in lines if number >= line]
        for number in (*reversed(lines_above), *lines_below):
            place = self._place(number)
            if place is not None and path in ("", place.path):
                return place
        return None

    def _place(self, line: int) -> Place | None:
        """Return the hand-written place that a line of the new text comes from."""
        return self._blamer.trace_line(self._blamed_lines[line - 1]).place

    def _owner_at(self, place: Place) -> Owner:
        return self._blamer.owner(place.path, place.line)


def _owners_by_line(path: str, lines: Iterable[str]) -> dict[int, Owner]:
    """Return the owner of each line (from 1) that has one."""
    text = "".join(f"{line}\n" for line in lines)
    return line_owners(modules.read(path, text))


def _without_lost_class(owner: Owner, other_owners: AbstractSet[Owner]) -> Owner:
    """Return an owner, or only its class if the other text lacks that class."""
    if owner.class_ is None or Owner(owner.class_) in other_owners:
        return owner
    return Owner(owner.class_)
