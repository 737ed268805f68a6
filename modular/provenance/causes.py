"""Groups what changes in generated files by its cause: a change that is the same in 41 models but for names stands once.

A cause is a member of a class, or whatever else stands by itself, in a file that people write: there the lines come from.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Protocol

from modular.project.project import model_name
from modular.source.indentation import STEP
from modular.source.outline import NOBODY, Owner


@dataclass(frozen=True, slots=True)
class OriginPlace:
    """Where a line comes from: a file relative to the root, the line (from 1), and what it belongs to there."""

    path: str
    line: int
    owner: Owner


@dataclass(frozen=True, slots=True)
class Traced:
    """A line of a generated file: what it belongs to there, and where it comes from; None if it was made."""

    owner: Owner
    spot: OriginPlace | None


@dataclass(frozen=True, slots=True)
class Change:
    """What changes in one member of a generated file: the lines of the diff, which begin with ``+`` or ``-``.

    ``line`` (from 1) is the first of them in the new text. ``spot`` is None where nothing tells what caused it.
    """

    path: str
    modular: str
    line: int
    owner: Owner
    spot: OriginPlace | None
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Cause:
    """Changes that are the same but for names, by the paths of their files, and where they come from."""

    spot: OriginPlace | None
    changes: tuple[Change, ...]

    @property
    def files(self) -> tuple[str, ...]:
        """The generated files that change."""
        return tuple(dict.fromkeys(each.path for each in self.changes))

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the models that change, sorted."""
        return tuple(sorted({model_name(each.modular) for each in self.changes}))

    @property
    def title(self) -> str:
        """What caused the changes, in words: `LlamaMLP.forward`."""
        owner = self.spot.owner if self.spot is not None else self.changes[0].owner
        return ".".join(filter(None, (owner.class_, owner.member))) or "module level"

    @property
    def added(self) -> int:
        """The lines that are added, in all files together."""
        return sum(line.startswith("+") for each in self.changes for line in each.lines)

    @property
    def removed(self) -> int:
        """The lines that are removed, in all files together."""
        return sum(line.startswith("-") for each in self.changes for line in each.lines)


def changed_lines(diff: str) -> tuple[int, int]:
    """Return how many lines a unified diff adds, and how many it removes."""
    lines = diff.splitlines()[_HEAD:]
    return sum(line.startswith("+") for line in lines), sum(line.startswith("-") for line in lines)


class Diffed(Protocol):
    """A generated file with its unified diff, as `api.FileReport` is one."""

    @property
    def path(self) -> str: ...

    @property
    def modular(self) -> str: ...

    @property
    def diff(self) -> str: ...


class Origins(Protocol):
    """Knows generated files as they are after a change."""

    def traced(self, path: str) -> Sequence[Traced]:
        """Return what is known of each line of a file."""

    def names(self, path: str) -> Iterable[str]:
        """Return the names that the file's model, or a prefix, has in it: `my_model`, `MyModel`."""


def causes(files: Iterable[Diffed], origins: Origins) -> tuple[Cause, ...]:
    """Group the changes of generated files by cause; the one that changes most files comes first."""
    found: dict[tuple[object, ...], list[Change]] = {}
    for file in files:
        if file.diff:
            same = _names_exchanged(origins.names(file.path))
            for change in _changes(file, origins.traced(file.path)):
                found.setdefault(_key(change, same), []).append(change)
    grouped = (Cause(changes[0].spot, tuple(changes)) for changes in found.values())
    return tuple(sorted(grouped, key=_rank))


def _rank(cause: Cause) -> tuple[object, ...]:
    first = cause.changes[0]
    spot = (cause.spot.path, cause.spot.line) if cause.spot else ("", 0)
    return -len(cause.files), *spot, first.path, first.line


_HEAD = 2
"""Lines of a unified diff above its first hunk."""

_WORD = re.compile(r"\w+|[^\w\s(),]")


def _names_exchanged(names: Iterable[str]) -> Callable[[str], tuple[str, ...]]:
    """Return what makes lines of different models the same: one word for all names, and no care how lines are broken."""
    spellings = {name.lower() for name in names if name}
    ordered = sorted(spellings, key=lambda name: (-len(name), name))
    listed = "|".join("_?".join(map(re.escape, name.split("_"))) for name in ordered)
    pattern = re.compile(rf"(?<![a-z0-9])(?:{listed})") if listed else None

    def same(line: str) -> tuple[str, ...]:
        text = line.lower()
        return tuple(_WORD.findall(pattern.sub("\N{SECTION SIGN}", text) if pattern else text))

    return same


def _key(change: Change, same: Callable[[str], tuple[str, ...]]) -> tuple[object, ...]:
    """What changes have in common that are the same but for names, in the same place."""
    place = (change.spot.path, change.spot.owner) if change.spot else ()
    runs = groupby(change.lines, key=lambda line: line[0])
    return place, *((sign, *(word for line in run for word in same(line[1:]))) for sign, run in runs)


@dataclass(frozen=True, slots=True)
class _Block:
    """Lines of a diff that stand together: the number (from 1) of the first in the new text, and how many are in it."""

    line: int
    added: int
    lines: tuple[str, ...]


def _changes(file: Diffed, traced: Sequence[Traced]) -> list[Change]:
    """The changes of a file: those of one member together."""
    found: dict[tuple[object, ...], Change] = {}
    for block in _blocks(file.diff):
        owner, spot = _added(block, traced) if block.added else _removed(block, traced)
        key = (owner, spot.path, spot.owner) if spot else (owner,)
        change = found.get(key) or Change(file.path, file.modular, block.line, owner, spot, ())
        found[key] = replace(change, lines=change.lines + block.lines)
    return list(found.values())


_HUNK = re.compile(r"@@ -\S+ \+(?P<line>\d+)(?:,(?P<count>\d+))? @@")


def _blocks(diff: str) -> Iterator[_Block]:
    """The parts of a unified diff in which every line changes."""
    line = 0
    lines: list[str] = []
    for each in [*diff.splitlines()[_HEAD:], " "]:
        if each.startswith(("+", "-")):
            lines.append(each)
        elif not each.startswith("\\"):
            if lines:
                added = sum(change[0] == "+" for change in lines)
                yield _Block(line, added, tuple(lines))
                line += added
                lines = []
            header = _HUNK.match(each)
            # Where a hunk leaves nothing in the new text, its number is that of the line before.
            line = int(header["line"]) + (header["count"] == "0") if header else line + 1


def _added(block: _Block, traced: Sequence[Traced]) -> tuple[Owner, OriginPlace | None]:
    """What added lines belong to, and the first place that one of them comes from."""
    lines = traced[block.line - 1 : block.line - 1 + block.added]
    first = next((each for each in lines if each.spot is not None and each.owner != NOBODY), None)
    first = first or next((each for each in lines if each.spot is not None), None)
    return (first.owner, first.spot) if first else (lines[0].owner if lines else NOBODY, None)


def _removed(block: _Block, traced: Sequence[Traced]) -> tuple[Owner, OriginPlace | None]:
    """What lines that are gone belonged to, as far as those around them tell."""
    before = _first_known(traced, range(min(block.line - 1, len(traced)) - 1, -1, -1))
    after = _first_known(traced, range(block.line - 1, len(traced)))
    first = before or after
    if first is None or first.spot is None:
        return NOBODY, None
    if before is None or _is_in_member(block.lines):
        return first.owner, first.spot
    return _common(before.owner, after), replace(first.spot, owner=_common(first.spot.owner, after, of_spot=True))


def _first_known(traced: Sequence[Traced], numbers: range) -> Traced | None:
    """The first of some lines (from 0) of which it is known where they come from. The others are not looked at."""
    return next((each for number in numbers if (each := traced[number]).spot is not None), None)


def _is_in_member(lines: Sequence[str]) -> bool:
    """Whether the first of some lines stands deeper than a method's header."""
    text = next((line[1:] for line in lines if line[1:].strip()), "")
    return len(text) - len(text.lstrip()) > len(STEP)


def _common(owner: Owner, after: Traced | None, *, of_spot: bool = False) -> Owner:
    """What two lines both belong to."""
    other = NOBODY if after is None else after.owner
    if of_spot and after is not None and after.spot is not None:
        other = after.spot.owner
    return owner if owner == other else Owner(owner.class_) if owner.class_ == other.class_ else NOBODY
