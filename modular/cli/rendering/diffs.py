"""What changes in generated files, for people: by cause where several files change, else as diffs."""

import sys
from collections.abc import Iterator

from modular.cli.printing import echo_painted, in_colour
from modular.effects.causes import Cause, Change
from modular.provenance.outline import UNOWNED
from modular.run.api import FileReport, Report, Status
from modular.system.printable import clean
from modular.system.terminal import BLUE, BOLD, GREEN, RED, coloured, counted


_STYLES = (("---", BOLD), ("+++", BOLD), ("@@", BLUE), ("+", GREEN), ("-", RED))
"""The styles of lines by their beginnings."""


def causes_of(report: Report) -> tuple[Cause, ...]:
    """Return what caused the changes of generated files that are there already; those of most files come first."""
    from modular.effects.causes import find_causes
    from modular.provenance.blame import Blamer
    from modular.run.engine import Engine

    changed = [file for file in report.files if file.difference and file.difference.old]
    if not changed:
        return ()
    generator = report.project.generator
    known = [file for file in changed if generator(file.path) == file.modular]
    return find_causes(
        known, Blamer(Engine(report.project, results=report.results))
    ) + tuple(_unknown(file) for file in changed if file not in known)


def _unknown(file: FileReport) -> Cause:
    """The change of a file that no model's folder holds: nothing tells what caused it."""
    lines = tuple(line for hunk in file.difference.hunks for line in hunk.lines)
    return Cause((Change(file.path, file.modular, 1, None, UNOWNED, lines),))


def print_changes(report: Report, *, full: bool) -> None:
    """Print what changes. Where one cause has changed several files, it is shown once, but with ``full``."""
    changed = [file for file in report.files if file.difference]
    if len(changed) > 1 and not full:
        new = [file for file in changed if not file.difference.old]
        causes = causes_of(report)
        if len(new) > 1 or any(len(cause.files) > 1 for cause in causes):
            parts = (*map(_new, new), *(cause.lines() for cause in causes))
            echo_diff("".join(f"{line}\n" for lines in parts for line in lines))
            return
    echo_diff("".join(file.diff for file in changed))


def _new(file: FileReport) -> Iterator[str]:
    state = "missing" if file.status is Status.MISSING else "new"
    yield f"--- {file.path} is {state}: {counted(file.difference.added, 'line')}, from {file.modular}"


def echo_diff(text: str) -> None:
    """Print diffs, in colour where a terminal shows them."""
    colour = in_colour(sys.stdout)
    if colour:
        text = "\n".join(_painted(clean(line, keep="\t")) for line in text.split("\n"))
    echo_painted(text, colour=colour, err=False)


def _painted(line: str) -> str:
    """A line of a diff in the colours that people know."""
    style = next(
        (style for beginning, style in _STYLES if line.startswith(beginning)), None
    )
    return line if style is None else coloured(line, style)
