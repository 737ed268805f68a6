"""The command `modular`. A subcommand's module is loaded only when it is called."""

import os
import signal
import sys
from contextlib import suppress
from importlib import import_module
from typing import Any

import click

from modular.cli.printing import echo
from modular.cli.suggesting import NearChoice, suggestion
from modular.system.errors import ModularError
from modular.system.interrupts import Ended, ending_in_order
from modular.system.leftovers import delete_leftovers
from modular.system.printable import one_line


with open(
    os.path.join(os.path.dirname(__file__), "commands.txt"), encoding="utf-8"
) as _file:
    _SUMMARIES = _file.read()
"""The commands with their summaries, as the help shows them: written down, so that it loads none of them."""

_COMMANDS = sorted(
    line.split()[0] for line in _SUMMARIES.splitlines() if line.startswith(" ")
)

_WRONG_USE = 2


def _open_closed_streams() -> None:
    """Give nothing to read and nowhere to write where a standard stream is closed.

    Else the next file that is opened would take its place, and be read and written instead.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.dup2(os.open(os.devnull, os.O_RDWR), number)
        if getattr(sys, name) is None:
            setattr(
                sys,
                name,
                open(number, "w" if number else "r", encoding="utf-8", closefd=False),
            )


def _message(error: Exception) -> str:
    """What is said of an error that ends a command: wrong use, what cannot be done, or what the system refuses."""
    if isinstance(error, click.ClickException):
        return error.format_message()
    if isinstance(error, OSError):
        return f"{one_line(str(error.filename))}: {error.strerror}"
    return "\n  ".join(one_line(line) for line in str(error).split("\n"))


class _Lazy(click.Group):
    """A group that knows its commands' names and summaries without loading them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return _COMMANDS

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in self.commands or cmd_name.startswith("-"):
            return self.commands.get(cmd_name)
        if cmd_name not in _COMMANDS:
            raise click.UsageError(
                f"No such command '{one_line(cmd_name)}'.{suggestion(cmd_name, _COMMANDS)}",
                ctx,
            )
        command: click.Command = import_module(
            f"modular.cli.commands.{cmd_name}"
        ).command
        return command

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run a command: its exit code is 0 where all is well, 1 where something was found, 2 where it cannot be done."""
        _open_closed_streams()
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(
                    errors="backslashreplace"
                )  # what a stream cannot encode is escaped
        with ending_in_order():
            try:
                self._run(*args, **kwargs)
            except OSError as error:
                with suppress(OSError):
                    if not isinstance(error, BrokenPipeError):
                        echo(
                            f"error: the output cannot be written: {error.strerror or error}",
                            err=True,
                        )
                for number in (1, 2):  # Python flushes once more when it ends
                    os.dup2(os.open(os.devnull, os.O_WRONLY), number)
                sys.exit(_WRONG_USE)

    def _run(self, *args: Any, **kwargs: Any) -> None:
        """Run a command, and leave. Raises OSError where it is the output that cannot be written: that has no file."""
        try:
            code = super().main(*args, **{**kwargs, "standalone_mode": False})
            sys.exit(code if isinstance(code, int) else 0)
        except click.Abort:  # Ctrl-C
            raise Ended(signal.SIGINT) from None
        except (click.ClickException, ModularError, OSError) as error:
            if isinstance(error, OSError) and error.filename is None:
                raise
            if isinstance(error, click.UsageError) and error.ctx is not None:
                usage = error.ctx.get_usage()
                echo(
                    f"{usage}\nTry '{error.ctx.command_path} --help' for help.\n",
                    err=True,
                )
            echo(f"error: {_message(error)}", err=True)
            sys.exit(_WRONG_USE)
        finally:
            sys.stdout.flush()

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        formatter.write(f"\n{_SUMMARIES}")


def _print_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        from importlib.metadata import version
        from platform import python_version

        echo(
            f"modular {version('modular-models')} (Python {python_version()}, ruff {version('ruff')})"
        )
        ctx.exit()


@click.group(
    cls=_Lazy,
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
    """Flatten modular model files into single-file model code, and prove that what is committed still matches.

    Exit codes: 0 no findings; 1 findings, or files that differ; 2 usage errors.
    """
    if ctx.invoked_subcommand is None:
        echo(ctx.get_help(), err=True)
        ctx.exit(_WRONG_USE)
    delete_leftovers()


@main.command("help")
@click.argument(
    "name",
    metavar="[COMMAND]",
    required=False,
    shell_complete=click.Choice(_COMMANDS).shell_complete,
)
@click.pass_context
def show_help(ctx: click.Context, name: str | None) -> None:
    """Show the help of a command; without one, of all."""
    main.main([*filter(None, [name]), "--help"], prog_name=ctx.find_root().info_name)


@main.command("completion")
@click.argument("shell", type=NearChoice(("bash", "zsh", "fish", "powershell")))
def print_completion(shell: str) -> None:
    """Print the script that completes commands, options and models in a shell.

    \b
    bash: eval "$(modular completion bash)"          in ~/.bashrc
    zsh:  eval "$(modular completion zsh)"           in ~/.zshrc
    fish: modular completion fish | source           in ~/.config/fish/config.fish
    powershell: modular completion powershell | Out-String | Invoke-Expression    in $PROFILE
    """
    from click.shell_completion import get_completion_class

    completing = get_completion_class(shell)
    if completing is None:
        raise click.ClickException(
            f"the installed click cannot complete for {shell}: run `pip install --upgrade click`"
        )
    echo(completing(main, {}, "modular", "_MODULAR_COMPLETE").source())
