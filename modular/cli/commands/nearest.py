"""The command `modular nearest`."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NoReturn

import click

from modular.cli.completion import complete_any_model
from modular.cli.help import GroupedCommand
from modular.cli.options import (
    no_cache_option,
    pass_options,
    root_option,
    source_library_option,
    text_or_json_option,
    verbose_option,
)
from modular.cli.printing import echo_lines, table_columns
from modular.cli.rendering.diffs import echo_diff
from modular.cli.rendering.json import attributes, error_values, print_object
from modular.cli.reporting import exit_with, print_diagnostics
from modular.run.api import Options
from modular.system.printable import counted, fold


if TYPE_CHECKING:
    from modular.infer.nearest import NearestReport, Neighbour, QueryResult


_MAX_OTHER_MODELS = 3


@click.command(
    "nearest",
    cls=GroupedCommand,
    examples={
        "modular nearest my_model": "Find parents for all classes of a model.",
        "modular nearest modeling_my.py:MyMLP --diff": "Compare a class with the nearest one.",
        "modular nearest --since main": "Find better parents for code that a branch adds.",
    },
)
@click.argument(
    "target",
    metavar="TARGET[:CLASS[.METHOD]]",
    shell_complete=complete_any_model,
    required=False,
)
@click.option(
    "--since",
    "commit",
    metavar="REF",
    help="Find better parents for code added since this commit (instead of TARGET).",
)
@click.option("--diff", is_flag=True, help="Show a diff against the nearest class.")
@verbose_option("List all similar classes and functions, not only the nearest.")
@text_or_json_option
@root_option
@source_library_option
@no_cache_option
@pass_options
def command(
    target: str | None,
    commit: str | None,
    options: Options,
    diff: bool,
    verbose: bool,
    output_format: str,
) -> None:
    """Find the classes and functions of other models that are most similar to yours.

    For each class and function of a model, the command lists the most similar one of
    another model. If you name a CLASS, or with --verbose, it lists all similar classes
    and functions. Model names are ignored: `LlamaMLP` and `MyModelMLP` count as the
    same name. Models that depend on yours are left out.

    With --since, the command looks at classes and functions that were added after a
    commit. It lists the classes and functions that should have another parent, and
    exits with 1 if it lists any. For each, it prints the reason: the code is a copy of
    another model's code, another model is more similar than the parent, or the parent
    is newer than your model.

    A TARGET is a model's name or folder, or any Python file.
    """
    if commit is not None and target is None:
        _report_since(commit, options, output_format)
    if target is None or commit is not None:
        raise click.UsageError("give a TARGET or --since REF")
    from modular.infer.nearest import nearest

    report = nearest(target, with_diff=diff, options=options)
    if output_format == "json":
        print_object(_values(report))
    else:
        print_diagnostics(report.diagnostics)
        is_summary = len(report.results) > 1 and not (verbose or diff)
        _print_results(report.results, is_summary=is_summary)
    # A wrong target or model name prevents all results.
    is_wrong_use = bool(report.diagnostics and not report.results)
    exit_with(not report.diagnostics, wrong_use=is_wrong_use)


def _print_results(results: Sequence["QueryResult"], *, is_summary: bool) -> None:
    """Print what is most similar to each definition; in a summary, only the nearest."""
    columns = table_columns()
    for line in _summarize_models(results):
        echo_lines(fold(line, columns, indent=" " * 8))
    for result in results:
        lines = [_summarize(result)] if is_summary else _lines(result)
        for line in lines:
            echo_lines(fold(line, columns, indent=" " * 8))
        if result.diff:
            echo_diff(result.diff)


def _report_since(commit: str, options: Options, output_format: str) -> NoReturn:
    """Print better parents for the classes and functions that were added since a commit.

    This ends the command.
    """
    from modular.infer.nearest_since import nearest_since

    better_parents = nearest_since(commit, options)
    if output_format == "json":
        advice = []
        for better_parent in better_parents:
            advice.append(
                {
                    **attributes(better_parent.place, "path", "line"),
                    **attributes(better_parent, "name", "message", "saved_lines"),
                }
            )
        print_object({"classes": [], "advice": advice})
    else:
        echo_lines(map(str, better_parents))
        if not better_parents:
            echo_lines(["no better parent for what was added"])
    exit_with(not better_parents)


def _values(report: "NearestReport") -> dict[str, object]:
    """Return a report with the most similar definitions as values for JSON."""
    classes = []
    for result in report.results:
        neighbours = []
        for neighbour in result.neighbours:
            neighbours.append(
                attributes(neighbour, "path", "name", "similarity", "copies")
            )
        classes.append({**attributes(result, "path", "name"), "nearest": neighbours})
    errors = error_values(report.diagnostics) if report.diagnostics else {}
    return {"classes": classes, **errors}


def _summarize_models(results: Sequence["QueryResult"]) -> Iterator[str]:
    """Yield a line that names the model whose definitions are most similar in total.

        nearest model: llama, for 5 of 8 definitions (then gemma 2, phi 1)

    For a single definition, no line is yielded.
    """
    counts: Counter[str] = Counter()
    total_percents: Counter[str] = Counter()
    for result in results:
        if result.neighbours:
            nearest = result.neighbours[0]
            counts[nearest.model] += 1
            total_percents[nearest.model] += round(nearest.similarity * 100)
    if len(results) < 2 or not counts:
        return
    first_model = max(counts, key=lambda model: (total_percents[model], model))
    other_models = [
        f"{model} {count}"
        for model, count in counts.most_common()
        if model != first_model
    ]
    share = f"{counts[first_model]} of {len(results)} definitions"
    line = f"nearest model: {first_model}, for {share}"
    if other_models:
        line += f" (then {', '.join(other_models[:_MAX_OTHER_MODELS])})"
    yield line


def _summarize(result: "QueryResult") -> str:
    """Return a line with a definition and the nearest one."""
    if not result.neighbours:
        return f"  {result.name}: nothing is near"
    nearest = result.neighbours[0]
    return f"  {nearest.similarity:4.0%}  {result.name}: {nearest.model} {nearest.name}"


def _lines(result: "QueryResult") -> Iterator[str]:
    """Yield the lines that are printed for a class, function or method.

    Below its name are the most similar definitions, its neighbours:
    `  97%  llama  LlamaMLP, in 3 more places`.
    """
    yield result.name
    for neighbour in result.neighbours:
        similarity = f"{neighbour.similarity:4.0%}"
        methods = _describe_methods(neighbour)
        copies = ""
        if neighbour.copies:
            copies = f", in {counted(neighbour.copies, 'more place')}"
        yield f"  {similarity}  {neighbour.model}  {neighbour.name}{copies}{methods}"
    if not result.neighbours:
        yield "  nothing is near"


def _describe_methods(neighbour: "Neighbour") -> str:
    """Return how the methods of a class compare with those of a similar class.

    For example `  (same: forward; differ: __init__)`; "" if there are no methods.
    """
    methods = {
        "same": neighbour.equal_methods,
        "differ": neighbour.different_methods,
        "missing": neighbour.missing_methods,
        "new": neighbour.new_methods,
    }
    descriptions = []
    for label, names in methods.items():
        if names:
            descriptions.append(f"{label}: {', '.join(names)}")
    return f"  ({'; '.join(descriptions)})" if descriptions else ""
