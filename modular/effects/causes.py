"""Groups what changes in generated files by its cause: a change that is the same in 41 models but for names appears once.

A cause is a member of a class, or whatever else appears by itself, in a file that people write: there the lines come from.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from textwrap import fill
from typing import TYPE_CHECKING

from modular.project.project import model_name
from modular.provenance.outline import UNOWNED, Owner, line_owners
from modular.source import module as modules
from modular.source.diagnostics import Place
from modular.source.diffs import Diff
from modular.system.terminal import counted


if TYPE_CHECKING:
    from modular.provenance.blame import Blamer
    from modular.run.report import FileReport

_Key = tuple[object, ...]

_LONGEST = 40
"""Lines of a change that are shown if it is one of several."""

_WIDTH = 100
"""Columns that the names of models may take."""


@dataclass(frozen=True, slots=True)
class Change:
    """What changes in one member of a generated file: the lines of the diff, which begin with ``+`` or ``-``.

    ``line`` (from 1) is the first of them in the new text. ``place`` is the line that they come from, and ``owner`` what that
    line belongs to; where nothing tells, there is no place, and the owner is the generated file's. Changes that are the same
    but for names have the same ``key``.
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
    """Changes that are the same but for names, by the paths of their files."""

    changes: tuple[Change, ...]

    @property
    def place(self) -> Place | None:
        """The line that the changed lines come from."""
        return self.changes[0].place

    @property
    def files(self) -> tuple[str, ...]:
        """The generated files that change."""
        return tuple(dict.fromkeys(change.path for change in self.changes))

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the models that change, sorted."""
        return tuple(sorted({model_name(change.modular) for change in self.changes}))

    @property
    def title(self) -> str:
        """What caused the changes, in words: `LlamaMLP.forward`."""
        return ".".join(filter(None, self.changes[0].owner)) or "module level"

    @property
    def added(self) -> int:
        """The lines that are added, in all files together."""
        return sum(
            line.startswith("+") for change in self.changes for line in change.lines
        )

    @property
    def removed(self) -> int:
        """The lines that are removed, in all files together."""
        return sum(
            line.startswith("-") for change in self.changes for line in change.lines
        )

    def lines(self) -> Iterator[str]:
        """Yield the lines that show it: where it is, what it changes, and the change of the first file."""
        first = self.changes[0]
        where = self.place or first
        yield f"--- {self.title}, {where.path}:{where.line}: {counted(len(self.files), 'file')}, +{self.added} -{self.removed}"
        if len(self.files) > 1:
            models = f"{counted(len(self.models), 'model')}: {', '.join(self.models)}"
            yield from fill(
                models, _WIDTH, initial_indent="    ", subsequent_indent="    "
            ).split("\n")
        yield f"@@ {first.path}:{first.line} @@"
        yield from first.lines[:_LONGEST]
        if len(first.lines) > _LONGEST:
            yield f"    ... {counted(len(first.lines) - _LONGEST, 'more line')}"
        yield ""


def causes(files: Iterable["FileReport"], blamer: "Blamer") -> tuple[Cause, ...]:
    """Group the changes of generated files by cause; the one that changes most files comes first."""
    return group(change for file in files for change in changes(file, blamer))


def group(changed: Iterable[Change]) -> tuple[Cause, ...]:
    """Group changes that are the same but for names; the cause that changes most files comes first."""
    same: dict[_Key, list[Change]] = {}
    for change in changed:
        same.setdefault(change.key, []).append(change)
    return tuple(sorted((Cause(tuple(alike)) for alike in same.values()), key=_rank))


def _rank(cause: Cause) -> _Key:
    first = cause.changes[0]
    place = (cause.place.path, cause.place.line) if cause.place else ("", 0)
    return -len(cause.files), *place, first.path, first.line


def changes(file: "FileReport", blamer: "Blamer") -> list[Change]:
    """Return the changes of a generated file: those of one member together."""
    if not file.difference:
        return []
    origins = _Origins(file, blamer)
    by_member: dict[_Key, Change] = {}
    for part in _parts(file.difference, origins):
        place, owner = origins.added(part) if part.added else origins.removed(part)
        key = (part.owner, place.path if place else None, owner)
        change = by_member.get(key) or Change(
            file.path, file.modular, part.line, place, owner, ()
        )
        by_member[key] = replace(change, lines=(*change.lines, *part.lines))
    names = _spellings(blamer.names(file.path))
    return [replace(change, key=_key(change, names)) for change in by_member.values()]


_WORD = re.compile(r"\w+|[^\w\s(),]")


def _spellings(names: Iterable[str]) -> re.Pattern[str]:
    """Find names in lines of lower case, the longest first; an underscore may be left out."""
    ordered = sorted(
        {name.lower() for name in names}, key=lambda name: (-len(name), name)
    )
    listed = "|".join("_?".join(map(re.escape, name.split("_"))) for name in ordered)
    return re.compile(rf"(?<![a-z0-9])(?:{listed})")


def _key(change: Change, names: re.Pattern[str]) -> _Key:
    """What changes in the same place have in common: one word for all names, and no care how lines are broken."""
    place = (change.place.path, change.owner) if change.place else ()
    runs = groupby(change.lines, key=lambda line: line[0])
    texts = (
        (
            sign,
            names.sub("\N{SECTION SIGN}", "\n".join(line[1:].lower() for line in run)),
        )
        for sign, run in runs
    )
    return place, *((sign, *_WORD.findall(text)) for sign, text in texts)


@dataclass(slots=True)
class _Part:
    """The lines of a hunk that belong to one member, as a diff shows them: where they begin in the new text (from 1).

    ``added`` are the numbers (from 1) of those that the new text has.
    """

    owner: Owner
    line: int
    lines: list[str]
    added: list[int]


def _parts(diff: Diff, origins: "_Origins") -> Iterator[_Part]:
    for hunk in diff.hunks:
        parts: dict[Owner, _Part] = {}
        removed = range(hunk.old_line, hunk.old_line + len(hunk.removed))
        for text, owner in zip(
            hunk.removed, _owners(hunk.removed, removed, origins.old_owner), strict=True
        ):
            parts.setdefault(owner, _Part(owner, hunk.new_line, [], [])).lines.append(
                f"-{text}"
            )
        added = range(hunk.new_line, hunk.new_line + len(hunk.added))
        for number, text, owner in zip(
            added,
            hunk.added,
            _owners(hunk.added, added, origins.new_owner),
            strict=True,
        ):
            part = parts.setdefault(owner, _Part(owner, number, [], []))
            part.lines.append(f"+{text}")
            part.added.append(number)
        yield from _with_new_names(list(parts.values()), origins)


def _with_new_names(parts: Sequence[_Part], origins: "_Origins") -> Sequence[_Part]:
    """Join what a member loses with what another gains, of the same class, where these are one member under a new name."""
    lost = [part for part in parts if part.owner not in origins.new_owners]
    gained = [part for part in parts if part.owner not in origins.old_owners]
    if (
        len(lost) != 1
        or len(gained) != 1
        or lost[0].owner.class_ != gained[0].owner.class_
    ):
        return parts
    joined = replace(gained[0], lines=lost[0].lines + gained[0].lines)
    return [
        joined if part is gained[0] else part for part in parts if part is not lost[0]
    ]


def _owners(
    texts: Sequence[str], numbers: Sequence[int], owner: Callable[[int], Owner]
) -> list[Owner]:
    """What lines belong to. Blank lines belong to what they follow, or else to what follows."""
    owners = [
        owner(number) if text.strip() else None
        for number, text in zip(numbers, texts, strict=True)
    ]
    last = next((known for known in owners if known is not None), UNOWNED)
    return [last := known if known is not None else last for known in owners]


class _Origins:
    """Tells for the changed lines of a generated file what they belong to, and where they come from."""

    def __init__(self, file: "FileReport", blamer: "Blamer") -> None:
        self._file, self._blamer = file, blamer
        self._old, self._new = (
            line_owners(modules.read(file.path, "".join(f"{line}\n" for line in lines)))
            for lines in (file.difference.old, file.difference.new)
        )
        self.old_owners, self.new_owners = (
            {UNOWNED, *self._old.values()},
            {UNOWNED, *self._new.values()},
        )
        self._is_new = not file.difference.old
        self._lines = blamer.current(file.path).lines

    def old_owner(self, line: int) -> Owner:
        """Return what a line (from 1) of the old text belongs to: the class, where the new text does not have it."""
        return _member_or_class(self._old.get(line, UNOWNED), self.new_owners)

    def new_owner(self, line: int) -> Owner:
        """Return what a line (from 1) of the new text belongs to: the class, where the old text does not have it."""
        return (
            UNOWNED
            if self._is_new
            else _member_or_class(self._new.get(line, UNOWNED), self.old_owners)
        )

    def added(self, part: _Part) -> tuple[Place | None, Owner]:
        """Return the first place that one of the added lines comes from, and what it belongs to there."""
        numbers = sorted(
            part.added, key=lambda number: self._new.get(number, UNOWNED) == UNOWNED
        )
        place = next(
            (place for number in numbers if (place := self._place(number)) is not None),
            None,
        )
        return place, part.owner if place is None else self._owner(place)

    def removed(self, part: _Part) -> tuple[Place | None, Owner]:
        """Return where lines came from that are gone, as far as what is left of their member or class tells."""
        class_, member = part.owner
        if part.owner != UNOWNED and part.owner in self.new_owners:
            place = self._nearest(part.line, self._numbers[part.owner])
            return place, part.owner if place is None else self._owner(place)
        if class_ is None or member is None:
            return None, part.owner
        return self._of_member(part.line, class_, member)

    def _of_member(
        self, line: int, class_: str, member: str
    ) -> tuple[Place | None, Owner]:
        """Where a member came from that its class does not have any more: a source that has lost it, else the parent."""
        places = filter(None, map(self._place, self._numbers[Owner(class_)]))
        sources = Counter((place.path, self._owner(place).class_) for place in places)
        lost = [
            source
            for source in sources
            if self._blamer.has_lost(source[0], Owner(source[1], member))
        ]
        inherited = [source for source in sources if source[0] != self._file.modular]
        source = max(
            lost or inherited or sources, key=sources.__getitem__, default=None
        )
        if source is None:
            return None, Owner(class_, member)
        return self._nearest(line, self._numbers[Owner(class_)], source[0]), Owner(
            source[1], member
        )

    @cached_property
    def _numbers(self) -> Mapping[Owner, Sequence[int]]:
        """The lines (from 1) of the new text that belong to each owner; those of a class's members are the class's, too."""
        numbers: dict[Owner, list[int]] = {}
        for number, text in enumerate(self._file.difference.new, 1):
            owner = self._new.get(number, UNOWNED) if text.strip() else UNOWNED
            for holder in {owner, Owner(owner.class_)} - {UNOWNED}:
                numbers.setdefault(holder, []).append(number)
        return numbers

    def _nearest(
        self, line: int, numbers: Sequence[int], path: str = ""
    ) -> Place | None:
        """The place, in a file if one is given, of the nearest of some lines, above or else below."""
        index = bisect_left(numbers, line)
        places = (
            self._place(number)
            for number in (*reversed(numbers[:index]), *numbers[index:])
        )
        return next(
            (
                place
                for place in places
                if place is not None and path in ("", place.path)
            ),
            None,
        )

    def _place(self, line: int) -> Place | None:
        """The place that a line (from 1) of the new text comes from: one that somebody wrote."""
        return self._blamer.followed(self._lines[line - 1]).place

    def _owner(self, place: Place) -> Owner:
        return self._blamer.owner(place.path, place.line)


def _member_or_class(owner: Owner, others: AbstractSet[Owner]) -> Owner:
    return (
        owner
        if owner.class_ is None or Owner(owner.class_) in others
        else Owner(owner.class_)
    )
