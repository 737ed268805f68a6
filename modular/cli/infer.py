"""`modular infer`."""

import json
from collections.abc import Sequence
from pathlib import Path

import click

from modular.cli import rendering
from modular.cli.model_names import complete_any_model
from modular.cli.options import ROOT, SOURCE_LIBRARY
from modular.cli.rendering.json import as_objects
from modular.cli.reporting import leave, print_found, run_with_progress
from modular.run.api import Options


@click.command("infer")
@click.argument("targets", nargs=-1, required=True, shell_complete=complete_any_model)
@ROOT
@SOURCE_LIBRARY
@click.option("--write", is_flag=True, help="Write the modular files; otherwise they are printed.")
@click.option("--force", is_flag=True, help="Write over modular files that are there.")
@click.option("--from", "only", multiple=True, metavar="MODEL", help="Inherit from this model only; may be repeated.")
@click.option("--not-from", "none_of", multiple=True, metavar="MODEL", help="Do not inherit from this model.")
@click.option("--jobs", type=click.IntRange(1), help="Processes; one for each processor if not given.")
@click.option("--no-cache", is_flag=True, help="Take nothing from earlier runs.")
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text", help="How to report.")
def command(
    targets: tuple[str, ...],
    root: Path | None,
    source_library: str | None,
    write: bool,
    force: bool,
    only: tuple[str, ...],
    none_of: tuple[str, ...],
    jobs: int | None,
    no_cache: bool,
    output_format: str,
) -> None:
    """Write the modular file of models that are flat, and prove that it gives the flat files back.

    A TARGET is a model's name, its folder, or a flat file. What is written is converted in memory and compared.
    """
    from modular.run.infer.infer import Parents, Report, infer

    def call(options: Options) -> Report:
        return infer(targets, write=write, force=force, parents=Parents(only, none_of), options=options)

    report = run_with_progress(
        call, Options(root=root, source_library=source_library, jobs=jobs, cache=not no_cache)
    )
    _ = rendering, json, Sequence, as_objects, print_found
    leave(not report.has_errors)
