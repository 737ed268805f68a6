"""The program `modular`, which `python -m modular` is, too."""

import atexit
import os
import sys
from contextlib import suppress
from importlib.util import find_spec

from modular.run import early
from modular.source.machine import collect_rarely


_AS_EDITORS_START_IT = (["lsp"], ["lsp", "--stdio"])


def main() -> None:
    """Run the command that the arguments name, and end the process."""
    try:
        _run()
    except SystemExit as left:
        if isinstance(left.code, int):
            _end(left.code)
        raise


def _run() -> None:
    if sys.argv[1:] in _AS_EDITORS_START_IT and find_spec("pygls") is not None:
        _serve()
        return
    collect_rarely()
    if early.is_worthwhile(sys.argv[1:]):
        early.start()
    try:
        from modular.cli.main import main as command

        command(prog_name="modular")
    finally:
        early.stop()


def _serve() -> None:
    """Run `modular lsp` without what reads command lines: an editor waits for it."""
    from modular.cli.editor.serving import serve
    from modular.run.interrupts import ending_in_order

    with ending_in_order():
        serve()


def _end(code: int) -> None:
    """End at once: to take apart what was loaded, object by object, takes longer than many a command."""
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
