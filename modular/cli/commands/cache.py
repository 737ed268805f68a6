"""`modular cache`."""

import click

from modular.cache.result_cache import Cache
from modular.cli.printing import echo
from modular.system.cache_folder import cache_folder


@click.group("cache")
def command() -> None:
    """Show or clean the cache of results."""


@command.command("dir")
def show_folder() -> None:
    """Print the cache folder."""
    echo(cache_folder())


@command.command("clean")
def clean() -> None:
    """Delete the cache."""
    size = Cache(cache_folder()).clean()
    echo(f"{size} bytes deleted from {cache_folder()}")
