"""Options and arguments that several commands share, and how their values become `api.Options`."""

from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any

import click

from modular.cli.model_names import complete_target
from modular.cli.showing import SHOWING_OPTIONS, take_shown
from modular.cli.suggesting import NearChoice
from modular.run.api import Options
from modular.run.selection import Shard, parse_shard


def _shard(ctx: click.Context, param: click.Parameter, value: str | None) -> Shard | None:
    """Read `I/N`."""
    try:
        return None if value is None else parse_shard(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


_PASSED_ON = ("root", "output", "jobs", "shard", "source_library", "since", "strict")
"""Options of the command line that are options of the API, under the same names."""

ROOT = click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Root of the project (default: found from the current folder upwards).",
)
SOURCE_LIBRARY = click.option(
    "--source-library", metavar="NAME", help="Library that provides the parent models (package name or path)."
)

JOBS = click.option("--jobs", type=click.IntRange(1), help="Number of worker processes (default: one per CPU).")
NO_CACHE = click.option("--no-cache", is_flag=True, help="Ignore the cache.")
OUTPUT_FORMAT = click.option(
    "--output-format", type=NearChoice(["text", "json"]), default="text", help="Format of the report."
)

_GROUPS = {
    "Models and files": ("root", "output", "source_library", "shard", "since", "affected_by", "depfile"),
    "Findings": ("strict", "warnings", "baseline", "write_baseline"),
    "Report": ("output_format", "diff", "full", "stat", "quiet", "verbose"),
    "Execution": ("jobs", "no_cache"),
}
"""Options by the headings under which the help lists them; a command's own options stand first."""


class GroupedCommand(click.Command):
    """A command whose help lists its options in groups."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, those of a group below its heading."""
        records = {
            get_param.name: get_param.get_help_record(ctx)
            for get_param in self.get_params(ctx)
            if isinstance(get_param, click.Option)
        }
        grouped = {name for names in _GROUPS.values() for name in names}
        sections = {"Options": [name for name in records if name not in grouped], **_GROUPS}
        for heading, names in sections.items():
            rows = [row for name in names if (row := records.get(name)) is not None]
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)


_PROJECT_OPTIONS = (
    click.argument("targets", nargs=-1, shell_complete=complete_target),
    ROOT,
    click.option(
        "--output",
        type=click.Path(file_okay=False),
        help="Write generated files into this folder, laid out like the models folders.",
    ),
    JOBS,
    NO_CACHE,
    SOURCE_LIBRARY,
)

_RUN_OPTIONS = (
    *_PROJECT_OPTIONS,
    click.option("--shard", metavar="I/N", callback=_shard, help="Process only part I of N of the models."),
    click.option(
        "--since",
        metavar="REF",
        help="Process only models affected by changes since this commit, and report only new findings.",
    ),
    click.option(
        "--affected-by",
        is_flag=True,
        help="Treat each TARGET as a changed file, and process the models that it affects.",
    ),
    *SHOWING_OPTIONS,
    click.option("--strict", is_flag=True, help="Treat all warnings as errors."),
)


def project_options(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command the targets and the options that say what to convert and how.

    The function is called with the targets, the API's options, and the command's own options by name.
    """
    return _with_options(function, _PROJECT_OPTIONS)


def run_options(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command these and the options that take a part of the models, and say how to report: ``shown``."""
    return _with_options(function, _RUN_OPTIONS)


def _with_options(function: Callable[..., None], decorators: Sequence[Callable[..., Any]]) -> Callable[..., None]:
    @wraps(function)
    def call(targets: tuple[str, ...], no_cache: bool, affected_by: bool = False, **values: Any) -> None:
        shared = {name: values.pop(name) for name in _PASSED_ON if name in values}
        options = Options(cache=not no_cache, affected_by=targets if affected_by else None, **shared)
        if "verbose" in values:
            values["shown"] = take_shown(values)
        function(() if affected_by else targets, options, **values)

    command: Callable[..., None] = call
    for decorate in reversed(decorators):
        command = decorate(command)
    return command
