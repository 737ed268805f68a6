"""Prints the classes that a modular file generates."""

from collections.abc import Sequence

from modular.cli.printing import echo_lines, table_columns
from modular.provenance.generated_classes import (
    ClassOrigin,
    GeneratedClass,
    find_classes,
)
from modular.run.api import Report
from modular.system.printable import fold


def print_classes_of_report(report: Report) -> None:
    """Print what each generated class inherits, if a single model changes.

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
    """Print what each generated class comes from, with a blank line below.

    2 classes:
      OlmoMLP (nn.Module)
        inherited from LlamaMLP
      OlmoNorm (nn.Module)
        dependency: copied from LlamaNorm
    """
    if not classes:
        return
    columns = table_columns()
    noun = "class" if len(classes) == 1 else "classes"
    lines = [f"{len(classes)} {noun}:"]
    for class_ in classes:
        header = class_.name
        if class_.bases:
            header += f" ({', '.join(class_.bases)})"
        lines += fold(f"  {header}", columns, indent=" " * 6)
        lines += fold(f"    {_describe_origin(class_)}", columns, indent=" " * 6)
    echo_lines([*lines, ""])


def _describe_origin(class_: GeneratedClass) -> str:
    """Return why a class is generated, and from which class of a parent file."""
    if class_.origin is ClassOrigin.INHERITED:
        return f"inherited from {class_.parent}"
    if class_.origin is ClassOrigin.DEPENDENCY:
        return f"dependency: copied from {class_.parent}"
    return "written in the modular file"
