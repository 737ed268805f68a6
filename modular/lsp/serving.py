"""Starts the server, and the process that works on projects, which load what they need side by side."""

import gc
import logging
import os

from modular.lsp.process import Process


def serve() -> None:
    """Answer an editor over standard input and output until it goes. Raises ModuleNotFoundError without pygls."""
    gc.disable()  # until all is loaded, which stays: to look through it again and again takes a sixth of the time
    process = Process()
    from modular.lsp.server import make_server

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
