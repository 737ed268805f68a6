"""Packs the origins of generated lines into runs, which the cache keeps as JSON."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from modular.provenance.origins import BlamedLine
from modular.rules.files.drafts import Provenance
from modular.source.source_slice import Renaming


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
        """Return the line with an index (from 0)."""
        first = self.first
        origin_line = first.origin_line
        if origin_line is not None:
            origin_line += index
        return first._replace(line=first.line + index, origin_line=origin_line)

    def lines(self) -> Iterator[BlamedLine]:
        """Yield all lines."""
        return map(self.line, range(self.line_count))


def join_lines(lines: Iterable[BlamedLine]) -> list[OriginRun]:
    """Return all lines of a file as runs."""
    runs: list[OriginRun] = []
    for line in lines:
        if runs and line == runs[-1].line(runs[-1].line_count):
            first = runs[-1].first
            runs[-1] = OriginRun(runs[-1].line_count + 1, first)
        else:
            runs.append(OriginRun(1, line))
    return runs


def encode(runs: Mapping[str, Sequence[OriginRun]]) -> str:
    """Return the runs of some files as JSON, for `decode`.

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
    """Return the runs that `encode` wrote, by path."""
    runs = {}
    for path, rows in json.loads(text).items():
        file_runs = []
        next_line = 1
        for line_count, kind, source, origin_line, class_, member, renamed in rows:
            first = BlamedLine(
                line=next_line,
                kind=Provenance(kind),
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
