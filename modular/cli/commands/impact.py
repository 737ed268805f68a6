"""`modular impact`."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from modular.cli.options import output_format_option, subcommand
from modular.cli.printing import counted, echo
from modular.cli.rendering import render
from modular.cli.rendering.by_cause import joined
from modular.cli.rendering.diffs import echo_diff, lines_of_cause
from modular.cli.rendering.json import attributes, error_values, print_object
from modular.cli.reporting import leave, print_left_out, with_progress
from modular.project.project import model_name
from modular.run.api import Options


if TYPE_CHECKING:
    from modular.review.broken import Broken
    from modular.review.impact import Impact

_MODELS = 10
"""Models that are named for one cause."""


@subcommand("impact", "root", "source_library", "jobs", "no_cache")
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=click.Path())
@click.option("--since", metavar="REF", default="HEAD", help="The commit to compare with; the last one if not given.")
@output_format_option("json", "markdown")
def command(paths: tuple[str, ...], options: Options, since: str, output_format: str) -> None:
    """Show what changes in the working tree would do to the generated files, and which models break.

    Nothing is written. With a PATH only changes of that file or folder count. Exit code 1 if something breaks.
    """
    from modular.review.impact import impact

    with with_progress(options) as options:
        result = impact(paths, since=since, options=options)
    if output_format == "json":
        print_object(_values(result))
    else:
        if output_format == "markdown":
            values = {"summary": _summary(result), "causes": result.causes, "problems": list(_problems(result))}
            echo(render("impact.md", models=_models, **values), nl=False)
        else:
            echo_diff("".join(f"{line}\n" for line in _text(result)))
        print_left_out(result.left_out)
    leave(result.is_harmless)


def _text(result: "Impact") -> Iterator[str]:
    for cause in result.causes:
        yield from lines_of_cause(cause)
    yield from _problems(result)
    yield _summary(result)


def _problems(result: "Impact") -> Iterator[str]:
    """What breaks: what is the same in several models once, as a check says it."""
    same: dict[str, list[Broken]] = {}
    for broken in result.broken:
        same.setdefault(broken.message, []).append(broken)
    for first, *others in same.values():
        models = sorted({model_name(broken.place.path) for broken in (first, *others)})
        more = f"; the same in {counted(len(models), 'model')}: {_models(models)}" if len(models) > 1 else ""
        yield f"{first.place.path}:{first.place.line}: `{first.class_}` {first.message}{more}"
    for diagnostic in joined(result.diagnostics):
        place = diagnostic.place
        yield f"{place.path}:{place.line}: {diagnostic.code.id} {diagnostic.message}"


def _summary(result: "Impact") -> str:
    if not result.files:
        return "no generated file changes" if result.is_harmless else "no generated file changes, but something breaks"
    added = sum(file.difference.added for file in result.files)
    removed = sum(file.difference.removed for file in result.files)
    files, models = counted(len(result.files), "file"), counted(len(result.models), "model")
    broken = len(result.broken) + len(result.diagnostics)
    breaks = f"; {counted(broken, 'place')} {'breaks' if broken == 1 else 'break'}" if broken else ""
    return f"{files} of {models} would change: +{added} -{removed}, {counted(len(result.causes), 'cause')}{breaks}"


def _models(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MODELS} more" if len(names) > _MODELS else ""
    return ", ".join(names[:_MODELS]) + more


def _values(result: "Impact") -> dict[str, object]:
    return {
        "since": result.since,
        "files": [
            {**attributes(file, "path", "modular", "diff"), **attributes(file.difference, "added", "removed")}
            for file in result.files
        ],
        "causes": [
            {
                "path": None if cause.place is None else cause.place.path,
                "line": None if cause.place is None else cause.place.line,
                "name": cause.title,
                **attributes(cause, "models", "files", "added", "removed"),
                "lines": cause.changes[0].lines,
            }
            for cause in result.causes
        ],
        "broken": [
            {
                **attributes(broken.place, "path", "line"),
                **attributes(broken, "member", "message"),
                "class": broken.class_,
            }
            for broken in result.broken
        ],
        **error_values(result.diagnostics),
    }
