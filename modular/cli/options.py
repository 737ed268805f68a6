"""Options and arguments that several commands share, and how their values become `api.Options`."""

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import Any

import click

from modular.cli.completion import complete_target
from modular.run.api import Options
from modular.system.ruff import RUFF_VARIABLE


CommandFunction = Callable[..., None]

_LINES = re.compile(r"(?P<path>.+?)(?::(?P<first>\d{1,9})(?:-(?P<last>\d{1,9}))?)?")


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """How a report is printed; the fields are the options of these names."""

    output_format: str
    warnings: bool
    full: bool
    quiet: bool
    verbose: bool


@dataclass(frozen=True, slots=True)
class LineRange:
    """A range of lines of a file, counted from 1. None for both means all lines."""

    path: str
    first: int | None
    last: int | None


def read_line_range(
    ctx: click.Context, param: click.Parameter, value: str
) -> LineRange:
    """Read an argument such as `FILE`, `FILE:12` or `FILE:12-20`.

    Raises:
        click.BadParameter: The argument is empty.
    """
    match = _LINES.fullmatch(value)
    if match is None:
        raise click.BadParameter("it is empty")
    if match["first"] is None:
        return LineRange(match["path"], None, None)
    first = int(match["first"])
    last = first
    if match["last"] is not None:
        last = int(match["last"])
    return LineRange(match["path"], first, last)


def _name_ruff(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    """Use the ruff that the user names, in this process and in those that it starts."""
    if value is not None:
        os.environ[RUFF_VARIABLE] = value


def output_format_option(*others: str) -> Callable[..., Any]:
    """Return the option that chooses between text and other formats.

    Args:
        others: The formats that can be chosen instead of text.
    """
    return click.option(
        "--output-format",
        type=click.Choice(("text", *others)),
        default="text",
        help="Format of the report.",
    )


root_option = click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Root of the project (default: searched from the current folder upwards).",
)
jobs_option = click.option(
    "--jobs",
    type=click.IntRange(1),
    metavar="N",
    help="Number of worker processes (default: one per CPU).",
)
no_cache_option = click.option("--no-cache", is_flag=True, help="Ignore the cache.")
source_library_option = click.option(
    "--source-library",
    metavar="NAME",
    help="Library that provides the parent models (package name or path).",
)
ruff_option = click.option(
    "--ruff",
    metavar="PROGRAM",
    callback=_name_ruff,
    expose_value=False,
    help=f"The ruff executable (default: ${RUFF_VARIABLE}, else the installed ruff).",
)
text_or_json_option = output_format_option("json")
diff_option = click.option(
    "--diff/--write",
    "diff",
    help="Print a diff and exit 1 if files would change, or write the files (default).",
)

force_option = click.option(
    "--force",
    is_flag=True,
    help="Also replace generated files that somebody wrote or edited by hand.",
)

targets_argument = click.argument(
    "targets", metavar="[TARGET]...", nargs=-1, shell_complete=complete_target
)
_output_option = click.option(
    "--output",
    type=click.Path(file_okay=False),
    help="Write generated files into this folder, laid out like the models folders.",
)

_CONVERSION_OPTIONS = (
    root_option,
    source_library_option,
    jobs_option,
    no_cache_option,
    ruff_option,
)
_PROJECT_PARAMETERS = (
    targets_argument,
    root_option,
    _output_option,
    jobs_option,
    no_cache_option,
    source_library_option,
    ruff_option,
)
_SELECTION_OPTIONS = (
    click.option(
        "--since",
        metavar="REF",
        help="Process only models affected by changes since this commit, and report only new findings.",
    ),
    click.option(
        "--affected-by",
        is_flag=True,
        help="Treat each TARGET as a changed file, and process the models that this change affects.",
    ),
)
_REPORT_OPTIONS = (
    output_format_option("json", "github", "sarif"),
    click.option(
        "--warnings", is_flag=True, help="Show all warnings, even if there are many."
    ),
    click.option(
        "--full",
        is_flag=True,
        help="Show the diff of every file, even if several files change for the same reason.",
    ),
    click.option(
        "--quiet",
        "-q",
        is_flag=True,
        help="Report only errors and files that are stale or missing.",
    ),
    click.option(
        "--verbose",
        "-v",
        is_flag=True,
        help="Show all findings, including level info, and the status of each file.",
    ),
    click.option("--strict", is_flag=True, help="Treat all warnings as errors."),
    click.option(
        "--require-added",
        is_flag=True,
        help="Report generated files that are not in git's index (for pre-commit).",
    ),
)


def verbose_option(help: str) -> Callable[..., Any]:
    """Return the option `--verbose` of a command, with its help text."""
    return click.option("--verbose", "-v", is_flag=True, help=help)


_OPTION_NAMES = (
    "root",
    "output",
    "jobs",
    "source_library",
    "since",
    "affected_by",
    "strict",
    "info",
    "require_added",
)
"""Names of values that become fields of `Options`."""


def pass_options(function: CommandFunction) -> CommandFunction:
    """Decorate a command so that it gets the options of all runs as one `options`.

    Click passes `root=...` and `jobs=...`; the command gets `options=Options(...)`.
    """

    @wraps(function)
    def call(**values: Any) -> None:
        """Call the command with the options of all runs as one `Options`."""
        shared = {}
        for name in _OPTION_NAMES:
            if name in values:
                shared[name] = values.pop(name)
        use_cache = not values.pop("no_cache", False)
        function(options=Options(cache=use_cache, **shared), **values)

    return call


def conversion_options(function: CommandFunction) -> CommandFunction:
    """Add the options of all commands that convert; the function gets `options`."""
    return _add_parameters(pass_options(function), _CONVERSION_OPTIONS)


def project_options(function: CommandFunction) -> CommandFunction:
    """Add the argument `targets`, and the options that say how to convert them.

    The function gets the values as `targets` and `options`.
    """
    return _add_parameters(pass_options(function), _PROJECT_PARAMETERS)


def report_options(function: CommandFunction) -> CommandFunction:
    """Decorate a command with options that select models and choose the report's form.

    The command gets the values as `targets`, `options` and `display`.
    """

    @wraps(function)
    def call(**values: Any) -> None:
        """Call the command with the options of the report as one `ReportOptions`."""
        report_values = {}
        for field in fields(ReportOptions):
            report_values[field.name] = values.pop(field.name)

        # With `--affected-by`, the arguments are changed files instead of models.
        targets = values.pop("targets")
        affected_by = None
        if values.pop("affected_by"):
            affected_by = targets
            targets = ()
        display = ReportOptions(**report_values)
        pass_options(function)(
            targets=targets,
            affected_by=affected_by,
            # `--verbose` also shows findings of level info.
            info=display.verbose,
            display=display,
            **values,
        )

    parameters = (*_PROJECT_PARAMETERS, *_SELECTION_OPTIONS, *_REPORT_OPTIONS)
    return _add_parameters(call, parameters)


def _add_parameters(
    function: CommandFunction, parameters: Sequence[Callable[..., Any]]
) -> CommandFunction:
    """Apply decorators of click, so that the help shows the parameters in this order."""
    for parameter in reversed(parameters):
        function = parameter(function)
    return function
