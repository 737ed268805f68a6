"""The command `modular`. A subcommand's module is loaded only when it is called."""

import os
import sys
from contextlib import suppress
from importlib import import_module
from typing import Any

import click

from modular.cli.printing import echo, one_line
from modular.cli.suggesting import suggestion
from modular.source.system.interrupts import ending_in_order


_SECTIONS = {
    "Write and check models": {
        "init": "Set a library up: settings, hook and workflow.",
        "new": "Start a new model that inherits from another one.",
        "convert": "Convert modular files and write what changes.",
        "check": "Check that generated files are up to date.",
        "watch": "Convert again whenever a file is saved.",
        "fix": "Apply the autofixes of findings to modular files.",
        "rename": "Rename a class, function or method everywhere.",
        "infer": "Write the modular file of a flat model, and prove it.",
        "nearest": "Show which library classes are closest to a file's.",
    },
    "Understand and review": {
        "rule": "Explain a rule of the modular language, or an error.",
        "blame": "Show which line each line of a generated file comes from.",
        "where": "Show the generated lines that come from a line.",
        "traceback": "Put the lines to edit below a traceback's frames.",
        "impact": "Show what a change would do to generated files.",
        "review": "Write pages that show where generated lines come from.",
        "graph": "Show which models depend on which.",
        "stats": "Show how many lines modular files save.",
    },
    "Set up": {
        "lsp": "Start the language server.",
        "completion": "Print the script that completes commands in a shell.",
        "help": "Show the help of a command.",
        "cache": "Show or clean the cache of results.",
    },
}
"""The commands with their summaries, as the help groups them."""

_COMMANDS = {name: summary for commands in _SECTIONS.values() for name, summary in commands.items()}


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
            setattr(sys, name, open(number, "w" if number else "r", encoding="utf-8", closefd=False))


def _silence_broken_streams() -> None:
    """Let what cannot be written go nowhere: Python flushes once more when it ends."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
            os.fstat(stream.fileno())
        except (OSError, ValueError):
            with suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _print_usage_error(error: click.ClickException) -> None:
    if isinstance(error, click.UsageError) and error.ctx is not None:
        echo(f"{error.ctx.get_usage()}\nTry '{error.ctx.command_path} --help' for help.\n", err=True)
    echo(f"error: {error.format_message()}", err=True)


class _Lazy(click.Group):
    """A group that knows its commands' names and summaries without loading them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = import_module(f"modular.cli.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in _COMMANDS and not args[0].startswith("-"):
            name = one_line(args[0])
            raise click.UsageError(f"No such command '{name}'.{suggestion(name, _COMMANDS)}", ctx)
        return super().resolve_command(ctx, args)

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run a command. What a stream cannot encode is escaped; not being able to write is an error, not a bug."""
        _open_closed_streams()
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="backslashreplace")
        with ending_in_order():
            try:
                try:
                    code = super().main(*args, **{**kwargs, "standalone_mode": False})
                except click.ClickException as error:
                    _print_usage_error(error)
                    sys.exit(2)
                finally:
                    sys.stdout.flush()
                sys.exit(code if isinstance(code, int) else 0)
            except OSError as error:
                if error.filename is not None:
                    raise
                _silence_broken_streams()
                if not isinstance(error, BrokenPipeError):
                    echo(f"error: the output cannot be written: {error.strerror or error}", err=True)
                sys.exit(2)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, _COMMANDS))
        for section, commands in _SECTIONS.items():
            with formatter.section(section):
                formatter.write_dl([(f"{name:<{width}}", summary) for name, summary in commands.items()])


def _print_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        from importlib.metadata import version
        from platform import python_version

        echo(f"modular {version('modular-models')} (Python {python_version()}, ruff {version('ruff')})")
        ctx.exit()


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    "-V",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_print_version,
    help="Show the versions of modular, Python and ruff.",
)
def main() -> None:
    """Flatten modular model files into single-file model code, and prove that what is committed still matches.

    Exit codes: 0 no findings; 1 findings, or files that differ; 2 usage errors.
    """
