"""The command `modular init`."""

from pathlib import Path

import click

from modular import __version__
from modular.cli.options import GroupedCommand, pass_options, root_option
from modular.cli.printing import echo, echo_lines
from modular.cli.rendering.diffs import echo_diff
from modular.run.api import Options
from modular.source.diffs import compare


@click.command("init", cls=GroupedCommand)
@click.option("--diff", is_flag=True, help="Print what would change and write nothing.")
@root_option
@pass_options
def command(options: Options, diff: bool) -> None:
    """Set a library or a Hub repository up: settings, a pre-commit hook, a workflow.

    The command detects the package and its models, the formatter, and the library that
    provides the parent models. It appends `[tool.modular]` to pyproject.toml, adds a
    hook to .pre-commit-config.yaml, and writes .github/workflows/modular.yml.
    """
    from modular.format.formatter_config import PYPROJECT
    from modular.scaffold.setup_files import (
        PRE_COMMIT,
        read_originals,
        read_text,
        setup_files,
    )
    from modular.system.writing import write_files

    folder = Path(options.root or Path.cwd()).resolve()
    originals = read_originals(folder)
    setup = setup_files(folder, __version__)
    if setup.hook_to_add:
        problem = f"`repos` in {PRE_COMMIT} is not a plain list"
        echo(f"{problem}; add this hook yourself:\n{setup.hook_to_add}", err=True)
    if diff:
        for path, text in setup.files.items():
            difference = compare(read_text(folder, path), text)
            echo_diff(difference.text(f"a/{path}", f"b/{path}"))
        return

    contents = {}
    expected = {}
    for path, text in setup.files.items():
        contents[folder / path] = text.encode(errors="surrogateescape")
        expected[folder / path] = originals[path]
    write_files(contents, folder, expected=expected)
    echo_lines(f"{path} written" for path in setup.files)
    if PYPROJECT not in setup.files:
        echo(f"{PYPROJECT} unchanged: the preset fits this library")
    echo("next: `modular check`, or `modular new MODEL --from PARENT`")
