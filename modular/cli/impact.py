"""`modular impact`."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from modular.cli.options import JOBS, NO_CACHE, ROOT, SOURCE_LIBRARY, GroupedCommand
from modular.cli.printing import counted, echo, echo_object
from modular.cli.rendering.joining import joined
from modular.cli.reporting import leave, print_left_out, run_with_progress
from modular.cli.suggesting import NearChoice
from modular.project.project import model_name
from modular.run.api import Options


if TYPE_CHECKING:
    from modular.provenance.causes import Cause
    from modular.review.broken import Broken
    from modular.review.impact import Impact

_MODELS = 10
"""Models that are named for one cause."""

_LINES = 40
"""Lines of one cause that are shown."""


@click.command("impact", cls=GroupedCommand)
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=click.Path())
@ROOT
@SOURCE_LIBRARY
@click.option("--since", metavar="REF", default="HEAD", help="The commit to compare with; the last one if not given.")
@JOBS
@NO_CACHE
@click.option("--output-format", type=NearChoice(["text", "json", "markdown"]), default="text", help="How to report.")
def command(
    paths: tuple[str, ...],
    root: Path | None,
    source_library: str | None,
    since: str,
    jobs: int | None,
    no_cache: bool,
    output_format: str,
) -> None:
    """Show what changes in the working tree would do to the generated files, and which models break.

    Nothing is written. With a PATH only changes of that file or folder count. Exit code 1 if something breaks.
    """
    from modular.review.impact import impact

    options = Options(root=root, jobs=jobs, cache=not no_cache, source_library=source_library)
    found = run_with_progress(lambda chosen: impact(paths, since=since, options=chosen), options)
    if output_format == "json":
        echo_object(_as_json(found))
    else:
        lines = _markdown(found) if output_format == "markdown" else _text(found)
        echo("".join(f"{line}\n" for line in lines), nl=False)
        print_left_out(found.left_out)
    leave(found.is_harmless)


def _text(found: "Impact") -> Iterator[str]:
    for cause in found.causes:
        yield f"{_place(cause)}{cause.title}: {_size(cause)}"
        yield f"  in {_models(cause.models)}"
        yield from (f"    {line}" for line in _shown(cause))
        yield ""
    yield from _problems(found)
    yield _summary(found)


def _problems(found: "Impact") -> Iterator[str]:
    """What breaks: what is the same in several models once, as a check says it."""
    same: dict[str, list[Broken]] = {}
    for broken in found.broken:
        same.setdefault(broken.message, []).append(broken)
    for first, *others in same.values():
        models = sorted({model_name(broken.place.path) for broken in (first, *others)})
        more = f"; the same in {counted(len(models), 'model')}: {_models(models)}" if len(models) > 1 else ""
        yield f"{first.place.path}:{first.place.line}: `{first.class_}` {first.message}{more}"
    for diagnostic in joined(found.diagnostics):
        place = diagnostic.place
        yield f"{place.path}:{place.line}: {diagnostic.code.id} {diagnostic.message}"


def _markdown(found: "Impact") -> Iterator[str]:
    yield "### Generated code\n"
    yield f"{_summary(found)}\n"
    if found.causes:
        yield "| cause | lines | models |\n| --- | --- | --- |"
        for cause in found.causes:
            yield f"| {_cell(cause.title)} `{_cell(_place(cause).removesuffix(': '))}` | {_size(cause)} | {_cell(_models(cause.models))} |"
    if problems := list(_problems(found)):
        yield "\n#### What breaks\n"
        yield from (f"- {_cell(problem)}" for problem in problems)


def _cell(text: str) -> str:
    """A text inside a table or list: nothing in it ends the cell or is taken for HTML."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def _summary(found: "Impact") -> str:
    if not found.files:
        return "no generated file changes" if found.is_harmless else "no generated file changes, but something breaks"
    added = sum(file.difference.added for file in found.files)
    removed = sum(file.difference.removed for file in found.files)
    files, models = counted(len(found.files), "file"), counted(len(found.models), "model")
    broken = len(found.broken) + len(found.diagnostics)
    breaks = f"; {counted(broken, 'place')} {'breaks' if broken == 1 else 'break'}" if broken else ""
    return f"{files} of {models} would change: {_lines(added, removed)}, {counted(len(found.causes), 'cause')}{breaks}"


def _lines(added: int, removed: int) -> str:
    return f"+{added} -{removed}"


def _size(cause: "Cause") -> str:
    return f"{_lines(cause.added, cause.removed)} in {counted(len(cause.files), 'file')}"


def _place(cause: "Cause") -> str:
    return "" if cause.place is None else f"{cause.place.path}:{cause.place.line}: "


def _models(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MODELS} more" if len(names) > _MODELS else ""
    return ", ".join(names[:_MODELS]) + more


def _shown(cause: "Cause") -> Iterator[str]:
    lines = cause.changes[0].lines
    yield from lines[:_LINES]
    if len(lines) > _LINES:
        yield f"... {len(lines) - _LINES} more"


def _as_json(found: "Impact") -> dict[str, object]:
    return {
        "since": found.since,
        "files": [
            {
                "path": file.path,
                "modular": file.modular,
                "added": file.difference.added,
                "removed": file.difference.removed,
                "diff": file.diff,
            }
            for file in found.files
        ],
        "causes": [
            {
                "path": None if cause.place is None else cause.place.path,
                "line": None if cause.place is None else cause.place.line,
                "name": cause.title,
                "models": list(cause.models),
                "files": list(cause.files),
                "added": cause.added,
                "removed": cause.removed,
                "lines": list(cause.changes[0].lines),
            }
            for cause in found.causes
        ],
        "broken": [
            {
                "path": each.place.path,
                "line": each.place.line,
                "class": each.class_,
                "member": each.member,
                "message": each.message,
            }
            for each in found.broken
        ],
        "errors": [
            {
                "path": diagnostic.place.path,
                "line": diagnostic.place.line,
                "code": diagnostic.code.id,
                "message": diagnostic.message,
            }
            for diagnostic in found.diagnostics
        ],
    }
