"""`modular lsp`."""

import click


@click.command("lsp")
@click.option("--stdio", is_flag=True, help="Talk over standard input and output; there is no other way.")
def command(stdio: bool) -> None:
    """Answer an editor, in the language server protocol, over standard input and output.

    It needs pygls: `pip install 'modular-models[lsp]'`. What goes wrong is logged to standard error.
    """
    from modular.lsp.serving import serve

    try:
        serve()
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("pygls", "lsprotocol"):
            raise
        raise click.ClickException("pygls is not installed: run `pip install 'modular-models[lsp]'`") from error
