"""Where each line of a formatted file comes from: through the formatter to the runs of lines that the converter put together."""

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, count

from modular.conversion.runs import Header, Run, Unformatted
from modular.provenance.alignment import align, tokens
from modular.rules.drafts import Way
from modular.source import scan
from modular.source.blocks import Kind
from modular.source.code import Renaming
from modular.source.module import Module
from modular.source.scan import logical_line_end


Lines = Callable[[str], Sequence[str]]
"""Gives the lines of a source file by its path."""

_LONGEST = 200
"""Lines over which a statement may reach that is put together anew."""

_BRACKET = re.compile(r"[(\[{]")
_OPENING = re.compile(r"[ \t]*(?:async[ \t]+)?def\b")


@dataclass(frozen=True, slots=True)
class LineOrigin:
    """The run of lines that a line comes from, how it came in, and the place: a file, a line (from 1), the renaming."""

    way: Way
    path: str
    line: int
    renaming: Renaming | None


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of an unformatted file: its run, and the line (from 1) that it is in its source."""

    run: Run
    line: int

    @property
    def origin(self) -> LineOrigin:
        return LineOrigin(self.run.way, self.run.path, self.line, self.run.renaming)


_Match = Callable[["_Part", Sequence[str]], list[int | None]]
"""Says for each formatted line of a part which unformatted one (from 0) it comes from."""


class _Part:
    """A part of a file before and after formatting."""

    def __init__(self, runs: Sequence[Run], old: Sequence[str], new: Sequence[str], match: _Match) -> None:
        self.runs, self.old = runs, old
        self._ends = list(accumulate(run.lines for run in runs))
        self._new, self._match = new, match

    @cached_property
    def _found(self) -> list[int | None]:
        return self._match(self, self._new)

    def line(self, index: int) -> _Line | None:
        """Return the unformatted line that most of a formatted one (from 0) comes from."""
        found = self._found[index]
        return None if found is None else self.unformatted(found)

    def lines_of(self, is_wanted: Callable[[Run], bool]) -> Iterator[tuple[int, _Line]]:
        """Yield the formatted lines (from 0) that come from wanted runs, each with its unformatted one."""
        wanted: set[int] = set()
        for end, run in zip(self._ends, self.runs):
            if is_wanted(run):
                wanted.update(range(end - run.lines, end))
        for index, found in enumerate(self._found if wanted else ()):
            if found is not None and found in wanted:
                yield index, self.unformatted(found)

    def unformatted(self, index: int) -> _Line:
        """Return an unformatted line (from 0)."""
        number = bisect_right(self._ends, index)
        run = self.runs[number]
        return _Line(run, run.line + index - self._ends[number] + run.lines)


class Origins:
    """The origin of each line of a formatted file; None for what the formatter or the converter made.

    Only lines that are asked for are looked at, and the parts of the file in which they stand: the banner and the header,
    the imports, or the rest.
    """

    def __init__(self, file: Unformatted, formatted: Module, sources: Lines) -> None:
        self._file = file
        self._formatted = formatted
        self._sources = sources

    @cached_property
    def _lines(self) -> list[str]:
        return self._formatted.code.text.split("\n")[:-1]

    @cached_property
    def _parts(self) -> tuple[tuple[int, _Part], ...]:
        """The parts of the file, the last one first, each with its first line (from 0)."""
        first, last = _import_region(self._formatted)
        old, new = self._file.text.split("\n")[:-1], self._lines
        head, imports = (sum(run.lines for run in runs) for runs in (self._file.head, self._file.imports))
        return (
            (last, _Part(self._file.body, old[head + imports :], new[last:], _aligned)),
            (first, _Part(self._file.imports, old[head : head + imports], new[first:last], _imported)),
            (0, _Part(self._file.head, old[:head], new[:first], _aligned)),
        )

    def of(self, line: int) -> LineOrigin | None:
        """Return the origin of a line (from 1)."""
        index = line - 1
        begin, part = next(each for each in self._parts if index >= each[0])
        found = part.line(index - begin)
        return None if found is None else _origin(self._lines[index], found, self._sources)

    def come_from(self, places: Mapping[str, AbstractSet[int]]) -> Iterator[int]:
        """Yield the lines (from 1) that come from some lines (from 1) of source files, which are given by path."""
        if not any(_may_hold(run, places) for run in self._file.runs):
            return
        for begin, part in self._parts:
            for index, line in part.lines_of(lambda run: _may_hold(run, places)):
                origin = _origin(self._lines[begin + index], line, self._sources)
                if origin is not None and origin.line in places.get(origin.path, ()):
                    yield begin + index + 1


def _may_hold(run: Run, places: Mapping[str, AbstractSet[int]]) -> bool:
    """Whether one of some lines of source files may be in a run."""
    beside = run.merged_with
    if beside is not None and _are_in(beside.line, beside.text.count("\n") + 1, places.get(beside.path, ())):
        return True
    reaches = _LONGEST if run.is_rewritten or beside is not None else 0
    return _are_in(run.line, run.lines + reaches, places.get(run.path, ()))


def _are_in(first: int, count: int, lines: Collection[int]) -> bool:
    """Whether one of some lines is among those that begin with the first."""
    return any(first <= line < first + count for line in lines)


def _origin(text: str, line: _Line, sources: Lines) -> LineOrigin | None:
    run = line.run
    if run.way is Way.MADE:
        return None
    if run.merged_with is not None and not _OPENING.match(text):
        return _of_header(text, run, run.merged_with, sources)
    if run.is_rewritten:
        return replace(line.origin, line=_line_of_statement(text, line, sources))
    return line.origin


def _import_region(formatted: Module) -> tuple[int, int]:
    """The lines (from 0) from the first import on to the first other statement."""
    head = formatted.header.text.count("\n")
    for statement in formatted.block.statements:
        if statement.kind not in (Kind.IMPORT, Kind.GUARD):
            return head, statement.code.line - 1
    return head, formatted.code.text.count("\n")


def _aligned(part: _Part, new: Sequence[str]) -> list[int | None]:
    return align(part.old, new)


def _imported(part: _Part, new: Sequence[str]) -> list[int | None]:
    """Imports are sorted and joined, so each line takes its best counterpart, wherever that stands."""
    known = [(index, set(tokens(text))) for index, text in enumerate(part.old) if text.strip()]
    made = {index for index, _ in known if part.unformatted(index).run.way is Way.MADE}
    found: list[int | None] = []
    opening: set[str] = set()
    for text in new:
        words = set(tokens(text))
        if text.endswith("("):
            opening = words
        elif not words or not text[0].isspace() and text[0] != ")":
            opening = set()
        found.append(_counterpart(words | opening, known, made) if words else None)
    return found


def _counterpart(words: set[str], known: Sequence[tuple[int, set[str]]], made: set[int]) -> int | None:
    """The line that has most of some words, and few others; rather one of a source than one that was made."""

    def rank(each: tuple[int, set[str]]) -> tuple[int, bool, int]:
        return len(words & each[1]), each[0] not in made, -len(each[1])

    best = max(known, key=rank, default=None)
    return best[0] if best is not None and words & best[1] else None


def _of_header(text: str, own: Run, beside: Header, sources: Lines) -> LineOrigin:
    """A line of a method's header of which some is the parent's: from where most of its words stand."""
    words = set(tokens(text))
    found = [
        (LineOrigin(Way.OWN, own.path, number, None), each) for number, each in _statement(own, own.line, sources)
    ]
    for number, each in zip(count(beside.line), beside.text.split("\n")):
        found.append((LineOrigin(Way.INHERITED, beside.path, number, beside.renaming), each))

    def rank(each: tuple[LineOrigin, str]) -> tuple[int, bool, float]:
        others = set(tokens(each[1]))
        return len(words & others), each[0].way is Way.OWN, _likeness(words, others)

    return max(found, key=rank)[0]


def _likeness(words: set[str], others: set[str]) -> float:
    return len(words & others) / (len(words | others) or 1)


def _statement(run: Run, line: int, sources: Lines) -> list[tuple[int, str]]:
    """The lines (from 1) over which a statement of a source file reaches that begins on a line and may have brackets."""
    lines = sources(run.path)[line - 1 : line - 1 + _LONGEST]
    if not lines or not _BRACKET.search(lines[0]):
        return [(line, "".join(lines[:1]))]
    mask = scan.mask("\n".join(lines))
    return list(zip(count(line), lines[: mask.count("\n", 0, logical_line_end(mask, 0) - 1) + 1]))


def _line_of_statement(text: str, line: _Line, sources: Lines) -> int:
    """The line of a source statement that has the words of a line of what was made of it; the last one if it has no words."""
    found = _statement(line.run, line.line, sources)
    words = _words(text, None)
    if not words:
        return found[-1][0]
    renaming = line.run.renaming
    return max(found, key=lambda each: _likeness(words, _words(each[1], renaming)))[0]


def _words(text: str, renaming: Renaming | None) -> set[str]:
    """The words of a line in one spelling; those of a source under the new names."""
    found = {word.lower().replace("_", "") for word in tokens(text) if word[0].isalnum() or word[0] == "_"}
    if renaming is None:
        return found
    old, new = (name.replace("_", "") for name in (renaming.old, renaming.new))
    return {word.replace(old, new) for word in found}
