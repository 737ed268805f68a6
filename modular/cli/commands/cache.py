"""`modular cache`."""

import click

from modular.cache.result_cache import Cache, folder
from modular.cli.printing import echo


@click.group("cache")
def command() -> None:
    """Show or clean the cache of results."""


@command.command("dir")
def show_folder() -> None:
    """Print the cache folder."""
    echo(folder())


@command.command("clean")
def clean() -> None:
    """Delete the cache."""
    size = Cache(folder()).clean()
    echo(f"{size} bytes deleted from {folder()}")
