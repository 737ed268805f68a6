"""Packs the origins of generated lines into runs, which the cache keeps as JSON."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from modular.flatten.outputs import Renaming
from modular.provenance.origins import BlamedLine
from modular.rules.files.drafts import Provenance


_PROVENANCES = {provenance.value: provenance for provenance in Provenance}
"""The members of `Provenance` by value. To call `Provenance` takes four times as long."""


class OriginRun(NamedTuple):
    """Adjacent generated lines that come from adjacent lines of one source.

    Attributes:
        line_count: The number of lines.
        first: The first of the lines. The others have the next line numbers, and the
            same kind, source file, class, member and renaming.
    """

    line_count: int
    first: BlamedLine

    def line(self, index: int) -> BlamedLine:
        """Return the line of the run with an index (from 0)."""
        first = self.first
        origin_line = first.origin_line
        if origin_line is not None:
            origin_line += index
        # Many lines are created, and `_replace` takes three times as long.
        return BlamedLine(
            line=first.line + index,
            kind=first.kind,
            path=first.path,
            origin_line=origin_line,
            class_=first.class_,
            member=first.member,
            renamed=first.renamed,
        )

    @property
    def end(self) -> int:
        """The number of the line after the last one."""
        return self.first.line + self.line_count

    def goes_on_with(self, next_run: "OriginRun") -> bool:
        """Return whether another run has the next lines, from the next source lines."""
        # The index after the end gives the line with which this run would go on.
        return self.line(self.line_count) == next_run.first

    def lines(self) -> Iterator[BlamedLine]:
        """Yield all lines."""
        return map(self.line, range(self.line_count))

    def lines_from(self, origin_lines: Iterable[int]) -> Iterator[BlamedLine]:
        """Yield the lines of the run that come from some lines of the source."""
        first_origin_line = self.first.origin_line
        if first_origin_line is None:
            # The converter made the lines, so they come from no source.
            return
        for origin_line in origin_lines:
            index = origin_line - first_origin_line
            if 0 <= index < self.line_count:
                yield self.line(index)

    def between(self, start: int, end: int) -> "OriginRun":
        """Return the part of the run from line ``start`` to the line before ``end``."""
        return OriginRun(end - start, self.line(start - self.first.line))


def join_lines(lines: Iterable[BlamedLine]) -> list[OriginRun]:
    """Join adjacent lines of a file into runs if their origins are adjacent, too.

    If lines 5 to 7 come from lines 40 to 42 of one source, they are one run.
    """
    return join_runs(OriginRun(1, line) for line in lines)


def join_runs(runs: Iterable[OriginRun]) -> list[OriginRun]:
    """Join adjacent runs of a file if their origins are adjacent, too.

    A run of lines 5 to 7 from lines 40 to 42 of a source, and one of line 8 from line 43,
    become a run of lines 5 to 8.
    """
    joined: list[OriginRun] = []
    for run in runs:
        if joined and joined[-1].goes_on_with(run):
            last = joined[-1]
            joined[-1] = OriginRun(last.line_count + run.line_count, last.first)
        else:
            joined.append(run)
    return joined


def pair_runs(
    first: Iterable[OriginRun], second: Iterable[OriginRun]
) -> Iterator[tuple[OriginRun, OriginRun]]:
    """Yield the runs of two lists in pairs that have the same lines.

    If a run of one list ends in the middle of a run of the other list, the longer run is
    cut there. For example, the first list has a run of lines 1 to 9, and the second one
    has runs of lines 1 to 4 and 5 to 9. Then two pairs are yielded, and the first list's
    run in two parts.

    Args:
        first: Runs of the lines of a file.
        second: Other runs of the same lines.
    """
    second_runs = iter(second)
    second_run: OriginRun | None = None
    for run in first:
        start = run.first.line
        while start < run.end:
            if second_run is None or second_run.end <= start:
                second_run = next(second_runs)
            end = min(run.end, second_run.end)
            yield run.between(start, end), second_run.between(start, end)
            start = end


def encode(runs: Mapping[str, Sequence[OriginRun]]) -> str:
    """Return the origins of the lines of some files as JSON, for `decode`.

    Lines with adjacent origins are a run, which is stored as one row.

    Args:
        runs: The runs of each file by path, in the order of its lines.
    """
    rows_by_path = {}
    for path, file_runs in runs.items():
        rows = []
        for run in file_runs:
            line = run.first
            row = [
                run.line_count,
                line.kind.value,
                line.path,
                line.origin_line,
                line.class_,
                line.member,
                line.renamed,
            ]
            rows.append(row)
        rows_by_path[path] = rows
    return json.dumps(rows_by_path)


def decode(text: str) -> dict[str, list[OriginRun]]:
    """Return the origins of lines that `encode` wrote, as runs, by path.

    The line numbers are not in the text: each run begins where the last one ends.
    """
    runs = {}
    for path, rows in json.loads(text).items():
        file_runs = []
        next_line = 1
        for line_count, kind, source, origin_line, class_, member, renamed in rows:
            first = BlamedLine(
                line=next_line,
                kind=_PROVENANCES[kind],
                path=source,
                origin_line=origin_line,
                class_=class_,
                member=member,
                renamed=None if renamed is None else Renaming(*renamed),
            )
            file_runs.append(OriginRun(line_count, first))
            next_line += line_count
        runs[path] = file_runs
    return runs
