"""The program `modular`, which `python -m modular` is, too."""

import atexit
import os
import sys
from contextlib import suppress

from modular.source.machine import collect_rarely


def main() -> None:
    """Run the command that the arguments name, and end the process."""
    try:
        _run()
    except SystemExit as left:
        if isinstance(left.code, int):
            _end(left.code)
        raise


def _run() -> None:
    collect_rarely()
    if "--no-cache" in sys.argv:
        _convert()
    else:
        _command()


def _command() -> None:
    from modular.cli.main import main

    main(prog_name="modular")


def _convert() -> None:
    """Run a command that is sure to convert something, if need be with the process that is started early."""
    from modular.run import early

    if early.is_worthwhile(sys.argv[1:]):
        early.start()
    try:
        _command()
    finally:
        early.stop()


def _end(code: int) -> None:
    """End at once: to take apart what was loaded, object by object, takes longer than many a command."""
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
