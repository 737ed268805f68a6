"""Prints diagnostics, shows the progress of a run, and ends a command."""

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import NoReturn

import click

from modular.cli.printing import (
    echo,
    echo_painted,
    erase_line,
    in_colour,
    terminal_columns,
)
from modular.cli.rendering.diagnostics import render
from modular.run.api import Options
from modular.run.report import join_parent_problems
from modular.source.diagnostics import Diagnostic
from modular.system.printable import counted


MAX_LISTED_WARNINGS = 20
"""Warnings that are printed one by one; more are only counted."""

_PROGRESS_DELAY_S = 0.5
"""Time after which a run shows a progress bar, in seconds."""


@contextmanager
def with_progress(options: Options) -> Iterator[Options]:
    """Show a progress bar on a terminal during a long run.

    Yields:
        The options to run with. The bar is erased when the context ends.
    """
    # A file or pipe must not get a progress bar.
    if not sys.stderr.isatty():
        yield options
        return
    show_after = time.monotonic() + _PROGRESS_DELAY_S
    is_shown = False
    bar = click.progressbar(
        length=1,
        file=sys.stderr,
        show_pos=True,
        show_percent=False,
        show_eta=False,
    )

    def show(phase: str, done: int, total: int) -> None:
        """Show how much of a phase of the run is done, unless the run is short."""
        nonlocal is_shown
        if time.monotonic() >= show_after:
            is_shown = True
            bar.label = phase
            bar.pos = done
            bar.length = total or None
            bar.render_progress()

    try:
        yield replace(options, progress=show)
    finally:
        if is_shown:
            erase_line()


def exit_with(clean: bool, *, wrong_use: bool = False) -> NoReturn:
    """End the command with the exit code that its result calls for.

    Args:
        clean: Whether nothing was found; the code is 0, and otherwise 1.
        wrong_use: Whether the command was used wrongly; the code is 2.
    """
    if wrong_use:
        sys.exit(2)
    sys.exit(0 if clean else 1)


def print_diagnostics(
    diagnostics: Sequence[Diagnostic], *, errors_only: bool = False
) -> None:
    """Print errors and warnings, in colour if the terminal shows colours."""
    selected = []
    for diagnostic in diagnostics:
        if diagnostic.is_error or not errors_only:
            selected.append(diagnostic)
    colour = in_colour(sys.stderr)
    columns = terminal_columns(sys.stderr)
    text = render(join_parent_problems(selected), colour=colour, columns=columns)
    echo_painted(text, colour=colour)


def print_few_diagnostics(
    diagnostics: Sequence[Diagnostic], *, shows_all: bool = False
) -> None:
    """Print errors and warnings; only count the warnings if there are many of them.

    Args:
        diagnostics: The errors and warnings.
        shows_all: Print all warnings, even if there are many.
    """
    warnings = [diagnostic for diagnostic in diagnostics if not diagnostic.is_error]
    only_counted = len(warnings) > MAX_LISTED_WARNINGS and not shows_all
    print_diagnostics(diagnostics, errors_only=only_counted)
    if only_counted:
        summary = f"{len(warnings)} warnings"
        echo(f"{summary}: `modular check --warnings` shows them", err=True)


def print_left_out(left_out_models: int) -> None:
    """Print how many models were left out, if any."""
    if left_out_models:
        models = counted(left_out_models, "model")
        echo(f"{models} skipped: no change affects them", err=True)
