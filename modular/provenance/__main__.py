"""Runs a script; below the frames of an error that it does not catch appear the lines to edit.

`python -m modular.provenance SCRIPT [ARGUMENT]...` runs it as `python SCRIPT [ARGUMENT]...` would.
"""

import os
import runpy
import sys
import traceback
from types import TracebackType


_WRONG_USE = 2


def main() -> None:
    """Run the script that the command line names."""
    if len(sys.argv) < 2:
        _refuse("usage: python -m modular.provenance SCRIPT [ARGUMENT]...")
    script = sys.argv[1]
    if not os.path.exists(script):
        _refuse(f"error: {script}: no such file")
    del sys.argv[0]
    sys.path[0] = os.path.dirname(os.path.realpath(script))
    sys.excepthook = _show
    runpy.run_path(os.path.abspath(script), run_name="__main__")


def _refuse(message: str) -> None:
    print(message, file=sys.stderr)
    sys.exit(_WRONG_USE)


def _show(
    kind: type[BaseException], error: BaseException, begin: TracebackType | None
) -> None:
    """Print a traceback without the frames that ran the script, and with the lines to edit."""
    from modular.provenance.frames import Frames, annotate

    text = "".join(traceback.format_exception(kind, error, _of_the_script(begin)))
    for line in annotate(text.splitlines(keepends=True), Frames()):
        sys.stderr.write(line)


def _of_the_script(begin: TracebackType | None) -> TracebackType | None:
    """The frames from the script's own on."""
    ours = (__file__, main.__code__.co_filename, runpy.run_path.__code__.co_filename)
    while begin is not None and begin.tb_frame.f_code.co_filename in ours:
        begin = begin.tb_next
    return begin


if __name__ == "__main__":
    main()
