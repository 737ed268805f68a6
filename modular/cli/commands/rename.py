"""The command `modular rename`."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from modular.cli.help import GroupedCommand
from modular.cli.options import (
    conversion_options,
    diff_option,
)
from modular.cli.printing import echo, echo_lines
from modular.cli.rendering.diffs import echo_diff, print_changes
from modular.cli.reporting import exit_with, print_diagnostics, with_progress
from modular.run.api import Options, Status
from modular.source.diffs import compare
from modular.system.printable import counted, one_line


if TYPE_CHECKING:
    from modular.project.project import Project
    from modular.refactor.checked_change import CheckedChange
    from modular.refactor.rename import RenameEdits

_MAX_LISTED_PLACES = 10


@click.command(
    "rename",
    cls=GroupedCommand,
    examples={
        "modular rename LlamaMLP LlamaFeedForward --diff": "Show what a new name changes.",
        "modular rename LlamaMLP.act_fn activation": "Rename an attribute.",
    },
)
@click.argument("old")
@click.argument("new")
@diff_option
@conversion_options
def command(old: str, new: str, options: Options, diff: bool) -> None:
    """Rename a class, function, method or attribute everywhere.

    OLD is a name, dotted where it is ambiguous: LlamaMLP, LlamaMLP.act_fn,
    LlamaConfig.hidden_size, models.llama.modeling_llama.LlamaMLP. NEW is the new name
    alone. The command renames the definition and all references to it in files that
    people write, and converts them. A class that replaces the renamed one in another
    model (MistralMLP) is renamed likewise; other children keep their names. Nothing is
    written if a model would not convert any more, or would change otherwise.
    """
    from modular.refactor.checked_change import check_change
    from modular.refactor.journal import Journal, write_with_journal
    from modular.refactor.rename import edited_texts, rename_in

    project = options.open()
    # An earlier run of the same command may have been killed while it wrote. Then its
    # journal has all that is left to do.
    is_finished = _finish_interrupted(project.root, old, new, writes=not diff)
    if is_finished:
        return
    with with_progress(options) as options:
        renaming = rename_in(project, old, new, options)
        new_texts = edited_texts(renaming)
        change = check_change(project, new_texts, options, is_planned=not diff)
    if change.errors:
        print_diagnostics(change.errors)
        count = counted(len(change.errors), "new error")
        echo(f"{count}: nothing was written", err=True)
        exit_with(False)
    # A generated file must not change by more than the new name.
    _refuse_other_changes(renaming, change)

    _refuse_hand_edits(project, change)

    before = {path: project.load(path, {}).text for path in change.generated()}
    if diff:
        _print_diff(renaming, change)
    else:
        # The journal has all texts, so that a later run can finish this one.
        journal = Journal(
            old=old,
            new=new,
            before={**_sources(project, change.generated()), **renaming.sources},
            after={**change.sources, **change.generated()},
        )
        problem = write_with_journal(project.root, journal)
        if problem is not None:
            print_diagnostics([problem])
            exit_with(False)
    _summarise(renaming, change, before, is_written=not diff)
    would_change = diff and bool(change.sources)
    exit_with(not would_change)


def _finish_interrupted(root: Path, old: str, new: str, *, writes: bool) -> bool:
    """Finish the same rename if it was killed while it wrote files.

    Args:
        root: The root of the project.
        old: The old name that the user gives.
        new: The new name that the user gives.
        writes: Whether this run may write files.

    Returns:
        Whether an interrupted rename was finished, so that there is nothing left to do.

    Raises:
        RenameError: Another rename was interrupted, or this run must not write.
    """
    from modular.refactor.errors import RenameError
    from modular.refactor.journal import finish, interrupted_rename

    journal = interrupted_rename(root)
    if journal is None:
        return False
    if (journal.old, journal.new) != (old, new) or not writes:
        raise RenameError(
            f"`modular rename {journal.old} {journal.new}` was interrupted; run it again "
            "to finish it, or restore its files"
        )
    problem = finish(root, journal)
    if problem is not None:
        print_diagnostics([problem])
        exit_with(False)
    echo(f"finished the interrupted rename in {counted(len(journal.after), 'file')}")
    return True


def _sources(project: "Project", paths: Iterable[str]) -> dict[str, str | None]:
    """Return the texts of some files, byte for byte; None if one does not exist."""
    sources: dict[str, str | None] = {}
    for path in paths:
        loaded = project.load(path, {})
        sources[path] = loaded.source if loaded.problem is None else None
    return sources


def _refuse_other_changes(renaming: "RenameEdits", change: "CheckedChange") -> None:
    """End the command if a rename would change more than names in a generated file.

    Code that a generated file gets from a parent file is found by its name, so other code
    can be found under the new name. Code that the modular file defines stays the same.
    """
    from modular.refactor.rename import changes_more_than_names

    paths = []
    for path, text in change.generated().items():
        if changes_more_than_names(renaming, change.generated_before(path), text):
            paths.append(path)
    if paths:
        echo("error: the code of these files would change otherwise, too:", err=True)
        _echo_paths(paths)
        echo(
            "nothing was written; choose another name, or first define the class or "
            "function in their modular files",
            err=True,
        )
        exit_with(False)


def _refuse_hand_edits(project: "Project", change: "CheckedChange") -> None:
    """End the command if people wrote in a generated file that would be replaced."""
    from modular.run.hand_edits import Replacement, find_hand_edits
    from modular.run.writing import read_generated

    replacements = []
    for path, text in change.generated().items():
        old = read_generated(project.root, path)
        modular = project.generating_modular(path)
        if old is not None and modular is not None:
            sources = change.report.results[modular].reads.keys()
            replacements.append(Replacement(path, modular, old, text, sources))
    edits = find_hand_edits(project, replacements)
    if edits:
        print_diagnostics(
            [edit for file_edits in edits.values() for edit in file_edits]
        )
        echo("nothing was written", err=True)
        exit_with(False)


def _print_diff(renaming: "RenameEdits", change: "CheckedChange") -> None:
    for path, text in sorted(change.sources.items()):
        source = renaming.sources[path].replace("\r\n", "\n")
        difference = compare(source, text.replace("\r\n", "\n"))
        echo_diff(difference.text(f"a/{path}", f"b/{path}"))
    print_changes(change.report, full=False)


def _summarise(
    renaming: "RenameEdits",
    change: "CheckedChange",
    before: Mapping[str, str],
    *,
    is_written: bool,
) -> None:
    """Print the number of renamed definitions, and what a person should review.

    Args:
        renaming: The renamed definitions, and places that may be meant, too.
        change: The new texts of modular and generated files.
        before: The generated files on disk before the rename. They can be stale, and
            then change by more than the names.
        is_written: Whether the files were written.
    """
    from modular.refactor.rename import changes_more_than_names

    definitions = counted(len(renaming.definitions), "definition")
    sources = counted(len(change.sources), "source")
    generated = counted(len(change.generated()), "generated file")
    verb = "renamed" if is_written else "would be renamed"
    echo(f"{definitions} {verb} in {sources} and {generated}")

    stale_paths = []
    for path, text in sorted(change.generated().items()):
        if changes_more_than_names(renaming, before[path], text):
            stale_paths.append(path)
    if stale_paths:
        echo("also changed, please review:", err=True)
        _echo_paths(stale_paths)
    failed_models = set()
    for file in change.before.files:
        if file.status is Status.ERROR:
            failed_models.add(file.modular)
    if failed_models:
        echo(
            "these models had errors before, so their classes that replace the renamed "
            "one keep their names:",
            err=True,
        )
        _echo_paths(sorted(failed_models))
    unclear_places = renaming.unclear_places
    if not unclear_places:
        return
    echo(f"not renamed, please review ({len(unclear_places)}):", err=True)
    for place in unclear_places[:_MAX_LISTED_PLACES]:
        text = one_line(place.text.strip())
        echo(f"  {one_line(place.path)}:{place.line}: {text}", err=True)
    if len(unclear_places) > _MAX_LISTED_PLACES:
        echo(f"  and {len(unclear_places) - _MAX_LISTED_PLACES} more", err=True)


def _echo_paths(paths: Iterable[str]) -> None:
    echo_lines((f"  {one_line(path)}" for path in paths), err=True)
