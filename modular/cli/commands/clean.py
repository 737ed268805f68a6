"""The command `modular clean`."""

import click

from modular.cache.result_cache import Cache
from modular.cli.help import GroupedCommand
from modular.cli.printing import echo
from modular.system.cache_folder import cache_folder


@click.command(
    "clean",
    cls=GroupedCommand,
    examples={
        "modular clean": "Delete the cache.",
    },
)
def command() -> None:
    """Delete the cache. The next run converts all models again."""
    folder = cache_folder()
    deleted_bytes = Cache(folder).clean()
    echo(f"{deleted_bytes} bytes deleted from {folder}")
