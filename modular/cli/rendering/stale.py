"""Generated files that are stale or missing, as diagnostics, for formats that know nothing else."""

from collections.abc import Iterable

from modular.cli.printing import counted
from modular.provenance.causes import Cause
from modular.run.api import FileReport, Status
from modular.source.diagnostics import Diagnostic, Place, Problem
from modular.source.diffs import Diff


_HINT = "run `modular convert`, and commit what it writes; what was changed by hand belongs in the modular file"


def stale_files(files: Iterable[FileReport]) -> list[Diagnostic]:
    """Return a diagnostic for each file that is not what its modular file says, at the first line that differs."""
    diagnostics = []
    for file in files:
        if file.status is Status.MISSING:
            message = f"the file is missing: `{file.modular}` generates it"
            diagnostics.append(Diagnostic(Problem.MISSING_FILE, Place(file.path), message, _HINT, Place(file.modular)))
        elif file.status is Status.STALE:
            place = _first_difference(file.path, file.difference)
            message = f"out of date with `{file.modular}`: {_counted(file.difference)}"
            diagnostics.append(Diagnostic(Problem.STALE_FILE, place, message, _HINT, Place(file.modular)))
    return diagnostics


def stale_causes(causes: Iterable[Cause], files: Iterable[FileReport]) -> list[Diagnostic]:
    """Return a diagnostic for each cause of changes in generated files, at the line that a person wrote, and may edit.

    Code of a parent that differs in one generated file alone was probably edited there by hand: it is that file
    which is named then.
    """
    diagnostics: list[Diagnostic] = []
    alone: set[str] = set()
    for cause in causes:
        if cause.place is not None and (len(cause.files) > 1 or cause.place.path == cause.changes[0].modular):
            diagnostics.append(_of_cause(cause, cause.place))
        else:
            alone.update(cause.files)
    return [*diagnostics, *stale_files(file for file in files if file.path in alone)]


def _of_cause(cause: Cause, place: Place) -> Diagnostic:
    changes = f"{counted(cause.removed, 'line')} to remove, {cause.added} to add"
    if len(cause.files) == 1:
        message = f"`{cause.files[0]}` is out of date with this code: {changes}"
    else:
        listed = ", ".join(cause.models)
        message = f"{len(cause.files)} generated files are out of date with this code: {changes}, the same in {listed}"
    return Diagnostic(Problem.STALE_FILE, place, message, _HINT)


def _first_difference(path: str, difference: Diff) -> Place:
    hunk = difference.hunks[0]
    if not hunk.removed:
        return Place(path, hunk.old_line)
    text = hunk.removed[0]
    start = len(text) - len(text.lstrip())
    return Place(path, hunk.old_line, start + 1, max(1, len(text.rstrip()) - start), text)


def _counted(difference: Diff) -> str:
    return f"{counted(difference.removed, 'line')} to remove, {difference.added} to add"
