"""What is wrong in a report with each cause said once, stale and missing generated files included."""

from dataclasses import replace

from modular.cli.rendering.diffs import causes_of
from modular.effects.causes import Cause
from modular.run.api import FileReport, Report, Status
from modular.run.report import join_parent_problems
from modular.source.diagnostics import Diagnostic, Place, Problem
from modular.source.places import place_of
from modular.source.source_slice import generated
from modular.system.terminal import counted


_HINT = "run `modular convert`, and commit what it writes; what was changed by hand belongs in the modular file"

ONLY_IN_LINE_ENDS = "only in Windows line ends (CRLF): write `*.py text eol=lf` into .gitattributes, then `git add --renormalize .`"


def by_cause(report: Report) -> list[Diagnostic]:
    """Return a diagnostic for each cause of what is wrong in a report: at the line that a person wrote, and may edit.

    Code of a parent that differs in one generated file alone was probably edited there by hand: it is that file
    which is named then.
    """
    diagnostics = join_parent_problems(report.diagnostics)
    own = {
        file.path
        for file in report.files
        if file.status is Status.MISSING or file.differs_only_in_line_ends
    }
    for cause in causes_of(
        replace(
            report, files=tuple(file for file in report.files if file.path not in own)
        )
    ):
        if cause.place is not None and (
            len(cause.files) > 1 or cause.place.path == cause.changes[0].modular
        ):
            diagnostics.append(_of_cause(cause, cause.place))
        else:
            own.update(cause.files)
    named = (file for file in report.files if file.path in own)
    return [*diagnostics, *map(file_diagnostic, named)]


def _of_cause(cause: Cause, place: Place) -> Diagnostic:
    changes = f"{counted(cause.removed, 'line')} to remove, {cause.added} to add"
    message = f"`{cause.files[0]}` is out of date with this code: {changes}"
    if len(cause.files) > 1:
        listed = ", ".join(cause.models)
        message = f"{len(cause.files)} generated files are out of date with this code: {changes}, the same in {listed}"
    return Diagnostic(Problem.STALE_FILE, place, message, _HINT)


def file_diagnostic(file: FileReport) -> Diagnostic:
    """Return the diagnostic of a generated file that is missing, or stale: at the first line that differs."""
    if file.status is Status.MISSING:
        message = f"the file is missing: `{file.modular}` generates it"
        return Diagnostic(
            Problem.MISSING_FILE, Place(file.path), message, _HINT, Place(file.modular)
        )
    changes = f"{counted(file.difference.removed, 'line')} to remove, {file.difference.added} to add"
    hunk = file.difference.hunks[0]
    place = Place(file.path, hunk.old_line)
    if hunk.removed:
        place = place_of(generated(hunk.removed[0], file.path, hunk.old_line))
    message = f"out of date with `{file.modular}`: {changes}"
    hint = (
        f"it differs {ONLY_IN_LINE_ENDS}" if file.differs_only_in_line_ends else _HINT
    )
    return Diagnostic(Problem.STALE_FILE, place, message, hint, Place(file.modular))
