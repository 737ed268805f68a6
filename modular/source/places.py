"""From code to the place that a diagnostic names."""

from modular.diagnostics import Place
from modular.source.code import Code


def place_of(code: Code) -> Place:
    """Return the place of the first line of some code that is not blank."""
    skipped = code.text[: len(code.text) - len(code.text.lstrip())]
    line = code.line + skipped.count("\n")
    text = code.text.lstrip().split("\n", 1)[0].rstrip()
    column = len(skipped) - (skipped.rfind("\n") + 1) + 1
    return Place(code.path, line, column, max(1, len(text)), " " * (column - 1) + text)
