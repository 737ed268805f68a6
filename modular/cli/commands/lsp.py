"""The command `modular lsp`."""

import click

from modular.cli.help import GroupedCommand
from modular.system.addresses import install_command


@click.command(
    "lsp",
    cls=GroupedCommand,
    examples={
        "modular lsp --stdio": "Start the server as editors do.",
    },
)
@click.option(
    "--stdio", is_flag=True, help="Use standard input and output, the only transport."
)
def command(stdio: bool) -> None:
    """Start the language server.

    The server talks to an editor over standard input and output, and logs errors to
    standard error. It needs pygls, which the extra `lsp` installs.
    """
    try:
        from modular.lsp.server import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("pygls", "lsprotocol"):
            raise
        raise click.ClickException(
            f"pygls is not installed: run `{install_command('lsp')}`"
        ) from error
    serve()
