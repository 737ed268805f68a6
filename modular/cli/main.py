"""The command `modular`. The module of a subcommand is imported when it is called."""

import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from itertools import pairwise
from typing import Any, NoReturn

import click

from modular.cli.printing import UnwritableOutputError, echo
from modular.cli.suggesting import suggestion
from modular.system.errors import ModularError
from modular.system.interrupts import Ended, ending_in_order
from modular.system.leftovers import delete_leftovers
from modular.system.printable import one_line


COMMAND_SECTIONS = {
    "Write and check models": {
        "init": "Set up a library: settings, pre-commit hook, workflow.",
        "new": "Start a new model that inherits from another model.",
        "convert": "Generate model files from modular files.",
        "check": "Check whether the generated files are up to date.",
        "verify": "List all problems in models, with the line to edit for each.",
        "watch": "Convert models whenever you save a file.",
        "fix": "Fix findings in modular files automatically.",
        "lift": "Move your edits of generated files into the modular files.",
        "rename": "Rename a class, function, method or attribute everywhere.",
        "infer": "Turn a flat model into a modular file.",
        "nearest": "Find the classes of other models that are most similar to yours.",
    },
    "Understand and review": {
        "rule": "Explain a rule of the modular language, an error or a warning.",
        "blame": "Show where each line of a generated file comes from.",
        "where": "List the generated lines that come from a source line.",
        "map": "Show the line to edit for each finding or traceback frame.",
        "impact": "Show what your changes do to generated files.",
        "drift": "Find copied methods that missed a later change of the original.",
        "review": "Write web pages that show what a change does.",
        "graph": "Show which models inherit from which.",
    },
    "Set up": {
        "lsp": "Start the language server.",
        "clean": "Delete the cache.",
    },
}
"""The commands with their summaries, so that the help does not import them."""

_COMMANDS_FOR_PROGRAMS = ("merge",)
"""Commands that the help does not list, because only other programs run them."""

_EXIT_CODE_OF_WRONG_USE = 2


class _LazyGroup(click.Group):
    """A group that imports a command when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        names: list[str] = []
        for summaries in COMMAND_SECTIONS.values():
            names += summaries
        return sorted(names)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, whose module is imported only if it is needed.

        Raises:
            click.UsageError: No command has this name; a similar one is suggested.
        """
        if cmd_name.startswith("-"):
            # Click then reports an unknown option.
            return None
        names = self.list_commands(ctx)
        if cmd_name not in (*names, *_COMMANDS_FOR_PROGRAMS):
            message = f"No such command '{one_line(cmd_name)}'."
            raise click.UsageError(message + suggestion(cmd_name, names), ctx)
        module = import_module(f"modular.cli.commands.{cmd_name}")
        command: click.Command = module.command
        return command

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Write the commands below the headings of their sections."""
        longest_name = max(self.list_commands(ctx), key=len)
        for heading, summaries in COMMAND_SECTIONS.items():
            with formatter.section(heading):
                rows = []
                for name, summary in summaries.items():
                    rows.append((name.ljust(len(longest_name)), summary))
                formatter.write_dl(rows)

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run a command and exit.

        The exit code is 0 if there are no findings, 1 if there are some, and 2 if the
        command was used wrongly or cannot be run.
        """
        _replace_closed_streams()
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                # Characters that the encoding of the stream lacks are escaped.
                stream.reconfigure(errors="backslashreplace")
        with ending_in_order():
            try:
                self._run(*args, **kwargs)
            except OSError as error:
                _exit_with_output_error(error)

    def _run(self, *args: Any, **kwargs: Any) -> None:
        """Run a command and exit with its exit code. Print the error if it fails.

        Raises:
            SystemExit: The command has ended.
            OSError: Standard output cannot be written, or the system refuses something
                else that has no file name.
        """
        # Let click raise its errors, instead of printing them itself.
        kwargs["standalone_mode"] = False
        try:
            code = super().main(*args, **kwargs)
            sys.exit(code if isinstance(code, int) else 0)
        except RuntimeError as error:
            # Python 3.11 raises it instead of an exception in `__set_name__`, such as that
            # of a signal while a module is imported.
            if isinstance(error.__cause__, Ended):
                raise error.__cause__ from None
            if isinstance(error.__cause__, KeyboardInterrupt):
                raise Ended(signal.SIGINT) from None
            raise
        except click.Abort:  # Ctrl-C
            # `Ended` is the `SystemExit` with the exit code of a killed process, 130.
            raise Ended(signal.SIGINT) from None
        except (click.ClickException, ModularError) as error:
            _exit_with_error(error, kwargs.get("args"))
        except OSError as error:
            # An error about a file has the name of the file. An error of `print` or
            # `flush` has none.
            if error.filename is None:
                raise
            _exit_with_error(error, kwargs.get("args"))
        finally:
            sys.stdout.flush()


def _wants_json(arguments: Sequence[str] | None) -> bool:
    """Return whether `--output-format json` is among the arguments of the command line.

    Args:
        arguments: The arguments; None for those of this process.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    if "--output-format=json" in words:
        return True
    return ("--output-format", "json") in pairwise(words)


def _exit_with_error(error: Exception, arguments: Sequence[str] | None) -> NoReturn:
    """Print an error, and exit. Print the usage if the command was used wrongly.

    Args:
        error: The error.
        arguments: The arguments of the command line. If they choose the JSON format,
            standard output gets the error, too. None for those of this process.
    """
    if isinstance(error, click.UsageError) and error.ctx is not None:
        echo(error.ctx.get_usage(), err=True)
        help_command = f"{error.ctx.command_path} --help"
        echo(f"Try '{help_command}' for help.\n", err=True)
    message = _describe(error)
    echo(f"error: {message}", err=True)
    if _wants_json(arguments):
        from modular.cli.rendering.json import print_object

        print_object({"error": message})
    sys.exit(_EXIT_CODE_OF_WRONG_USE)


def _exit_with_output_error(error: OSError) -> NoReturn:
    """End the process after an error that names no file: the output cannot be written."""
    # If the reader of a pipe ended early, as `head` does, nobody needs a message.
    if not isinstance(error, BrokenPipeError):
        message = str(error.strerror or error)
        if isinstance(error, UnwritableOutputError):
            message = f"the output cannot be written: {message}"
        # Standard error may be unwritable, too.
        with suppress(OSError):
            echo(f"error: {message}", err=True)
    # Python flushes the streams once more when it exits. That must not fail.
    for number in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), number)
    sys.exit(_EXIT_CODE_OF_WRONG_USE)


def _replace_closed_streams() -> None:
    """Open the null device for each standard stream that is closed.

    Otherwise the next file that is opened would get the number of the stream, and be
    read and written in its place.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.dup2(os.open(os.devnull, os.O_RDWR), number)
        # Python has no stream object for a stream that was closed when it started.
        if getattr(sys, name) is None:
            mode = "r" if number == 0 else "w"
            stream = open(number, mode, encoding="utf-8", closefd=False)
            setattr(sys, name, stream)


def _describe(error: Exception) -> str:
    """Return the message of an error that ends a command."""
    if isinstance(error, click.ClickException):
        return error.format_message()
    if isinstance(error, OSError):
        return f"{one_line(str(error.filename))}: {error.strerror}"
    return "\n  ".join(one_line(line) for line in str(error).split("\n"))


def _print_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    """Print the versions of modular, Python and ruff, and exit, if the user asks for them.

    Click calls this function for each command line. ``value`` is true for `--version`.
    """
    if not value:
        return
    from importlib.metadata import version
    from platform import python_version

    modular_version = version("modular-models")
    ruff_version = version("ruff")
    echo(f"modular {modular_version} (Python {python_version()}, ruff {ruff_version})")
    ctx.exit()


@click.group(
    cls=_LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option(
    "--version",
    "-V",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_print_version,
    help="Show the versions of modular, Python and ruff.",
)
@click.pass_context
def main(ctx: click.Context) -> None:
    """Generate complete model files from modular files, and check that they are up to date.

    Exit codes: 0 = success, 1 = problems or files to update, 2 = wrong usage.
    """
    if ctx.invoked_subcommand is None:
        echo(ctx.get_help(), err=True)
        ctx.exit(_EXIT_CODE_OF_WRONG_USE)
    delete_leftovers()
