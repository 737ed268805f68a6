"""The command `modular lsp`."""

import click

from modular.cli.help import GroupedCommand


@click.command(
    "lsp",
    cls=GroupedCommand,
    examples={
        "modular lsp --stdio": "How editors start it.",
    },
)
@click.option(
    "--stdio", is_flag=True, help="Use standard input and output, the only transport."
)
def command(stdio: bool) -> None:
    """Start the language server.

    The server talks to an editor over standard input and output, and logs errors to
    standard error. It needs pygls, which `pip install '.[lsp]'` in a checkout installs.
    """
    try:
        from modular.lsp.server import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("pygls", "lsprotocol"):
            raise
        raise click.ClickException(
            "pygls is not installed: run `pip install 'modular-models[lsp]'`"
        ) from error
    serve()
