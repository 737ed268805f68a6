"""`modular init`."""

import difflib
from pathlib import Path

import click

from modular import __version__
from modular.cli.diffs import echo_diff
from modular.cli.options import ROOT
from modular.cli.printing import echo
from modular.cli.reporting import run


@click.command("init")
@ROOT
@click.option("--diff", is_flag=True, help="Print what would change and write nothing.")
def command(root: Path | None, diff: bool) -> None:
    """Set a library up: settings, a pre-commit hook and a workflow.

    Finds the package and its models, the formatter, and the library that parents come from. Writes `[tool.modular]` at the
    end of pyproject.toml, a hook into .pre-commit-config.yaml and .github/workflows/modular.yml.
    """
    from modular.run.setup_files import setup_files
    from modular.source.system.writing import write_files

    folder = (root or Path.cwd()).resolve()
    files = run(lambda: setup_files(folder, __version__))
    if diff:
        for path, text in files.items():
            place = folder / path
            before = place.read_text(encoding="utf-8") if place.exists() else ""
            old, new = before.splitlines(), text.splitlines()
            echo_diff(difflib.unified_diff(old, new, f"a/{path}", f"b/{path}", lineterm=""))
        return
    run(lambda: write_files({folder / path: text.encode() for path, text in files.items()}, folder))
    echo("".join(f"{path} written\n" for path in files), nl=False)
    echo("next: `modular check`, or `modular new MODEL --from PARENT`")
