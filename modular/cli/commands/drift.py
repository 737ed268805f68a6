"""The command `modular drift`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from modular.cli.help import GroupedCommand
from modular.cli.options import project_options, text_or_json_option
from modular.cli.printing import echo
from modular.cli.rendering.diffs import echo_diff
from modular.cli.rendering.json import (
    attributes,
    error_values,
    override_values,
    print_object,
)
from modular.cli.reporting import exit_with, print_diagnostics, with_progress
from modular.run.api import Options
from modular.system.printable import counted


if TYPE_CHECKING:
    from modular.effects.drift import Drift, Update

_SHORT_HASH_CHARS = 10


@click.command(
    "drift",
    cls=GroupedCommand,
    examples={
        "modular drift": "List the missed changes in all models.",
        "modular drift olmo2 --write": "Apply the missed changes to a model.",
    },
)
@project_options
@click.option(
    "--diff/--write",
    "diff",
    default=None,
    help="Print the missed changes as a diff of the modular files, or write and convert "
    "these files (default: list the missed changes).",
)
@text_or_json_option
def command(
    targets: tuple[str, ...], options: Options, diff: bool | None, output_format: str
) -> None:
    """Find overrides that missed a later change of the method they were copied from.

    An override often starts as a copy of the parent's method with one line changed. If
    somebody later fixes the parent's method, the override keeps the bug. The command
    searches the git history for such copies, and exits with 1 if it finds one.

    If an override differs on purpose, write `# modular: ignore[drift]` at the end of
    its `def` line.

    A TARGET is the name of a model, a modular file or a folder. By default, the command
    processes the whole project.
    """
    from modular.effects.drift import find_drift, write_missed

    with with_progress(options) as options:
        drift = find_drift(options.open(targets), targets)
        update = None
        if diff is not None:
            update = write_missed(drift, options, dry_run=diff)
    problems = [*drift.problems]
    left_count = 0
    if update is not None:
        problems += update.problems
        left_count = update.left_count

    # The option is True for `--diff`, False for `--write`, and None without either.
    is_written = diff is False
    if output_format == "json":
        print_object(_values(drift, update, is_written=is_written))
    else:
        print_diagnostics(problems)
        # If a target does not exist, nothing was compared.
        if not drift.problems or drift.override_count:
            _print_changes(drift, update, is_written=is_written)
    # With `--write`, only changes that must be applied by hand count.
    is_all_written = is_written and not left_count
    has_drift = bool(drift.changes) and not is_all_written
    exit_with(not problems and not has_drift, wrong_use=bool(drift.problems))


def _print_changes(
    drift: "Drift", update: "Update | None", *, is_written: bool
) -> None:
    """Print the changes that overrides missed, or the new modular files, and a summary.

    Args:
        drift: The changes of parents' methods that overrides lack.
        update: The modular files with the changes applied, or None.
        is_written: Whether these files were written.
    """
    if update is None:
        echo_diff("".join(f"{line}\n" for line in _lines(drift)))
    else:
        echo_diff("".join(file.diff for file in update.files))
    # Where only errors were found, there is nothing to sum up.
    if drift.override_count or not drift.problems:
        echo(_summary(drift, update, is_written=is_written))
    if update is not None and update.left_count:
        changes = counted(update.left_count, "change")
        ending = "calls `super()` and is left: apply it by hand"
        if update.left_count > 1:
            ending = "call `super()` and are left: apply them by hand"
        echo(f"{changes} {ending}")


def _lines(drift: "Drift") -> Iterator[str]:
    """Yield the lines to print: each change of a parent's method, then the overrides.

    An override is a child's copy of the method, in which the change is missing.
    """
    for change in drift.changes:
        overrides = counted(len(change.overrides), "override")
        verb = "has" if len(change.overrides) == 1 else "have"
        commit = change.commit
        if commit is None:
            yield "--- not committed"
        else:
            short_hash = commit.hash[:_SHORT_HASH_CHARS]
            yield f"--- {short_hash} {commit.date} {commit.title}"
        yield (
            f"1 change of `{change.class_}.{change.method}` in {change.path}: "
            f"{overrides} still {verb} the old lines"
        )
        for drifted in change.overrides:
            override = drifted.override
            name = f"`{override.class_}.{override.key}`"
            share = f"{drifted.share:.0%} copied"
            yield f"    {override.modular}:{override.line}: {name}, {share}"
            for hunk in drifted.hunks:
                yield f"@@ {override.modular}:{hunk.line} @@"
                yield from hunk.diff_lines()
        yield ""


def _summary(drift: "Drift", update: "Update | None", *, is_written: bool) -> str:
    """Return the last line of the output, with the numbers of overrides and changes.

    Args:
        drift: The changes of parents' methods that overrides lack.
        update: The modular files with the changes applied, or None.
        is_written: Whether these files were written.
    """
    compared = f"{counted(drift.override_count, 'override')} compared"
    if not drift.changes:
        return f"no drift; {compared}"
    drifted_overrides = set()
    for change in drift.changes:
        for drifted in change.overrides:
            drifted_overrides.add(drifted.override)
    overrides = counted(len(drifted_overrides), "override")
    verb = "lacks" if len(drifted_overrides) == 1 else "lack"
    changes = counted(len(drift.changes), "change")
    summary = f"{overrides} {verb} {changes} of parents; {compared}"
    if update is None or not is_written:
        return f"{summary}; `modular drift --write` applies the changes"
    return f"{summary}; {counted(len(update.files), 'modular file')} written"


def _values(
    drift: "Drift", update: "Update | None", *, is_written: bool
) -> dict[str, object]:
    """Return the changes that overrides missed as values for JSON.

    Args:
        drift: The changes of parents' methods that overrides lack.
        update: The modular files with the changes applied, or None.
        is_written: Whether these files were written.
    """
    changes = []
    for change in drift.changes:
        commit = None
        if change.commit is not None:
            commit = attributes(change.commit, "hash", "date", "title")
        changes.append(
            {
                "commit": commit,
                "path": change.path,
                "class": change.class_,
                "method": change.method,
                "overrides": list(map(override_values, change.overrides)),
            }
        )
    written = []
    problems = list(drift.problems)
    if update is not None:
        if is_written:
            written = [file.path for file in update.files]
        problems += update.problems
    return {"changes": changes, "written": written, **error_values(problems)}
