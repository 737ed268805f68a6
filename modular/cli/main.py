"""The command `modular`. A subcommand's module is loaded only when it is called."""

import os
import sys
from importlib import import_module
from typing import Any

import click


_COMMANDS = {
    "cache": "Show or clean the cache of results.",
    "check": "Check that generated files are what their modular files say.",
    "completion": "Print the script that completes commands and models in a shell.",
    "convert": "Convert modular files and write what changes.",
    "graph": "Show which model takes what from which.",
    "new": "Start a new model that inherits from another one.",
    "rule": "Explain a rule of the modular language, or an error.",
    "stats": "Show how many lines modular files save.",
    "watch": "Convert again whenever a file is saved.",
}


class _Lazy(click.Group):
    """A group that knows its commands' names and summaries without loading them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = import_module(f"modular.cli.{cmd_name}").command
        return command

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run a command. What a stream cannot encode is escaped; that it cannot be written is no bug, but an error."""
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="backslashreplace")
        try:
            try:
                return super().main(*args, **kwargs)
            finally:
                sys.stdout.flush()
        except OSError as error:
            if error.filename is not None:
                raise
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes once more when it ends
            if not isinstance(error, BrokenPipeError):
                click.echo(f"error: the output cannot be written: {error.strerror or error}", err=True)
            sys.exit(2)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, _COMMANDS[name]) for name in self.list_commands(ctx)])


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="modular-models", prog_name="modular")
def main() -> None:
    """Flatten modular model files into single-file model code, and prove that what is committed still matches."""
