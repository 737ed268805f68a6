"""`modular rename`."""

import difflib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from modular.cli.diffs import echo_diff, print_changes
from modular.cli.options import JOBS, NO_CACHE, ROOT, GroupedCommand
from modular.cli.printing import counted, echo
from modular.cli.reporting import leave, print_diagnostics, run_with_progress
from modular.run.api import Options


if TYPE_CHECKING:
    from modular.project.project import Project
    from modular.refactor.checked_change import CheckedChange
    from modular.refactor.rename import Renaming

_MOST_LEFT = 10
"""Places that still have the old name and are listed."""


@click.command("rename", cls=GroupedCommand)
@click.argument("old")
@click.argument("new")
@ROOT
@click.option("--diff", is_flag=True, help="Print what would change and write nothing.")
@JOBS
@NO_CACHE
def command(old: str, new: str, root: Path | None, diff: bool, jobs: int | None, no_cache: bool) -> None:
    """Rename a class, function or method everywhere.

    OLD is a name, dotted where it is ambiguous: LlamaMLP, LlamaMLP.forward, models.llama.modeling_llama.LlamaMLP. NEW is
    the new name alone. Renamed are the definition, all that refers to it in files that people write and, by converting
    them, all generated files. A class that replaces the renamed one in another model (MistralMLP) is renamed likewise;
    other children keep their names. Nothing is written if a model would not convert any more.
    """
    options = Options(root=root, jobs=jobs, cache=not no_cache)
    renaming, change = run_with_progress(lambda chosen: _checked(old, new, chosen), options)
    if change.errors:
        print_diagnostics(replace(change.report, diagnostics=change.errors))
        echo(f"{counted(len(change.errors), 'new error')}: nothing was written", err=True)
        leave(False)
    before = {path: change.project.load(path, {}).text for path in change.generated}
    if diff:
        echo_diff(_source_diff(change.project, change.sources))
        print_changes(change.report, full=False)
    elif (problem := change.write()) is not None:
        print_diagnostics(replace(change.report, diagnostics=(problem,)))
        leave(False)
    _summarise(renaming, change, before, would="would be " if diff else "")


def _checked(old: str, new: str, options: Options) -> "tuple[Renaming, CheckedChange]":
    from modular.refactor.checked_change import check_change
    from modular.refactor.rename import edited_texts, rename

    project = options.open()
    renaming = rename(project, old, new)
    return renaming, check_change(project, edited_texts(project, renaming), options)


def _differing_otherwise(renaming: "Renaming", change: "CheckedChange", before: Mapping[str, str]) -> list[str]:
    from modular.refactor.rename import differs_otherwise

    changed = change.generated
    return sorted(path for path, text in before.items() if differs_otherwise(renaming, text, changed[path]))


def _source_diff(project: "Project", sources: Mapping[str, str]) -> list[str]:
    found: list[str] = []
    for path, text in sorted(sources.items()):
        before = project.load(path, {}).text
        found += difflib.unified_diff(before.split("\n"), text.split("\n"), f"a/{path}", f"b/{path}", lineterm="")
    return found


def _summarise(renaming: "Renaming", change: "CheckedChange", before: Mapping[str, str], would: str) -> None:
    files = f"{counted(len(change.sources), 'source')} and {counted(len(change.generated), 'generated file')}"
    echo(f"{counted(len(renaming.definitions), 'definition')} {would}renamed in {files}")
    if more := _differing_otherwise(renaming, change, before):
        echo(f"also changed, please review: {', '.join(more)}", err=True)
    if renaming.left:
        echo(f"not renamed, please review ({len(renaming.left)}):", err=True)
        for place in renaming.left[:_MOST_LEFT]:
            echo(f"  {place.path}:{place.line}: {place.text.strip()}", err=True)
        if len(renaming.left) > _MOST_LEFT:
            echo(f"  and {len(renaming.left) - _MOST_LEFT} more", err=True)
