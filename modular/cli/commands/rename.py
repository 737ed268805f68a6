"""The command `modular rename`."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from modular.cli.help import GroupedCommand
from modular.cli.options import (
    conversion_options,
    diff_option,
)
from modular.cli.printing import echo, echo_lines
from modular.cli.rendering.diffs import echo_diff
from modular.cli.reporting import exit_with, print_diagnostics, with_progress
from modular.run.api import Options
from modular.source.diagnostics import Diagnostic
from modular.source.diffs import compare
from modular.source.module import normalize_text
from modular.system.printable import counted, one_line


if TYPE_CHECKING:
    from modular.refactor.rename import Rename

_MAX_LISTED_PLACES = 10


@click.command(
    "rename",
    cls=GroupedCommand,
    examples={
        "modular rename MyModelMLP MyModelFeedForward --diff": "Show what a new name would change.",
        "modular rename MyModelMLP.act_fn activation": "Rename an attribute.",
    },
)
@click.argument("old")
@click.argument("new")
@diff_option
@conversion_options
def command(old: str, new: str, options: Options, diff: bool) -> None:
    """Rename a class, function, method or attribute everywhere.

    OLD is a class or function (`LlamaMLP`), or a member of a class (`LlamaMLP.act_fn`).
    If several files define the name, add the module:
    `models.llama.modeling_llama.LlamaMLP`. NEW is the new name, without a class or module.

    The command renames the definition and all references to it, and updates the
    generated files. It also renames classes of other models that replace a copy of the
    class because of their name. For example, if the modular file of mistral defines
    `MistralMLP`, the generated file contains this class instead of a copy of
    `LlamaMLP`. All other child classes keep their names.

    If anything but the name would change in a generated file, the command lists the
    changed lines and writes nothing.
    """
    from modular.infer.overriding_rename import rename_with_overrides

    project = options.open()
    with with_progress(options) as options:
        renaming = rename_with_overrides(project, old, new, options)
    _refuse_hand_edits(renaming)

    new_texts = renaming.edited_texts()
    if diff:
        _print_diff(renaming, new_texts)
    else:
        _write(renaming, new_texts)
    _summarise(renaming, is_written=not diff)
    would_change = diff and bool(new_texts)
    exit_with(not would_change)


def _write(renaming: "Rename", new_texts: Mapping[str, str]) -> None:
    """Write all files of a rename, or none if one of them changed after it was read.

    Args:
        renaming: The rename, with the new texts of generated files.
        new_texts: The new texts of hand-written files, by path.
    """
    from modular.run.writing import (
        read_generated,
        replace_generated,
        replace_handwritten,
        write_alone,
    )

    project = renaming.project
    files = {}
    for path, text in new_texts.items():
        files[path] = replace_handwritten(renaming.sources[path], text)
    for path, text in renaming.generated.items():
        files[path] = replace_generated(read_generated(project.root, path), text)
    problems = write_alone(project.root, {"": files})
    if problems:
        print_diagnostics(list(problems.values()))
        exit_with(False)


def _refuse_hand_edits(renaming: "Rename") -> None:
    """End the command if people wrote in a generated file that would be replaced."""
    diagnostics = list(_find_hand_edits(renaming))
    if diagnostics:
        print_diagnostics(diagnostics)
        echo("nothing was written", err=True)
        exit_with(False)


def _find_hand_edits(renaming: "Rename") -> Iterator[Diagnostic]:
    """Yield the edits by people in generated files that a rename would overwrite.

    A generated file that nobody edited can also look edited, if it is an older output
    that modular does not know. Then no edit is left once the name in it is replaced.
    """
    from modular.run.hand_edits import Replacement, find_hand_edits
    from modular.run.writing import read_generated

    project = renaming.project
    replacements = []
    for path, new_text in renaming.generated.items():
        old = read_generated(project.root, path)
        modular = project.generating_modular(path)
        if old is not None and modular is not None:
            sources = renaming.reads[modular]
            replacements.append(Replacement(path, modular, old, new_text, sources))
    seeming_edits = find_hand_edits(project, replacements)

    renamed_files = []
    for replacement in replacements:
        renamed_text = renaming.expected.get(replacement.path)
        if replacement.path in seeming_edits and renamed_text is not None:
            renamed_files.append(replace(replacement, old=renamed_text.encode()))
    edits_after_rename = find_hand_edits(project, renamed_files)
    older_outputs = {replacement.path for replacement in renamed_files}
    older_outputs -= edits_after_rename.keys()
    for path, edits_of_file in seeming_edits.items():
        if path not in older_outputs:
            yield from edits_of_file


def _print_diff(renaming: "Rename", new_texts: Mapping[str, str]) -> None:
    """Print all changes that a rename would make in files, as a diff.

    Args:
        renaming: The rename, with the new texts of generated files.
        new_texts: The new texts of hand-written files, by path.
    """
    all_texts = {**new_texts, **renaming.generated}
    for path, new_text in sorted(all_texts.items()):
        old_text = renaming.project.load(path, {}).text
        difference = compare(old_text, normalize_text(new_text))
        echo_diff(difference.text(f"a/{path}", f"b/{path}"))


def _summarise(renaming: "Rename", *, is_written: bool) -> None:
    """Print the number of renamed definitions, and what a person should review.

    Args:
        renaming: The rename.
        is_written: Whether the files were written.
    """
    definitions = counted(len(renaming.definitions), "definition")
    sources = counted(len(renaming.edits), "source")
    generated = counted(len(renaming.generated), "generated file")
    verb = "renamed" if is_written else "would be renamed"
    echo(f"{definitions} {verb} in {sources} and {generated}")

    if renaming.overriding:
        echo("overrides were added, please review:", err=True)
        _echo_paths(renaming.overriding)
    if renaming.stale:
        echo("also changed, please review:", err=True)
        _echo_paths(renaming.stale)
    if renaming.failed:
        echo("these models had errors before, and were not converted:", err=True)
        _echo_paths(renaming.failed)
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
    """Print indented paths on standard error."""
    echo_lines((f"  {one_line(path)}" for path in paths), err=True)
