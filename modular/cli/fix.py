"""`modular fix`."""

from typing import TYPE_CHECKING

import click

from modular.cli.diffs import echo_diff
from modular.cli.options import project_options
from modular.cli.printing import counted, echo, one_line
from modular.cli.reporting import leave, run_with_progress
from modular.run.api import Options


if TYPE_CHECKING:
    from modular.refactor.autofix import FixedFile, FixedModels


@click.command("fix")
@project_options
@click.option("--unsafe-fixes", is_flag=True, help="Apply fixes that change what is generated, too.")
@click.option("--diff", is_flag=True, help="Print what would change and write nothing.")
def command(targets: tuple[str, ...], options: Options, unsafe_fixes: bool, diff: bool) -> None:
    """Apply the autofixes of findings to modular files.

    A TARGET is a model's name, a modular file or a folder; none means the whole project. A safe fix leaves what is generated as
    it is. Each fix is checked by converting again: one that adds an error is not applied. With --diff the exit code is 1 if
    something would change.
    """
    done = run_with_progress(lambda chosen: _fixed(targets, chosen, unsafe_fixes), options)
    if diff:
        echo_diff(line for file in done.files for line in file.diff.split("\n")[:-1])
        _print_left(done)
        leave(not done.files)
    problems = done.write()
    for problem in problems:
        echo(f"error: {one_line(problem.place.path)}: {problem.message}", err=True)
    unwritten = {problem.place.path for problem in problems}
    for file in done.files:
        if file.path not in unwritten:
            _print(file)
    _print_left(done)
    leave(not problems)


def _fixed(targets: tuple[str, ...], options: Options, unsafe: bool) -> "FixedModels":
    from modular.refactor.autofix import fix_models

    return fix_models(targets, options, unsafe=unsafe)


def _print(file: "FixedFile") -> None:
    for diagnostic, fix in file.applied:
        echo(f"{diagnostic.code.id}  {one_line(file.path)}:{diagnostic.place.line}  {one_line(fix.title)}")


def _print_left(done: "FixedModels") -> None:
    count = sum(len(file.applied) for file in done.files)
    echo(f"{counted(count, 'finding')} fixed" if count else "nothing to fix")
    if done.unsafe:
        echo(f"{counted(len(done.unsafe), 'more finding')} can be fixed with `--unsafe-fixes`")
