"""`modular init`."""

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
    """Set a library up: settings, a pre-commit hook and a workflow.

    Finds the package and its models, the formatter, and the library that parents come from. Writes `[tool.modular]` at the
    end of pyproject.toml, a hook into .pre-commit-config.yaml and .github/workflows/modular.yml.
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
        how = f"nothing is added to `repos` in {PRE_COMMIT}, which is no plain list; add this there:"
        echo(f"{how}\n{setup.hook_to_add}", err=True)
    if diff:
        for path, text in setup.files.items():
            echo_diff(
                compare(read_text(folder, path), text).text(f"a/{path}", f"b/{path}")
            )
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
