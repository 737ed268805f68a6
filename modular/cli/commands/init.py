"""The command `modular init`."""

from posixpath import normpath

import click

from modular.cli.help import GroupedCommand
from modular.cli.options import diff_option, pass_options, root_option
from modular.cli.printing import echo, echo_lines
from modular.cli.rendering.diffs import echo_diff
from modular.cli.rendering.report import FIRST_STEPS
from modular.cli.reporting import exit_with
from modular.run.api import Options


@click.command(
    "init",
    cls=GroupedCommand,
    examples={
        "modular init --diff": "Show what the command would write.",
        "modular init": "Set up the project in the current folder.",
        "modular init --models srt/models": "Tell modular where the models are, if it does not find them itself.",
        "modular init --agents": "Also tell coding agents how to edit models.",
    },
)
@click.option(
    "--agents",
    is_flag=True,
    help="Append instructions for coding agents to AGENTS.md.",
)
@click.option(
    "--models",
    "models_folder",
    metavar="FOLDER",
    default="",
    help="Folder of the models, relative to the root (default: searched).",
)
@diff_option
@root_option
@pass_options
def command(options: Options, agents: bool, models_folder: str, diff: bool) -> None:
    """Set up a library or a Hub repository for modular.

    The command finds your models, your formatter and the library that provides the
    parent models. It then writes the table `[tool.modular]` in pyproject.toml, a hook
    in .pre-commit-config.yaml and the workflow .github/workflows/modular.yml. In a git
    repository, it also adds lines to .gitattributes. It never changes settings, hooks
    or workflows that you already have.
    """
    from modular.format.formatter_config import PYPROJECT
    from modular.scaffold.git_attributes import MERGE_DRIVER
    from modular.scaffold.setup import init
    from modular.scaffold.setup_files import ATTRIBUTES, PRE_COMMIT

    report = init(
        agents=agents,
        dry_run=diff,
        models_folder=normpath(models_folder) if models_folder else "",
        options=options,
    )
    if report.found:
        echo(f"found: {report.found}", err=diff)
    if report.hook_to_add:
        problem = f"`repos` in {PRE_COMMIT} is not a plain list"
        echo(f"{problem}; add this hook yourself:\n{report.hook_to_add}", err=True)
    if diff:
        echo_diff("".join(file.diff for file in report.files))
        exit_with(not report.files)

    paths = [file.path for file in report.files]
    echo_lines(f"{path} written" for path in paths)
    if report.fits_preset:
        echo(f"{PYPROJECT} unchanged: the preset fits this library")
    if not paths:
        echo("nothing to write: all files are up to date")
    if ATTRIBUTES in paths:
        echo("to let git merge generated files, run this in each clone:")
        echo(f'  git config merge.modular.driver "{MERGE_DRIVER}"')
    if Options(root=report.root).open().modular_files:
        echo("next: `modular check`, or `modular new MODEL --from PARENT`")
    else:
        echo(f"next: {FIRST_STEPS}")
