"""What changes in generated files, for people: by cause where several files change, else as diffs."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from textwrap import fill

from modular.cli.printing import clean, counted, echo_painted, in_colour, one_line
from modular.provenance.causes import Cause, Change
from modular.run.api import FileReport, Report, Status
from modular.source.outline import NOBODY


_RED, _GREEN, _BLUE, _BOLD = "31", "32", "34", "1"

_LONGEST = 40
"""Lines of a change that are shown if it is one of several."""

_WIDTH = 100
"""Columns that the names of models may take."""


def causes_of(report: Report) -> tuple[Cause, ...]:
    """Return what caused the changes of generated files that are there already; those of most files come first."""
    from modular.provenance.blame import Blamer
    from modular.provenance.causes import causes

    changed = [file for file in report.files if file.difference and not _is_new(file)]
    if not changed:
        return ()
    with closing(report.engine) as engine:
        known = [each for each in changed if engine.project.generator(each.path) == each.modular]
        return causes(known, Blamer(engine)) + tuple(_unknown(each) for each in changed if each not in known)


def _unknown(file: FileReport) -> Cause:
    """The change of a file that no model's folder holds: nothing tells what caused it."""
    lines = tuple(line for hunk in file.difference.hunks for line in hunk.lines)
    return Cause((Change(file.path, file.modular, 1, None, NOBODY, lines),))


def print_changes(report: Report, *, full: bool) -> None:
    """Print what changes. Where one cause has changed several files, it is shown once, but with ``full``."""
    changed = [file for file in report.files if file.difference]
    if len(changed) > 1 and not full:
        new = [each for each in changed if _is_new(each)]
        found = causes_of(report)
        if len(new) > 1 or any(len(cause.files) > 1 for cause in found):
            echo_diff(line for part in (*map(_new, new), *map(_by_cause, found)) for line in part)
            return
    echo_diff(line for each in changed for line in each.diff.split("\n")[:-1])


def print_stat(files: Sequence[FileReport]) -> None:
    """Print how many lines of each file change, and of all."""
    counts = {file.path: (file.difference.added, file.difference.removed) for file in files if file.difference}
    width = max((len(one_line(path)) for path in counts), default=0)
    echo_diff(f" {one_line(path):<{width}} | +{added} -{removed}" for path, (added, removed) in counts.items())
    if counts:
        added, removed = map(sum, zip(*counts.values(), strict=True))
        echo_diff([f" {counted(len(counts), 'file')}, {counted(added, 'line')} added, {removed} removed"])


def _is_new(file: FileReport) -> bool:
    """Whether a file that differs was not there."""
    return not file.difference.old


def _new(file: FileReport) -> Iterator[str]:
    state = "missing" if file.status is Status.MISSING else "new"
    yield f"--- {file.path} is {state}: {counted(file.difference.added, 'line')}, from {file.modular}"


def _by_cause(cause: Cause) -> Iterator[str]:
    first = cause.changes[0]
    where = f"{cause.place.path}:{cause.place.line}" if cause.place is not None else f"{first.path}:{first.line}"
    yield f"--- {cause.title}, {where}: {counted(len(cause.files), 'file')}, +{cause.added} -{cause.removed}"
    if len(cause.files) > 1:
        models = f"{counted(len(cause.models), 'model')}: {', '.join(cause.models)}"
        yield from fill(models, _WIDTH, initial_indent="    ", subsequent_indent="    ").splitlines()
    yield f"@@ {first.path}:{first.line} @@"
    yield from first.lines[:_LONGEST]
    if len(first.lines) > _LONGEST:
        yield f"    ... {counted(len(first.lines) - _LONGEST, 'more line')}: `--full` shows all"
    yield ""


def echo_diff(lines: Iterable[str]) -> None:
    """Print lines of diffs, in colour where a terminal shows them."""
    colour = in_colour(sys.stdout)
    text = "".join(f"{_painted(clean(line, keep=chr(9))) if colour else line}\n" for line in lines)
    echo_painted(text, colour=colour, err=False)


def _painted(line: str) -> str:
    """A line of a diff in the colours that people know."""
    style = next((style for start, style in _STYLES if line.startswith(start)), None)
    return line if style is None else f"\x1b[{style}m{line}\x1b[0m"


_STYLES = (("---", _BOLD), ("+++", _BOLD), ("@@", _BLUE), ("+", _GREEN), ("-", _RED))
