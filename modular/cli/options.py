"""Options and arguments that several commands share, and how their values become `api.Options`."""

from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any

import click

from modular.cli.model_names import complete_target
from modular.cli.showing import SHOWING_OPTIONS, take_shown
from modular.run import sharding
from modular.run.api import Options
from modular.run.sharding import Shard


def _shard(ctx: click.Context, param: click.Parameter, value: str | None) -> Shard | None:
    """Read `I/N`."""
    try:
        return None if value is None else sharding.parse(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


_PASSED_ON = ("root", "output", "jobs", "shard", "source_library", "since", "strict")
"""Options of the command line that are options of the API, under the same names."""

ROOT = click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The project's root; found from the current folder upwards if not given.",
)
SOURCE_LIBRARY = click.option(
    "--source-library", metavar="NAME", help="The library that parents come from: its name or folder."
)

_PROJECT_OPTIONS = (
    click.argument("targets", nargs=-1, shell_complete=complete_target),
    ROOT,
    click.option(
        "--output",
        type=click.Path(file_okay=False),
        help="Write generated files into this folder, laid out like the models' folders.",
    ),
    click.option("--jobs", type=click.IntRange(1), help="Processes; one for each processor if not given."),
    click.option("--no-cache", is_flag=True, help="Take nothing from earlier runs."),
    SOURCE_LIBRARY,
)

_RUN_OPTIONS = (
    *_PROJECT_OPTIONS,
    click.option("--shard", metavar="I/N", callback=_shard, help="Take only part I of N of the models."),
    click.option(
        "--since",
        metavar="REF",
        help="Take only models that changes since a commit can affect, and report only what is new.",
    ),
    click.option(
        "--affected-by", is_flag=True, help="Each TARGET is a changed file: take the models that it can affect."
    ),
    *SHOWING_OPTIONS,
    click.option("--strict", is_flag=True, help="Count all warnings as errors."),
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
