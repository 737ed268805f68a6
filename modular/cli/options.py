"""Options and arguments that several commands share, and how their values become `api.Options`."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from modular import sharding
from modular.api import Options
from modular.sharding import Shard

_Function = TypeVar("_Function", bound=Callable[..., Any])


class ShardType(click.ParamType):
    """`I/N`."""

    name = "I/N"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Shard:
        """Read the option's value."""
        try:
            return value if isinstance(value, Shard) else sharding.parse(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


_RUN_OPTIONS = (
    click.argument("targets", nargs=-1),
    click.option("--root", type=click.Path(exists=True, file_okay=False, path_type=Path), help="The project's root."),
    click.option("--output", type=click.Path(file_okay=False), help="Mirror the models' folders into this folder."),
    click.option("--jobs", type=click.IntRange(1), help="Processes; one for each processor if not given."),
    click.option("--no-cache", is_flag=True, help="Take nothing from earlier runs."),
    click.option("--shard", type=ShardType(), help="Take only part I of N of the models."),
    click.option("--output-format", type=click.Choice(["text", "json"]), default="text", help="How to report."),
)


def run_options(function: _Function) -> _Function:
    """Give a command the targets and the options of a run."""
    for decorate in reversed(_RUN_OPTIONS):
        function = decorate(function)
    return function


def options(
    root: Path | None, output: str | None, jobs: int | None, no_cache: bool, shard: Shard | None
) -> Options:
    """Make the API's options of the command line's."""
    return Options(root=root, output=output, jobs=jobs, cache=not no_cache, shard=shard)


def is_terminal() -> bool:
    """Whether errors go to a terminal."""
    return sys.stderr.isatty()
