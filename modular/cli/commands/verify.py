"""The command `modular verify`."""

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from modular.cli.help import GroupedCommand
from modular.cli.options import project_options
from modular.cli.printing import echo, echo_lines
from modular.cli.reporting import exit_with, with_progress
from modular.run import api
from modular.run.api import Options, Report, Status
from modular.source.diagnostics import Problem
from modular.system.printable import counted


if TYPE_CHECKING:
    from modular.provenance.verification import FoundProblem


_MAX_LINES = 20
"""Lines that are printed, the next step included."""


@click.command(
    "verify",
    cls=GroupedCommand,
    examples={
        "modular verify olmo2": "Convert a model, and look for problems.",
        "modular verify olmo2 --import": "Also import its files.",
    },
)
@click.option(
    "--import",
    "imports",
    is_flag=True,
    help="Import each generated file in a process of its own. This executes its code.",
)
@project_options
def command(targets: tuple[str, ...], options: Options, imports: bool) -> None:
    """Convert models, and report all problems of their files at the lines to edit.

    The generated files are written, as by `modular convert`. All warnings count as errors. The generated files are checked by `ruff check` with
    the project's settings, too. At most 20 lines are printed, one for each problem; the
    last line says what to do next. The exit code is 1 if there is a problem.

    A TARGET is a model's name, a modular file or a folder; none means the whole
    project.
    """
    from modular.provenance.line_map import LineMap
    from modular.provenance.verification import (
        import_files,
        lint_files,
        problem_of,
    )

    with with_progress(replace(options, strict=True)) as options:
        report = api.convert(targets, options=options)
    problems = [problem_of(diagnostic) for diagnostic in report.diagnostics]
    paths = []
    for file in report.files:
        if file.status is not Status.ERROR:
            paths.append(file.path)
    if paths and not report.has_errors:
        line_map = LineMap()
        problems += lint_files(report.project, paths, line_map)
        if imports:
            problems += import_files(report.project, paths, line_map)

    if report.formatter_note:
        echo(report.formatter_note, err=True)
    if not problems:
        echo(report.summary())
        echo(f"next: {_step_if_clean(report, paths)}")
    else:
        _print_problems([str(problem) for problem in problems])
        words = ["modular verify", *targets]
        if imports:
            words.append("--import")
        same_command = " ".join(words)
        if report.has_unknown_targets:
            echo("next: name a model, a modular file or a folder that exists")
        elif any(item.code is Problem.NOTHING_FOUND for item in report.diagnostics):
            echo("next: write a modular file, for example with `modular new`")
        else:
            step = _step_to_solve(problems[0], paths)
            echo(f"next: {step}, then run `{same_command}`")
    exit_with(not problems, wrong_use=report.has_unknown_targets)


def _print_problems(lines: list[str]) -> None:
    """Print the problems, or the first ones and how many more there are."""
    room = _MAX_LINES - 1
    if len(lines) > room:
        hidden_count = len(lines) - room + 1
        lines = [*lines[: room - 1], f"and {counted(hidden_count, 'more problem')}"]
    echo_lines(lines)


def _step_to_solve(problem: "FoundProblem", paths: list[str]) -> str:
    """Return what to do about a problem, given the paths of all generated files."""
    # An edit of a generated file would be overwritten.
    is_generated = problem.path in paths
    if problem.missing_package:
        step = f"install `{problem.missing_package}` where modular is installed"
        if not is_generated:
            step += f", or correct the import at {problem.path}:{problem.line}"
        return step
    if is_generated:
        return f"correct the cause, but not in the generated {problem.path}"
    return f"edit {problem.path}:{problem.line}"


def _step_if_clean(report: Report, paths: list[str]) -> str:
    """Return what to do after a verification without problems."""
    if not paths:
        return "write a modular file, for example with `modular new`"
    if report.count(Status.WRITTEN):
        return "run the model's tests, and commit the modular and the generated files"
    return "nothing to do, the generated files are up to date"
