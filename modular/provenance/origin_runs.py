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
    """Join adjacent lines of a file into runs if their origins are adjacent, too.

    If lines 5 to 7 come from lines 40 to 42 of one source, they are one run.
    """
    runs: list[OriginRun] = []
    for line in lines:
        last_run = runs[-1] if runs else None
        # With the number of its lines as index, a run returns the line that follows it.
        if last_run is not None and line == last_run.line(last_run.line_count):
            runs[-1] = last_run._replace(line_count=last_run.line_count + 1)
        else:
            runs.append(OriginRun(1, line))
    return runs


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
