"""Options and arguments that several commands share, and how their values become `api.Options`."""

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import Any

import click

from modular.cli.completion import complete_any_model, complete_target
from modular.cli.suggesting import NearChoice
from modular.run.api import Options
from modular.run.selection import Shard, parse_shard
from modular.system.ruff import RUFF_VARIABLE


_LINES = re.compile(r"(?P<path>.+?)(?::(?P<first>\d{1,9})(?:-(?P<last>\d{1,9}))?)?")


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """How a report is printed; the fields are the options of these names."""

    output_format: str
    warnings: bool
    full: bool
    stat: bool
    quiet: bool
    verbose: bool


@dataclass(frozen=True, slots=True)
class LineRange:
    """A file and the lines of it (from 1) that are meant; None: all."""

    path: str
    first: int | None
    last: int | None


def read_line_range(
    ctx: click.Context, param: click.Parameter, value: str
) -> LineRange:
    """Read `FILE[:LINE[-LINE]]`."""
    match = _LINES.fullmatch(value)
    if match is None:
        raise click.BadParameter("it is empty")
    first = None if match["first"] is None else int(match["first"])
    return LineRange(
        match["path"], first, first if match["last"] is None else int(match["last"])
    )


def _shard(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> Shard | None:
    """Read `I/N`."""
    try:
        return None if value is None else parse_shard(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


def _name_ruff(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    """Let this process and those that it starts run the ruff that the user names."""
    if value is not None:
        os.environ[RUFF_VARIABLE] = value


def output_format_option(
    *others: str, names: Sequence[str] = (), help: str = "Format of the report."
) -> Callable[..., Any]:
    """Return the option that chooses between text and other formats; it may have other ``names``, too."""
    return click.option(
        "--output-format",
        *names,
        type=NearChoice(("text", *others)),
        default="text",
        help=help,
    )


def models_option(*names: str, help: str) -> Callable[..., Any]:
    """Return an option that takes a model, and may be repeated."""
    return click.option(
        *names,
        multiple=True,
        metavar="MODEL",
        shell_complete=complete_any_model,
        help=help,
    )


_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)

_SHARED: dict[str, Callable[..., Any]] = {
    "targets": click.argument("targets", nargs=-1, shell_complete=complete_target),
    "root": click.option(
        "--root",
        type=_FOLDER,
        help="Root of the project (default: found from the current folder upwards).",
    ),
    "output": click.option(
        "--output",
        type=click.Path(file_okay=False),
        help="Write generated files into this folder, laid out like the models folders.",
    ),
    "jobs": click.option(
        "--jobs",
        type=click.IntRange(1),
        help="Number of worker processes (default: one per CPU).",
    ),
    "no_cache": click.option("--no-cache", is_flag=True, help="Ignore the cache."),
    "source_library": click.option(
        "--source-library",
        metavar="NAME",
        help="Library that provides the parent models (package name or path).",
    ),
    "ruff": click.option(
        "--ruff",
        metavar="PROGRAM",
        callback=_name_ruff,
        expose_value=False,
        help=f"The ruff to run (default: ${RUFF_VARIABLE}, else the installed one).",
    ),
    "shard": click.option(
        "--shard",
        metavar="I/N",
        callback=_shard,
        help="Process only part I of N of the models.",
    ),
    "since": click.option(
        "--since",
        metavar="REF",
        help="Process only models affected by changes since this commit, and report only new findings.",
    ),
    "affected_by": click.option(
        "--affected-by",
        is_flag=True,
        help="Treat each TARGET as a changed file, and process the models that it affects.",
    ),
    "output_format": output_format_option("json", "github", "sarif"),
    "warnings": click.option(
        "--warnings", is_flag=True, help="Show all warnings, even if there are many."
    ),
    "full": click.option(
        "--full",
        is_flag=True,
        help="Show the diff of each file instead of one per cause.",
    ),
    "stat": click.option(
        "--stat", is_flag=True, help="Show the number of changed lines per file."
    ),
    "quiet": click.option("--quiet", "-q", is_flag=True, help="Show errors only."),
    "verbose": click.option(
        "--verbose",
        "-v",
        is_flag=True,
        help="Show all warnings, all stale parents, and the status of each file.",
    ),
    "strict": click.option(
        "--strict", is_flag=True, help="Treat all warnings as errors."
    ),
}
"""The options that several commands have, by the names of their values."""

PROJECT = (
    "targets",
    "root",
    "output",
    "jobs",
    "no_cache",
    "source_library",
    "ruff",
)
"""What to convert, and how."""

RUN = tuple(_SHARED)
"""These, which part of the models to take, and how to report."""

TEXT_OR_JSON = output_format_option("json")


def subcommand(
    name: str, *shared: str
) -> Callable[[Callable[..., None]], click.Command]:
    """Make a function a command with some of the shared options, whose values it gets as one, ``options``.

    Targets it gets apart and, if all the options of a report are among them, these as ``shown``.
    """

    def decorate(function: Callable[..., None]) -> click.Command:
        @wraps(function)
        def call(**values: Any) -> None:
            function(**_collect_options(shared, values))

        command: Callable[..., None] = call
        for option in reversed(shared):
            command = _SHARED[option](command)
        return click.command(name, cls=_GroupedCommand)(command)

    return decorate


def _collect_options(names: tuple[str, ...], values: dict[str, Any]) -> dict[str, Any]:
    """The values of all options of a command, with the shared ones gathered."""
    shared = {
        name: values.pop(name) for name in names if name not in ("targets", "ruff")
    }
    if "verbose" in shared:
        values["shown"] = ReportOptions(
            *(shared.pop(field.name) for field in fields(ReportOptions))
        )
    if "no_cache" in shared:
        shared["cache"] = not shared.pop("no_cache")
    if "affected_by" in shared:
        is_affected_by = shared.pop("affected_by")
        shared["affected_by"] = values["targets"] if is_affected_by else None
        values["targets"] = () if is_affected_by else values["targets"]
    return {**values, "options": Options(**shared)}


_GROUPS = {
    "Models and files": (
        "root",
        "output",
        "source_library",
        "shard",
        "since",
        "affected_by",
        "depfile",
    ),
    "Findings": ("strict", "warnings", "baseline", "write_baseline"),
    "Report": ("output_format", "diff", "full", "stat", "quiet", "verbose"),
    "Execution": ("jobs", "no_cache", "ruff"),
}
"""Options by the headings under which the help lists them; a command's own options come first."""


class _GroupedCommand(click.Command):
    """A command whose help lists its options in groups."""

    def format_options(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Write the options, those of a group below its heading."""
        options = [
            param for param in self.get_params(ctx) if isinstance(param, click.Option)
        ]
        records = {
            option.name: record
            for option in options
            if (record := option.get_help_record(ctx)) is not None
        }
        grouped = {name for names in _GROUPS.values() for name in names}
        sections = {
            "Options": [name for name in records if name not in grouped],
            **_GROUPS,
        }
        for heading, names in sections.items():
            if rows := [records[name] for name in names if name in records]:
                with formatter.section(heading):
                    formatter.write_dl(rows)
