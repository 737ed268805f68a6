"""The command `modular cache`."""

import click

from modular.cache.result_cache import Cache
from modular.cli.help import GroupedCommand
from modular.cli.printing import echo
from modular.system.cache_folder import cache_folder


@click.group("cache")
def command() -> None:
    """Delete the cache of results."""


@command.command(
    "clean",
    cls=GroupedCommand,
    examples={
        "modular cache clean": "Delete all results.",
    },
)
def clean() -> None:
    """Delete the cache."""
    folder = cache_folder()
    deleted_bytes = Cache(folder).clean()
    echo(f"{deleted_bytes} bytes deleted from {folder}")
