"""The command `modular check`."""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import click

from modular.cli.help import GroupedCommand
from modular.cli.options import ReportOptions, force_option, report_options
from modular.cli.printing import echo
from modular.cli.rendering.report import print_report
from modular.cli.reporting import exit_with, with_progress
from modular.project.project import model_name
from modular.run import api
from modular.run.api import FileReport, Options
from modular.source.diagnostics import Problem
from modular.system.printable import counted


_MAX_REPEATED_TARGETS = 5
"""Targets that the suggested `modular convert` repeats; else it names none."""

_PROBLEMS_OF_TARGETS = (
    Problem.NOT_FOUND,
    Problem.NOT_A_MODULAR_FILE,
    Problem.NOTHING_FOUND,
    Problem.OUTSIDE_ROOT,
)
"""Problems of a target that selects no model. Their place is the target."""

_FILE = click.Path(dir_okay=False, path_type=Path)


@click.command(
    "check",
    cls=GroupedCommand,
    examples={
        "modular check": "Check the whole project.",
        "modular check olmo2 --fix": "Write the stale files of a model.",
        "modular check --since main": "Check the models that a branch affects.",
    },
)
@report_options
@click.option("--fix", is_flag=True, help="Write the files that are stale or missing.")
@force_option
@click.option(
    "--baseline", type=_FILE, help="Ignore findings recorded in this baseline file."
)
@click.option(
    "--write-baseline",
    type=_FILE,
    help="Record all current findings in this baseline file.",
)
def command(
    targets: tuple[str, ...],
    options: Options,
    display: ReportOptions,
    fix: bool,
    force: bool,
    baseline: Path | None,
    write_baseline: Path | None,
) -> None:
    """Check whether the generated files are up to date.

    The command exits with 1 if a generated file is stale or missing, or if a model has
    an error. Without --fix, it writes no generated files.

    A TARGET is the name of a model, a modular file or a folder. By default, the command
    processes the whole project.
    """
    if force and not fix:
        raise click.UsageError("--force needs --fix")
    is_text = display.output_format == "text"
    # A baseline is written from all findings of the files as they are.
    if write_baseline is not None and (baseline is not None or fix or not is_text):
        raise click.UsageError(
            "--write-baseline cannot be used with --baseline, --fix or --output-format"
        )
    with with_progress(replace(options, baseline=baseline, force=force)) as options:
        report = api.check(targets, fix=fix, options=options)
    if write_baseline is not None:
        _write_baseline(write_baseline, report)
        return

    print_report(report, display)
    if is_text and not display.quiet:
        for sentence in _find_next_steps(report, targets, options):
            echo(sentence)
    exit_with(report.is_clean, wrong_use=report.has_unknown_targets)


def _find_next_steps(
    report: api.Report, targets: Sequence[str], options: Options
) -> Iterator[str]:
    """Yield a sentence that says what to run for each kind of file that differs.

    Args:
        report: The report of the check.
        targets: The targets of the check.
        options: The options of the check, which the commands repeat.
    """
    stale, handwritten, edited = [], [], []
    for file in report.differing_files:
        if file.path in report.handwritten_files:
            handwritten.append(file)
        elif file.path in report.edited_files:
            edited.append(file)
        # Another note says what to run for files that differ in formatting alone.
        elif not file.differs_only_in_formatting:
            stale.append(file)
    edited_before_commit = [
        file for file in stale if file.path in report.committed_edits
    ]
    # The errors of a model must be solved before its files can be updated.
    updatable = [file for file in stale if not report.is_blocked(file)]
    if updatable:
        command = _convert_command(_existing_targets(targets, report), options)
        yield f"To update the generated files, run `{command}`."
    if handwritten:
        subject = _counted_subject(len(handwritten), "file")
        command = _force_command(handwritten, options)
        yield (
            f"{subject} written by hand, and modular would generate another text. To "
            f"replace what people wrote, run `{command}`."
        )
    if edited:
        steps = _steps_after_edits(edited, options)
        subject = _counted_subject(len(edited), "generated file")
        yield f"{subject} edited by hand. {steps}"
    if edited_before_commit:
        subject = _counted_subject(len(edited_before_commit), "generated file")
        steps = _steps_after_edits(edited_before_commit, options)
        yield f"{subject} perhaps edited by hand before the last commit. {steps}"


def _counted_subject(number: int, noun: str) -> str:
    """Return the beginning of a sentence about some files: `2 files were`."""
    verb = "was" if number == 1 else "were"
    return f"{counted(number, noun)} {verb}"


def _steps_after_edits(files: Sequence[FileReport], options: Options) -> str:
    """Return the sentence with the commands that keep and discard edits of files."""
    paths = [file.path for file in files]
    targets = paths if len(paths) <= _MAX_REPEATED_TARGETS else ()
    lift = shlex.join(["modular", "lift", *options.project_arguments(), *targets])
    force = _force_command(files, options)
    return f"To keep the edits, run `{lift}`; to discard them, run `{force}`."


def _force_command(files: Sequence[FileReport], options: Options) -> str:
    """Return the command that overwrites files that people wrote or edited."""
    models = sorted({model_name(file.modular) for file in files})
    return f"{_convert_command(models, options)} --force"


def _existing_targets(targets: Sequence[str], report: api.Report) -> list[str]:
    """Return the targets of a check without those that select no model."""
    unknown_targets = set()
    for diagnostic in report.diagnostics:
        if diagnostic.code in _PROBLEMS_OF_TARGETS:
            # The place of such a problem is the target.
            unknown_targets.add(diagnostic.place.path)
    return [target for target in targets if target not in unknown_targets]


def _convert_command(targets: Sequence[str], options: Options) -> str:
    """Return the `modular convert` command for some targets of a check.

    The command repeats the options of the check. If there are many targets, it names
    none of them, and so converts the whole project.
    """
    words = ["modular", "convert", *options.project_arguments()]
    if len(targets) <= _MAX_REPEATED_TARGETS:
        words += targets
    return shlex.join(words)


def _write_baseline(file: Path, report: api.Report) -> None:
    """Write the findings of a report to a baseline file."""
    from modular.run import baseline

    findings = baseline.count_findings(report)
    baseline.write_baseline(file, findings, report.root)
    echo(f"{counted(findings.total(), 'finding')} written to {file}")
