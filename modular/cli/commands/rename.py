"""`modular rename`."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from modular.cli.options import subcommand
from modular.cli.printing import echo, echo_lines
from modular.cli.rendering.diffs import echo_diff, print_changes
from modular.cli.reporting import exit_with, print_diagnostics, with_progress
from modular.run.api import Options
from modular.source.diffs import compare
from modular.system.terminal import counted


if TYPE_CHECKING:
    from modular.refactor.autofix import CheckedChange
    from modular.refactor.rename import RenameEdits

_MOST_LEFT = 10
"""Places that still have the old name and are listed."""


@subcommand("rename", "root", "jobs", "no_cache", "ruff")
@click.argument("old")
@click.argument("new")
@click.option("--diff", is_flag=True, help="Print what would change and write nothing.")
def command(old: str, new: str, options: Options, diff: bool) -> None:
    """Rename a class, function or method everywhere.

    OLD is a name, dotted where it is ambiguous: LlamaMLP, LlamaMLP.forward, models.llama.modeling_llama.LlamaMLP. NEW is
    the new name alone. Renamed are the definition, all that refers to it in files that people write and, by converting
    them, all generated files. A class that replaces the renamed one in another model (MistralMLP) is renamed likewise;
    other children keep their names. Nothing is written if a model would not convert any more.
    """
    from modular.refactor.autofix import check_change
    from modular.refactor.rename import edited_texts, rename_in

    project = options.open()
    with with_progress(options) as options:
        renaming = rename_in(project, old, new)
        change = check_change(project, edited_texts(project, renaming), options)
    if change.errors:
        print_diagnostics(change.errors)
        echo(
            f"{counted(len(change.errors), 'new error')}: nothing was written", err=True
        )
        exit_with(False)
    before = {
        path: project.load(path, {}).text
        for path in (*change.sources, *change.generated)
    }
    if diff:
        for path, text in sorted(change.sources.items()):
            echo_diff(
                compare(before[path], text.replace("\r\n", "\n")).text(
                    f"a/{path}", f"b/{path}"
                )
            )
        print_changes(change.report, full=False)
    elif (problem := change.write()) is not None:
        print_diagnostics([problem])
        exit_with(False)
    _summarise(renaming, change, before, would="would be " if diff else "")


def _summarise(
    renaming: "RenameEdits",
    change: "CheckedChange",
    before: Mapping[str, str],
    would: str,
) -> None:
    from modular.refactor.rename import differs_otherwise

    files = f"{counted(len(change.sources), 'source')} and {counted(len(change.generated), 'generated file')}"
    echo(
        f"{counted(len(renaming.definitions), 'definition')} {would}renamed in {files}"
    )
    generated = sorted(change.generated.items())
    if more := [
        path
        for path, text in generated
        if differs_otherwise(renaming, before[path], text)
    ]:
        echo(f"also changed, please review: {', '.join(more)}", err=True)
    if renaming.left:
        echo(f"not renamed, please review ({len(renaming.left)}):", err=True)
        echo_lines(
            (
                f"  {place.path}:{place.line}: {place.text.strip()}"
                for place in renaming.left[:_MOST_LEFT]
            ),
            err=True,
        )
        if len(renaming.left) > _MOST_LEFT:
            echo(f"  and {len(renaming.left) - _MOST_LEFT} more", err=True)
