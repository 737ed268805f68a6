"""Prints errors and warnings, shows how far a run is, and turns what came of a command into its exit code."""

import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from shutil import get_terminal_size
from typing import NoReturn

import click

from modular.cli.printing import echo, echo_painted, erase_line, in_colour
from modular.run.api import Options
from modular.run.report import join_parent_problems
from modular.source.diagnostics import Diagnostic, render
from modular.system.terminal import counted


MOST = 20
"""Warnings, or models with stale parents, that are shown one by one."""


PATIENCE = 1.0
"""Seconds that a run may take before there is a progress bar."""


@contextmanager
def with_progress(options: Options) -> Iterator[Options]:
    """Give options under which a long run shows on a terminal how far it is; the bar is gone when the run is done."""
    if not sys.stderr.isatty():
        yield options
        return
    not_before = time.monotonic() + PATIENCE
    bar = click.progressbar(
        length=1,
        label="models",
        file=sys.stderr,
        show_pos=True,
        show_percent=False,
        show_eta=False,
    )

    def show(done: int, total: int) -> None:
        if time.monotonic() >= not_before:
            bar.pos, bar.length = done, total
            bar.render_progress()

    try:
        yield replace(options, progress=show)
    finally:
        if bar.pos:
            erase_line()


def exit_with(clean: bool, *, wrong_use: bool = False) -> NoReturn:
    """End the command: with 0 if all is well, 2 where it was used wrongly, else 1."""
    sys.exit(2 if wrong_use else 0 if clean else 1)


def print_diagnostics(
    diagnostics: Sequence[Diagnostic], *, errors_only: bool = False
) -> None:
    """Print errors and warnings, in colour where a terminal shows them and `NO_COLOR` does not forbid it."""
    shown = join_parent_problems(
        diagnostic
        for diagnostic in diagnostics
        if diagnostic.is_error or not errors_only
    )
    colour = in_colour(sys.stderr)
    columns = get_terminal_size().columns if sys.stderr.isatty() else None
    echo_painted(render(shown, colour=colour, columns=columns), colour=colour)


def print_few_diagnostics(
    diagnostics: Sequence[Diagnostic], *, are_all: bool = False
) -> None:
    """Print errors and warnings; of many warnings only the numbers, unless they ``are_all`` wanted."""
    warnings = [diagnostic for diagnostic in diagnostics if not diagnostic.is_error]
    are_many = len(warnings) > MOST and not are_all
    print_diagnostics(diagnostics, errors_only=are_many)
    if are_many:
        numbers = Counter(diagnostic.code.id for diagnostic in warnings)
        listed = ", ".join(
            f"{number} {code}" for code, number in sorted(numbers.items())
        )
        echo(
            f"{len(warnings)} warnings ({listed}): `modular check --warnings` shows them all",
            err=True,
        )


def print_left_out(left_out: int, known: int = 0) -> None:
    """Say how many models and how many findings were left out."""
    if known:
        echo(f"{counted(known, 'finding')} left out: not new", err=True)
    if left_out:
        echo(
            f"{counted(left_out, 'model')} left out: nothing that changed affects them",
            err=True,
        )
