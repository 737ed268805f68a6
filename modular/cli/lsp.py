"""`modular lsp`."""

import gc
import logging
import os

import click


@click.command("lsp")
@click.option("--stdio", is_flag=True, help="Talk over standard input and output; there is no other way.")
def command(stdio: bool) -> None:
    """Answer an editor, in the language server protocol, over standard input and output.

    It needs pygls: `pip install 'modular-models[lsp]'`. What goes wrong is logged to standard error.
    """
    from modular.cli.editor.process import Process

    gc.disable()  # until all is loaded, which stays: to look through it again and again takes a sixth of the time
    process = Process()  # it loads what it needs while this one does
    try:
        from modular.cli.editor.server import make_server
    except ModuleNotFoundError as error:
        if error.name not in ("pygls", "lsprotocol"):
            raise
        raise click.ClickException("pygls is not installed: run `pip install 'modular-models[lsp]'`") from error
    logging.basicConfig(level=logging.ERROR, format="%(asctime)s %(name)s: %(message)s")
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints should not come between the messages
    server = make_server(process)
    gc.freeze()
    gc.enable()
    try:
        server.start_io(stdout=output)
    finally:
        server.session.stop()
        server.session.wait()
