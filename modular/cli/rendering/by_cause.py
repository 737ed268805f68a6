"""Turns the changes of generated files into diagnostics, one for each cause."""

from dataclasses import replace
from typing import TYPE_CHECKING

from modular.cli.rendering.diffs import causes_of
from modular.run.api import FileReport, Report, Status
from modular.run.report import join_parent_problems
from modular.source.diagnostics import Diagnostic, Place, Problem
from modular.source.places import place_of
from modular.source.source_slice import synthetic
from modular.system.printable import counted


if TYPE_CHECKING:
    from modular.effects.causes import Cause


ONLY_IN_LINE_ENDS = (
    "only in Windows line ends (CRLF): write `*.py text eol=lf` into .gitattributes, "
    "then `git add --renormalize .`"
)
_HINT = (
    "run `modular convert` and commit the result; "
    "move changes made by hand into the modular file"
)


def by_cause(report: Report) -> list[Diagnostic]:
    """Return the diagnostics of a report, with one for each edit that makes files stale.

    One changed line of a parent can make many generated files stale. There is only one
    diagnostic for all of them, at that line. Other files are reported one by one: missing
    files, files that differ only in line ends or formatting, and files that somebody has
    edited.
    """
    diagnostics = join_parent_problems(report.diagnostics)
    paths_to_report = set()
    possibly_caused_by_edits = []
    for file in report.files:
        if (
            file.status is Status.MISSING
            or file.differs_only_in_line_ends
            or file.differs_only_in_formatting
        ):
            paths_to_report.add(file.path)
        else:
            possibly_caused_by_edits.append(file)

    for cause in causes_of(replace(report, files=tuple(possibly_caused_by_edits))):
        # Without a place, the edit of a source is unknown.
        if cause.place is None or _is_probably_hand_edit(cause, cause.place):
            paths_to_report.update(cause.files)
        else:
            diagnostics.append(_cause_diagnostic(cause, cause.place))

    for file in report.files:
        if file.path in paths_to_report:
            diagnostics.append(file_diagnostic(file, report.formatter_note))
    return diagnostics


def _is_probably_hand_edit(cause: "Cause", place: Place) -> bool:
    """Return whether somebody probably edited a generated file, and not its source.

    This is probable if the lines come from a parent file: an edit of the parent would
    probably change several generated files.

    Args:
        cause: The changed lines of generated files.
        place: The source line from which they come.
    """
    if len(cause.files) > 1:
        return False
    modular_file = cause.changes[0].modular
    comes_from_parent = place.path != modular_file
    return comes_from_parent


def _cause_diagnostic(cause: "Cause", place: Place) -> Diagnostic:
    """Return the diagnostic of a changed source line that makes generated files stale.

    Args:
        cause: The changes of generated files that the line causes.
        place: The line.
    """
    changes = f"{counted(cause.removed, 'line')} to remove, {cause.added} to add"
    if len(cause.files) > 1:
        models = ", ".join(cause.models)
        count = len(cause.files)
        subject = f"{count} generated files are out of date with this code"
        message = f"{subject}: {changes}, the same in {models}"
    else:
        message = f"`{cause.files[0]}` is out of date with this code: {changes}"
    return Diagnostic(Problem.STALE_FILE, place, message, _HINT)


def file_diagnostic(file: FileReport, formatter_note: str = "") -> Diagnostic:
    """Return the diagnostic of a missing file, or of the first difference of a file.

    Args:
        file: A file that is stale or missing.
        formatter_note: The note of the report, which is the hint of files that differ
            in formatting alone.
    """
    modular_place = Place(file.modular)
    if file.status is Status.MISSING:
        return Diagnostic(
            code=Problem.MISSING_FILE,
            place=Place(file.path),
            message=f"the file is missing: `{file.modular}` generates it",
            hint=_HINT,
            related=modular_place,
        )

    hunk = file.difference.hunks[0]
    if hunk.removed:
        # The file has a stale line. The diagnostic shows its text.
        place = place_of(synthetic(hunk.removed[0], file.path, hunk.old_line))
    else:
        # Lines are missing in the file, so no text is shown.
        place = Place(file.path, hunk.old_line)

    if file.differs_only_in_line_ends:
        hint = f"it differs {ONLY_IN_LINE_ENDS}"
    elif file.differs_only_in_formatting:
        hint = formatter_note
    else:
        hint = _HINT
    removed = counted(file.difference.removed, "line")
    changes = f"{removed} to remove, {file.difference.added} to add"
    return Diagnostic(
        code=Problem.STALE_FILE,
        place=place,
        message=f"out of date with `{file.modular}`: {changes}",
        hint=hint,
        related=modular_place,
    )
