"""Prints the changes of generated files, by cause if several files change."""

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from modular.cli.printing import echo_painted, in_colour
from modular.cli.rendering.terminal import BLUE, BOLD, GREEN, RED, coloured
from modular.cli.reporting import with_progress
from modular.run.api import FileReport, Options, Report, Status
from modular.system.printable import counted, one_line


if TYPE_CHECKING:
    from modular.effects.causes import Cause


_STYLE_OF_PREFIX = {"---": BOLD, "+++": BOLD, "@@": BLUE, "+": GREEN, "-": RED}
"""The style of a diff line by its prefix; the first prefix that matches counts."""


def causes_of(report: Report) -> "tuple[Cause, ...]":
    """Return the edits of sources that change existing generated files, with the changes.

    One edit of a parent can change many files. The edits that change most files come
    first. Last come changes for which no edit can be found.
    """
    # These imports load a parser, which takes time that completion must not take.
    from modular.effects.causes import find_causes
    from modular.effects.changes import OldRecord
    from modular.effects.edits import find_edits_since
    from modular.provenance.blame import Blamer
    from modular.run.engine import Engine

    traceable_files = []
    untraceable_causes = []
    for file in report.files:
        is_on_disk = bool(file.difference.old)
        # A `Diff` is true if its old and new lines differ.
        is_changed = bool(file.difference)
        if not is_on_disk or not is_changed:
            continue
        # The path of a generated file must tell its modular file, which it does only in
        # the models folders.
        is_traceable = report.project.generating_modular(file.path) == file.modular
        if is_traceable:
            traceable_files.append(file)
        else:
            untraceable_causes.append(_cause_of_file(file))
    if not traceable_files and not untraceable_causes:
        return ()
    options = Options(cache=report.uses_cache, store=report.stores_results)
    with with_progress(options) as options:
        blamer = Blamer(Engine(report.project, options, results=report.results))
        edits = find_edits_since(blamer, "HEAD", report.results)
        causes = find_causes(
            traceable_files, blamer, OldRecord(edits), progress=options.progress
        )
    return (*causes, *untraceable_causes)


def _cause_of_file(file: FileReport) -> "Cause":
    """Return the whole diff of a generated file as one cause, without the edit behind it.

    Usually, a cause is the edit of a source file, with all changes of generated files that
    come from it. This is for a file for which that edit cannot be found.
    """
    from modular.effects.causes import Cause, Variant
    from modular.effects.changes import Change
    from modular.provenance.outline import UNOWNED

    lines: list[str] = []
    for hunk in file.difference.hunks:
        lines += hunk.lines
    # The change has no place in a source, and belongs to no class or function.
    change = Change(
        path=file.path,
        modular=file.modular,
        line=1,
        place=None,
        owner=UNOWNED,
        lines=tuple(lines),
    )
    return Cause((change,), (Variant((change,)),))


def print_changes(report: Report, *, full: bool) -> None:
    """Print the changes of generated files: one by one, or summarized by their causes.

    If one edit changes several files, or several files are new, each edit is printed once
    with its changes, and new files are only named. Otherwise, the diff of each file is
    printed.

    Args:
        report: The report of a run.
        full: Whether to print the diff of each file in any case.
    """
    changed = [file for file in report.files if file.difference]
    if not full and len(changed) > 1:
        new_files = [file for file in changed if not file.difference.old]
        causes = causes_of(report)
        has_shared_cause = any(len(cause.files) > 1 for cause in causes)
        if has_shared_cause or len(new_files) > 1:
            _print_causes(causes, new_files)
            return
    echo_diff("".join(file.diff for file in changed))


def _print_causes(causes: "Iterable[Cause]", new_files: Iterable[FileReport]) -> None:
    """Print the names of new files, and below them the causes of other changes."""
    lines = []
    for file in new_files:
        state = "missing" if file.status is Status.MISSING else "new"
        added = counted(file.difference.added, "line")
        lines.append(f"--- {file.path} is {state}: {added}, from {file.modular}")
    for cause in causes:
        lines += cause.report()
    echo_diff("".join(f"{line}\n" for line in lines))


def echo_diff(text: str) -> None:
    """Print diffs, in colour if the terminal shows colours."""
    colour = in_colour(sys.stdout)
    if colour:
        lines = [_paint(one_line(line)) for line in text.split("\n")]
        text = "\n".join(lines)
    echo_painted(text, colour=colour, err=False)


def _paint(line: str) -> str:
    """Return a line of a diff in the usual colour."""
    for prefix, style in _STYLE_OF_PREFIX.items():
        if line.startswith(prefix):
            return coloured(line, style)
    return line
