"""Prints the classes that a modular file generates."""

from collections.abc import Sequence

from modular.cli.printing import echo
from modular.cli.rendering.table import print_table
from modular.provenance.generated_classes import GeneratedClass, find_classes
from modular.run.api import Report


def print_classes_of_report(report: Report) -> None:
    """Print a table of what each generated class inherits, if a single model changes.

    If several models change, the cause is usually a change of a parent, which does not
    change what their classes inherit.
    """
    changed = {file.modular for file in report.files if file.difference}
    if len(changed) != 1:
        return
    # Parents are read from the new texts of this run, because they may be stale on disk.
    regenerated: dict[str, str] = {}
    for result in report.results.values():
        regenerated.update(result.texts)
    print_classes(find_classes(report.project, changed.pop(), regenerated))


def print_classes(classes: Sequence[GeneratedClass]) -> None:
    """Print a table of generated classes, and a blank line; nothing without classes.

    class         base        parent      why
    ────────────────────────────────────────────────
    OlmoMLP       nn.Module   LlamaMLP    dependency
    """
    if not classes:
        return
    rows = []
    for class_ in classes:
        bases = ", ".join(class_.bases)
        rows.append((class_.name, bases, class_.parent, class_.origin.value))
    print_table(
        header=("class", "base", "parent", "why"),
        rows=rows,
        footer=("1 class" if len(rows) == 1 else f"{len(rows)} classes",),
        text_columns=4,
    )
    echo()
