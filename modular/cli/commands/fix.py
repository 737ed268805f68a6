"""`modular fix`."""

import click

from modular.cli.options import GroupedCommand, project_options
from modular.cli.printing import echo
from modular.cli.rendering.diffs import echo_diff
from modular.cli.reporting import exit_with, print_diagnostics, with_progress
from modular.run.api import Options
from modular.system.printable import one_line
from modular.system.terminal import counted


@click.command("fix", cls=GroupedCommand)
@project_options
@click.option(
    "--unsafe-fixes",
    is_flag=True,
    help="Apply fixes that change what is generated, too.",
)
@click.option("--diff", is_flag=True, help="Print what would change and write nothing.")
def command(
    targets: tuple[str, ...], options: Options, unsafe_fixes: bool, diff: bool
) -> None:
    """Apply the autofixes of findings to modular files.

    A TARGET is a model's name, a modular file or a folder; none means the whole project. A safe fix leaves what is generated as
    it is. Each fix is checked by converting again: one that adds an error is not applied. The exit code is 1 if a
    file cannot be converted and, with --diff, if something would change.
    """
    from modular.refactor.autofix import fix_models

    with with_progress(options) as options:
        fixed = fix_models(options.open(targets), targets, options, unsafe=unsafe_fixes)
    if diff:
        echo_diff("".join(file.diff for file in fixed.files))
    problems = [] if diff else fixed.write()
    print_diagnostics([*fixed.failures, *problems])
    unwritten = {problem.place.path for problem in problems}
    for file in fixed.files:
        for diagnostic, fix in (
            file.applied if not diff and file.path not in unwritten else ()
        ):
            echo(
                f"{diagnostic.code.id}  {one_line(file.path)}:{diagnostic.place.line}  {one_line(fix.title)}"
            )
    count = sum(len(file.applied) for file in fixed.files)
    if count:
        echo(f"{counted(count, 'finding')} fixed")
    elif not fixed.failures:
        echo("nothing to fix")
    if fixed.unsafe:
        echo(
            f"{counted(len(fixed.unsafe), 'more finding')} can be fixed with `--unsafe-fixes`"
        )
    is_changed = bool(diff and fixed.files)
    exit_with(not (is_changed or problems or fixed.failures))
