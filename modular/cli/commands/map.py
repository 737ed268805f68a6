"""The command `modular map`."""

import subprocess
import sys
from threading import Thread
from typing import IO, TextIO

import click

from modular.cli.help import GroupedCommand
from modular.cli.printing import hide_commands, in_colour
from modular.provenance.line_map import LineMap
from modular.provenance.mapped_output import map_output
from modular.system.printable import one_line


_COLOUR = "cyan"
_SIGNAL_EXIT_CODE = 128
_DISCARDED_BYTES = 65_536


@click.command(
    "map",
    cls=GroupedCommand,
    examples={
        "ruff check | modular map": "Show the line to edit for each finding.",
        "modular map -- pyright src": "Run pyright, and map its output.",
    },
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.argument("program", metavar="[-- COMMAND...]", nargs=-1, type=click.UNPROCESSED)
@click.pass_context
def command(context: click.Context, program: tuple[str, ...]) -> None:
    """Show the line to edit for each finding or traceback frame in a generated file.

    Pipe the output of another program into `modular map`, or write that program after
    `--`. With `--`, the command exits with the program's exit code.

    Below each PATH:LINE and each frame of a Python traceback that is in a generated
    file, the command prints the line to edit. In SARIF, and in the JSON of ruff,
    pyright and mypy, it replaces the place in the generated file with the line to edit.
    All other output is printed unchanged.
    """
    line_map = LineMap()
    if not program:
        if sys.stdin.isatty():
            raise click.UsageError(
                "Pipe the output of a program into `modular map`, or name a command.",
                context,
            )
        _copy(sys.stdin.buffer, sys.stdout, line_map)
        return
    context.exit(_run(program, line_map))


def _run(program: tuple[str, ...], line_map: LineMap) -> int:
    """Run a command, print its output with the lines to edit, and return its exit code.

    Args:
        program: The command and its arguments.
        line_map: Finds the line to edit for a line of a generated file.
    """
    try:
        process = subprocess.Popen(
            program, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise click.ClickException(
            f"{one_line(program[0])} cannot be run: {reason}. To map a file, run "
            "`modular map < FILE`."
        ) from error
    with process:
        assert process.stdout is not None and process.stderr is not None
        # Both streams are read at once, because a full pipe would stop the command.
        errors = Thread(target=_copy_errors, args=(process.stderr, line_map))
        errors.start()
        try:
            _copy(process.stdout, sys.stdout, line_map)
        except BaseException:
            # The output cannot be written, or a signal asks this process to end.
            process.terminate()
            raise
        finally:
            errors.join()
    code = process.returncode
    if code >= 0:
        return code
    # A negative code is that of a signal. Shells report signal 9 as 137.
    return _SIGNAL_EXIT_CODE - code


def _copy_errors(output: IO[bytes], line_map: LineMap) -> None:
    """Copy the error output of a program. Read all of it even if writing fails."""
    try:
        _copy(output, sys.stderr, line_map)
    except OSError:
        while output.read(_DISCARDED_BYTES):
            pass


def _copy(output: IO[bytes], target: TextIO, line_map: LineMap) -> None:
    """Copy the output of a program as it arrives, and insert places to edit.

    If the output names a line of a generated file, the hand-written line that it comes
    from is inserted below. The output itself is not changed.

    Args:
        output: The output of the program.
        target: Standard output or standard error of this process.
        line_map: Finds the line to edit for a line of a generated file.
    """
    has_colour = in_colour(target)

    def paint(inserted_text: str) -> str:
        """Return an inserted text with its colour."""
        # GitHub Actions must not take an inserted line for a workflow command.
        harmless = hide_commands(inserted_text)
        if has_colour:
            return click.style(harmless, fg=_COLOUR)
        return harmless

    for data in map_output(output, line_map, paint):
        target.buffer.write(data)
        target.buffer.flush()
