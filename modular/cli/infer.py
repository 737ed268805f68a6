"""`modular infer`."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from modular.cli.model_names import complete_any_model
from modular.cli.options import JOBS, NO_CACHE, OUTPUT_FORMAT, ROOT, SOURCE_LIBRARY, GroupedCommand
from modular.cli.printing import echo, echo_object
from modular.cli.rendering.json import as_objects
from modular.cli.reporting import leave, print_diagnostics, run_with_progress
from modular.run.api import Options


if TYPE_CHECKING:
    from modular.infer.infer import InferReport
    from modular.infer.solve import Inference, InferredClass


_MANY = 3
"""So many files of which there is nothing to say are counted, not listed."""


@click.command("infer", cls=GroupedCommand)
@click.argument("targets", nargs=-1, shell_complete=complete_any_model)
@ROOT
@SOURCE_LIBRARY
@click.option("--write", is_flag=True, help="Write the modular files instead of printing them.")
@click.option("--force", is_flag=True, help="Overwrite existing modular files.")
@click.option(
    "--improve",
    is_flag=True,
    help="Shorten existing modular files by what they could inherit (default: of all models); shown as a diff.",
)
@click.option("--from", "only", multiple=True, metavar="MODEL", help="Inherit from this model only; may be repeated.")
@click.option("--not-from", "none_of", multiple=True, metavar="MODEL", help="Do not inherit from this model.")
@JOBS
@NO_CACHE
@OUTPUT_FORMAT
def command(
    targets: tuple[str, ...],
    root: Path | None,
    source_library: str | None,
    write: bool,
    force: bool,
    improve: bool,
    only: tuple[str, ...],
    none_of: tuple[str, ...],
    jobs: int | None,
    no_cache: bool,
    output_format: str,
) -> None:
    """Infer the modular file of a flat model, and prove that it generates the flat files again.

    A TARGET is the name of a model, its folder, or any Python file with the classes of a model. For classes that nearly are
    another model's, the report says what to change to inherit them.
    """
    if not targets and not improve:
        raise click.UsageError("Missing argument 'TARGETS...'.")
    from modular.infer.infer import Parents, infer
    from modular.infer.infer import improve as improving

    parents = Parents(only, none_of)

    def call(options: Options) -> "InferReport":
        if improve:
            return improving(targets, write=write, parents=parents, options=options)
        return infer(targets, write=write, force=force, parents=parents, options=options)

    options = Options(root=root, source_library=source_library, jobs=jobs, cache=not no_cache)
    report = run_with_progress(call, options)
    if output_format == "json":
        echo_object(_as_json(report))
    else:
        _print(report, show_text=not write)
    leave(not report.has_errors, wrong_use=bool(report.problems and not report.inferences))


def _as_json(report: "InferReport") -> dict[str, object]:
    found: dict[str, object] = {"models": [_model(inference) for inference in report.inferences]}
    problems = report.diagnostics
    return {**found, "errors": as_objects(problems)} if problems else found


def _model(each: "Inference") -> dict[str, object]:
    return {
        "model": each.model,
        "modular": each.modular,
        "text": each.text,
        "flat_lines": each.flat_lines,
        "modular_lines": each.modular_lines,
        "proof": None if each.proof is None else each.proof.value,
        "files": {path: proof.value for path, proof in each.proofs.items()},
        "classes": [_class(one) for one in each.classes],
        "near_misses": [
            {
                "name": one.name,
                "parent": {"path": one.parent[0], "name": one.parent[1]},
                "differs_in": list(one.kinds),
                "changes": list(one.changes),
            }
            for one in each.near_misses
        ],
        "by_hand": [{"path": one.path, "line": one.line, "reason": one.what} for one in each.by_hand],
        "left_out": [{"path": one.path, "line": one.line, "reason": one.what} for one in each.left_out],
    }


def _class(each: "InferredClass") -> dict[str, object]:
    parent = None if each.parent is None else {"path": each.parent[0], "name": each.parent[1]}
    return {
        "name": each.name,
        "parent": parent,
        "inherited": list(each.inherited),
        "merged": list(each.merged),
        "overridden": list(each.overridden),
    }


def _print(report: "InferReport", *, show_text: bool) -> None:
    """Print modular files, and what is said of them: on the other stream where the files themselves are shown."""
    print_diagnostics(report)
    unchanged = [inference for inference in report.inferences if inference.remark]
    for each in (
        report.inferences
        if len(unchanged) < _MANY
        else (inference for inference in report.inferences if not inference.remark)
    ):
        if show_text and (each.diff or each.text):
            echo(each.diff or each.text, nl=False)
        for line in _summary(each):
            echo(line, err=show_text)
    if len(unchanged) >= _MANY:
        echo(f"{len(unchanged)} modular files of which {unchanged[0].remark}", err=show_text)


def _summary(each: "Inference") -> Iterator[str]:
    if each.proof is not None and each.before_lines:
        instead = f"{each.modular_lines} lines instead of {each.before_lines}"
        yield f"{each.modular}: {instead}, {each.saved} saved; {each.proof.value}"
    elif each.proof is not None:
        yield f"{each.modular}: {each.modular_lines} lines for {each.flat_lines}, {each.saved} saved; {each.proof.value}"
    elif not each.diagnostics:
        yield f"{each.modular}: {each.remark or 'no modular file: nothing would be shorter'}"
    for path, proof in each.proofs.items():
        yield f"  {path}: {proof.value}"
    models = Counter(one.parent[0].split("/")[-2] for one in each.classes if one.parent is not None)
    if models:
        yield f"  inherits from {', '.join(_counted(*one) for one in models.most_common())}"
    for one in each.classes:
        yield f"  {one.name}: {_said(one)}"
    for miss in each.near_misses:
        path, name = miss.parent
        yield f"  {miss.name}: the same as {name} ({path}) but for its {', '.join(miss.kinds)}; to inherit it:"
        yield from (f"    {change}" for change in miss.changes)
    for aside in (*each.left_out, *each.by_hand):
        yield f"  {aside.path}:{aside.line}: {aside.what}"
    if each.by_hand:
        yield "  files that are named last stay written by hand"


def _counted(model: str, classes: int) -> str:
    return f"{model}: {classes} class{'es' if classes > 1 else ''}"


def _said(each: "InferredClass") -> str:
    if each.parent is None:
        return "written out"
    path, name = each.parent
    parts = []
    if each.merged:
        parts.append(f"merged {', '.join(each.merged)}")
    if each.overridden:
        parts.append(f"written out {', '.join(each.overridden)}")
    if each.implicit:
        parts.append("not written: inherited as a dependency")
    return f"{name} ({path}), " + ("; ".join(parts) or "inherited whole")
