"""The command `modular init`."""

from collections.abc import Mapping
from pathlib import Path

import click

from modular import __version__
from modular.cli.help import GroupedCommand
from modular.cli.options import diff_option, pass_options, root_option
from modular.cli.printing import echo, echo_lines
from modular.cli.rendering.diffs import echo_diff
from modular.run.api import Options
from modular.source.diffs import compare


@click.command(
    "init",
    cls=GroupedCommand,
    examples={
        "modular init --diff": "Show what would be written.",
        "modular init": "Set the current folder up.",
    },
)
@diff_option
@root_option
@pass_options
def command(options: Options, diff: bool) -> None:
    """Set a library or a Hub repository up: settings, a pre-commit hook, a workflow.

    The command detects the package and its models, the formatter, and the library that
    provides the parent models. It appends `[tool.modular]` to pyproject.toml, adds a
    hook to .pre-commit-config.yaml, and writes .github/workflows/modular.yml.

    In a git repository, it adds lines for the files of models to .gitattributes. Run it
    again to add those of files that were generated since.
    """
    from modular.format.formatter_config import PYPROJECT
    from modular.scaffold.git_attributes import MERGE_DRIVER, add_attributes
    from modular.scaffold.setup_files import (
        ATTRIBUTES,
        PRE_COMMIT,
        read_originals,
        setup_files,
    )
    from modular.settings.settings import has_table

    folder = Path(options.root or Path.cwd()).resolve()
    originals = read_originals(folder)

    # In a library that is set up, only .gitattributes can lack lines.
    attributes = None
    if has_table(folder):
        attributes = add_attributes(folder)

    # If it lacks none either, `setup_files` says that the library is set up already.
    if attributes is None:
        setup = setup_files(folder, __version__)
        if setup.hook_to_add:
            problem = f"`repos` in {PRE_COMMIT} is not a plain list"
            echo(f"{problem}; add this hook yourself:\n{setup.hook_to_add}", err=True)
        _write(folder, setup.files, originals, diff)
        if PYPROJECT not in setup.files and not diff:
            echo(f"{PYPROJECT} unchanged: the preset fits this library")
        # New settings are not written with `--diff`. Without them, the files of models
        # are not known.
        has_settings = PYPROJECT not in setup.files or not diff
        if has_settings:
            attributes = add_attributes(folder)
    if attributes is not None:
        _write(folder, {ATTRIBUTES: attributes}, originals, diff)
    if diff:
        return
    if attributes is not None:
        echo("to let git merge generated files, run this in each clone:")
        echo(f'  git config merge.modular.driver "{MERGE_DRIVER}"')
    echo("next: `modular check`, or `modular new MODEL --from PARENT`")


def _write(
    folder: Path,
    files: Mapping[str, str],
    originals: Mapping[str, bytes | None],
    diff: bool,
) -> None:
    """Write files, or only print what would change.

    Args:
        folder: The root of the project.
        files: The new texts by path from the root.
        originals: The contents when the files were read; None for a missing file. If
            one has changed since, nothing is written.
        diff: Print the changes instead of writing.
    """
    from modular.scaffold.setup_files import read_text
    from modular.system.writing import write_files

    if diff:
        for path, text in files.items():
            difference = compare(read_text(folder, path), text)
            echo_diff(difference.text(f"a/{path}", f"b/{path}"))
        return
    contents = {}
    expected = {}
    for path, text in files.items():
        contents[folder / path] = text.encode(errors="surrogateescape")
        expected[folder / path] = originals[path]
    write_files(contents, folder, expected=expected)
    echo_lines(f"{path} written" for path in files)
