"""The command `modular verify`."""

import os
import shlex
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from modular.cli.help import GroupedCommand
from modular.cli.options import project_options, text_or_json_option
from modular.cli.printing import echo, echo_lines
from modular.cli.rendering.json import attributes, print_object
from modular.cli.reporting import exit_with, with_progress
from modular.project.project import model_name
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
        "modular verify olmo2": "Look for problems in a model and its generated files.",
        "modular verify olmo2 --import": "Also import the generated files.",
        "modular verify --import --python .venv/bin/python": "Import all files with this Python.",
    },
)
@text_or_json_option
@click.option(
    "--import",
    "imports",
    is_flag=True,
    help="Also import each generated file, in a separate process. This executes its code.",
)
@click.option(
    "--python",
    type=click.Path(exists=True, dir_okay=False),
    help="Python to use for --import (default: the one that runs modular).",
)
@project_options
def command(
    targets: tuple[str, ...],
    options: Options,
    imports: bool,
    python: str | None,
    output_format: str,
) -> None:
    """List all problems in models and generated files, with the line to edit for each.

    The command writes nothing, so run `modular convert` first. It reports errors,
    warnings and stale files, and runs `ruff check` with your project's settings on the
    generated files. If there is a problem, even a warning, the command exits with 1.

    The text output has one line for each problem, and at most 20 lines. The last line
    says what to do next.

    A TARGET is the name of a model, a modular file or a folder. By default, the command
    processes the whole project.
    """
    if python is not None and not imports:
        raise click.UsageError("--python needs --import")
    # The import runs in another folder. A link stays, because that of a virtual
    # environment says which packages it has.
    program = sys.executable if python is None else os.path.abspath(python)
    with with_progress(options) as options:
        report = api.check(targets, options=options)
    paths = [file.path for file in report.files if file.status is Status.IDENTICAL]
    problems = _find_problems(report, paths, program if imports else None)

    if report.formatter_note:
        echo(report.formatter_note, err=True)
    if not problems:
        step = _step_if_clean(paths)
    else:
        step = _step_to_solve(report, problems[0], paths, python)
        if not _has_nothing_to_verify(report):
            again = _verify_command(targets, imports=imports, python=python)
            step += f", then run `{again}`"

    if output_format == "json":
        print_object(_values(report, problems, step))
    elif problems:
        _print_problems(list(map(str, problems)), step)
    else:
        echo_lines([report.summary(), f"next: {step}"])
    exit_with(not problems, wrong_use=report.has_unknown_targets)


def _verify_command(
    targets: Sequence[str], *, imports: bool, python: str | None
) -> str:
    """Return the `modular verify` command that does the same again."""
    words = ["modular", "verify", *targets]
    if imports:
        words.append("--import")
    if python is not None:
        words += ["--python", python]
    return shlex.join(words)


def _find_problems(
    report: Report, paths: Sequence[str], python: str | None
) -> list["FoundProblem"]:
    """Return the problems that modular finds, and then those that other programs find.

    Those that make `modular check` fail come before warnings.

    Args:
        report: The report of the check. If it has errors, no other program runs.
        paths: The paths of the generated files that are up to date.
        python: The Python that imports these files; None if they are not imported.
    """
    from modular.provenance.line_map import LineMap
    from modular.provenance.verification import (
        FoundProblem,
        import_files,
        lint_files,
        problem_of,
    )

    problems: list[FoundProblem] = []
    warnings: list[FoundProblem] = []
    for diagnostic in report.diagnostics:
        group = problems if diagnostic.is_error else warnings
        group.append(problem_of(diagnostic))
    # A model with errors is not written, so its files may be out of date. They are only
    # reported if there is no error to solve first.
    if not problems:
        for file in report.differing_files:
            if file.path in report.handwritten_files:
                message = "written by hand: the file has no banner of a generated file"
            elif file.path in report.edited_files:
                message = "this generated file was edited by hand"
            else:
                message = "the file is out of date"
            problems.append(FoundProblem(file.path, 1, message))
    problems += warnings
    if not paths or report.has_errors:
        return problems
    line_map = LineMap()
    problems += lint_files(report.project, paths, line_map)
    if python is not None:
        problems += import_files(report.project, paths, line_map, python)
    return problems


def _values(
    report: Report, problems: Sequence["FoundProblem"], step: str
) -> dict[str, object]:
    """Return the files, their problems and the next step as values for JSON."""
    files = [attributes(file, "path", "modular", "status") for file in report.files]
    problem_values = []
    for problem in problems:
        missing_package = problem.missing_package or None
        values = attributes(problem, "path", "line", "message")
        problem_values.append({**values, "missing_package": missing_package})
    return {
        "files": files,
        "formatter_note": report.formatter_note,
        "problems": problem_values,
        "next": step,
    }


def _print_problems(lines: list[str], step: str) -> None:
    """Print the first problems, the number of other problems, and the next step.

    Args:
        lines: A line for each problem.
        step: What to do next.
    """
    max_problem_lines = _MAX_LINES - 1
    if len(lines) > max_problem_lines:
        shown = lines[: max_problem_lines - 1]
        hidden_count = len(lines) - len(shown)
        lines = [*shown, f"and {counted(hidden_count, 'more problem')}"]
    echo_lines([*lines, f"next: {step}"])


def _has_nothing_to_verify(report: Report) -> bool:
    """Return whether a target names nothing, or the project has no modular file."""
    codes = {diagnostic.code for diagnostic in report.diagnostics}
    return report.has_unknown_targets or Problem.NOTHING_FOUND in codes


def _step_to_solve(
    report: Report, problem: "FoundProblem", paths: Sequence[str], python: str | None
) -> str:
    """Return what the user should do next, about the first problem that was found.

    Args:
        report: The report of the check.
        problem: The problem.
        paths: The paths of the generated files that are up to date.
        python: The Python that imported these files; None for that of modular.
    """
    if report.has_unknown_targets:
        return "name a model, a modular file or a folder that exists"
    if _has_nothing_to_verify(report):
        return "write a modular file, for example with `modular new`"
    outdated = {file.path: file for file in report.differing_files}
    if problem.path in report.handwritten_files:
        model = model_name(outdated[problem.path].modular)
        return f"rename it, or run `modular convert {model} --force` to replace it"
    if problem.path in report.edited_files:
        return f"run `{shlex.join(['modular', 'lift', problem.path])}`"
    if problem.path in outdated:
        return f"run `modular convert {model_name(outdated[problem.path].modular)}`"

    # An edit of a generated file would be overwritten.
    is_generated = problem.path in paths
    position = f"{problem.path}:{problem.line}"
    if not problem.missing_package:
        if is_generated:
            return f"correct the cause, but not in the generated {problem.path}"
        return f"edit {position}"

    place = "where modular is installed" if python is None else f"for {python}"
    step = f"install `{problem.missing_package}` {place}"
    if not is_generated:
        step += f", or correct the import at {position}"
    return step


def _step_if_clean(paths: list[str]) -> str:
    """Return what to do after a verification without problems."""
    if not paths:
        return "write a modular file, for example with `modular new`"
    return "run the model's tests, and commit the modular and the generated files"
