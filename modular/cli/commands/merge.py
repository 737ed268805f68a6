"""The command `modular merge`."""

import shlex
from pathlib import Path

import click

from modular.cli.help import GroupedCommand
from modular.cli.printing import echo
from modular.cli.reporting import exit_with


_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command(
    "merge",
    cls=GroupedCommand,
    examples={
        'git config merge.modular.driver "modular merge -- %O %A %B %P"': (
            "Register the command, once in each clone."
        ),
    },
)
@click.argument("base", type=_FILE)
@click.argument("ours", type=_FILE)
@click.argument("theirs", type=_FILE)
@click.argument("path", type=click.Path())
def command(base: Path, ours: Path, theirs: Path, path: str) -> None:
    """Merge a file for git, which runs this command during a merge.

    The command merges the changes from BASE to THEIRS into OURS, as git does. PATH is
    the name of the file in the repository. If there are conflicts, the command exits
    with 1. A generated file with conflicts keeps the version OURS, and a message says
    how to generate the file after the merge.
    """
    from modular.git.repository import MAX_OUTPUT_BYTES, merge_files
    from modular.run.merging import generating_model
    from modular.system.printable import one_line
    from modular.system.reading import read_bytes
    from modular.system.writing import NewFile, write_file

    before = read_bytes(ours, MAX_OUTPUT_BYTES)
    merge = merge_files(ours, base, theirs)
    # The marks at conflicts are written before anything else can fail.
    write_file(ours, NewFile(merge.content, expected=before), ours.resolve().parent)
    if not merge.has_conflicts:
        exit_with(clean=True)

    if path.startswith("-"):
        adding = shlex.join(["git", "add", "--", path])
    else:
        adding = shlex.join(["git", "add", path])
    model = generating_model(path)
    name = one_line(path)
    if model is None:
        message = f"{name}: resolve the conflicts, then run `{one_line(adding)}`"
        echo(message, err=True)
    else:
        # The next conversion replaces the file, so conflict marks would be of no use.
        unmarked = NewFile(before, expected=merge.content)
        write_file(ours, unmarked, ours.resolve().parent)
        echo(
            f"{name} is generated: merge the other files, then run "
            f"`modular convert {model}` and `{one_line(adding)}`",
            err=True,
        )
    exit_with(False)
