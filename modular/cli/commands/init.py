"""`modular init`."""

from pathlib import Path

import click

from modular import __version__
from modular.cli.options import subcommand
from modular.cli.printing import echo, echo_lines
from modular.cli.rendering.diffs import echo_diff
from modular.run.api import Options
from modular.source.diffs import compare


@subcommand("init", "root")
@click.option("--diff", is_flag=True, help="Print what would change and write nothing.")
def command(options: Options, diff: bool) -> None:
    """Set a library up: settings, a pre-commit hook and a workflow.

    Finds the package and its models, the formatter, and the library that parents come from. Writes `[tool.modular]` at the
    end of pyproject.toml, a hook into .pre-commit-config.yaml and .github/workflows/modular.yml.
    """
    from modular.run.setup_files import setup_files
    from modular.source.system.writing import write_files

    folder = Path(options.root or Path.cwd()).resolve()
    files = setup_files(folder, __version__)
    if diff:
        for path, text in files.items():
            place = folder / path
            before = place.read_text(encoding="utf-8") if place.exists() else ""
            echo_diff(compare(before, text).text(f"a/{path}", f"b/{path}"))
        return
    write_files({folder / path: text.encode() for path, text in files.items()}, folder)
    echo_lines(f"{path} written" for path in files)
    echo("next: `modular check`, or `modular new MODEL --from PARENT`")
