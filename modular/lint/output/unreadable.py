"""Files that the formatter cannot read: a source is not Python, or is Python only at first sight."""

from collections.abc import Sequence

from modular.flatten.formatted import Failure
from modular.flatten.layout import Layout
from modular.flatten.outputs import OutputFile
from modular.lint.output.anchors import anchored
from modular.source.diagnostics import Diagnostic, Place, Problem
from modular.source.loading import syntax_problem
from modular.source.places import place_of


def find(layout: Layout, files: Sequence[OutputFile], failures: Sequence[Failure]) -> list[Diagnostic]:
    """Say where the failures come from: from parent files that are not Python, else from lines of the output files."""
    failed = [(file, failure) for failure in failures for file in files if file.path == failure.path]
    if not failed:
        return []
    broken = [problem for path in layout.parents if (problem := _broken_parent(layout, path)) is not None]
    return broken or [_diagnostic(layout, file, failure) for file, failure in failed]


def _broken_parent(layout: Layout, path: str) -> Diagnostic | None:
    problem = syntax_problem(layout.parents[path].source.module.code.text, path)
    if problem is None:
        return None
    imported, _ = anchored(layout.modular, "", problem.place)
    return problem._replace(related=imported)


def _diagnostic(layout: Layout, file: OutputFile, failure: Failure) -> Diagnostic:
    place, related = Place(layout.modular.path), None
    if (line := file.at_line(failure.line)) is not None:
        statement, code = line
        place, related = anchored(layout.modular, statement.name, place_of(code))
    reader = "Python" if layout.settings.formatter == "none" else "the formatter"
    message = f"{reader} cannot read the generated `{file.path}`: {failure.message}"
    hint = "correct the line; nothing of this model was written"
    return Diagnostic(Problem.FORMATTER_FAILED, place, message, hint, related)
