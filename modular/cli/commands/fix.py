"""The command `modular fix`."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from modular.cli.help import GroupedCommand
from modular.cli.options import diff_option, project_options
from modular.cli.printing import echo
from modular.cli.rendering.diffs import echo_diff
from modular.cli.reporting import exit_with, print_diagnostics, with_progress
from modular.run.api import Options
from modular.system.printable import counted, one_line


if TYPE_CHECKING:
    from modular.refactor.autofix import FixedFile


@click.command(
    "fix",
    cls=GroupedCommand,
    examples={
        "modular fix": "Apply the safe fixes.",
        "modular fix olmo2 --unsafe-fixes --diff": "Show all fixes for a model.",
    },
)
@project_options
@click.option(
    "--unsafe-fixes",
    is_flag=True,
    help="Also apply fixes that change the generated code.",
)
@diff_option
def command(
    targets: tuple[str, ...], options: Options, unsafe_fixes: bool, diff: bool
) -> None:
    """Fix findings in modular files automatically.

    By default, the command applies only safe fixes, which do not change the generated
    code. If a fix would cause a new error, the command leaves the finding unfixed. It
    exits with 1 if a modular file cannot be converted.

    A TARGET is the name of a model, a modular file or a folder. By default, the command
    processes the whole project.
    """
    from modular.refactor.autofix import MAX_CHECKS_PER_FILE, fix

    with with_progress(options) as options:
        fixed = fix(targets, unsafe=unsafe_fixes, dry_run=diff, options=options)
    if diff:
        echo_diff("".join(file.diff for file in fixed.files))
    print_diagnostics([*fixed.problems, *fixed.failures, *fixed.write_problems])

    unwritten_paths = {problem.place.path for problem in fixed.write_problems}
    files = [file for file in fixed.files if file.path not in unwritten_paths]
    if not diff:
        # The diff has shown the fixes already.
        _print_fixes(files)
    fixed_count = sum(len(file.applied) for file in files)
    if fixed_count:
        echo(f"{counted(fixed_count, 'finding')} fixed")
    else:
        has_reported = bool(fixed.problems or fixed.failures or fixed.unfinished)
        if not has_reported and not fixed.files:
            echo("nothing to fix")
    for path in fixed.unfinished:
        echo(
            f"{one_line(path)}: stopped after {MAX_CHECKS_PER_FILE} checks, with "
            "findings left that have a fix"
        )
    if fixed.unsafe:
        findings = counted(len(fixed.unsafe), "more finding")
        echo(f"{findings} can be fixed with `--unsafe-fixes`")

    would_change = diff and bool(fixed.files)
    exit_with(
        not (would_change or fixed.write_problems or fixed.failures),
        wrong_use=bool(fixed.problems),
    )


def _print_fixes(files: "Iterable[FixedFile]") -> None:
    """Print a line for each finding that was fixed, with its place before the fix."""
    for file in files:
        for diagnostic, applied_fix in file.applied:
            position = f"{one_line(file.path)}:{diagnostic.place.line}"
            title = one_line(applied_fix.title)
            echo(f"{diagnostic.code.id}  {position}  {title}")
