"""From code to the place that a diagnostic names."""

import re

from modular.diagnostics import Place
from modular.source.code import Code


def place_of(code: Code) -> Place:
    """Return the place of the first line of some code that is not blank."""
    start = len(code.text) - len(code.text.lstrip())
    line_end = code.text.find("\n", start)
    text = code.text[start : len(code.text) if line_end < 0 else line_end].rstrip()
    return _place(code, start, len(text))


def place_of_word(code: Code, word: str) -> Place:
    """Return the place of an identifier in some code, or that of its first line if it is not there."""
    match = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", code.mask)
    return _place(code, match.start(), len(word)) if match else place_of(code)


def _place(code: Code, start: int, width: int) -> Place:
    line_start = code.text.rfind("\n", 0, start) + 1
    line_end = code.text.find("\n", start)
    text = code.text[line_start : len(code.text) if line_end < 0 else line_end]
    return Place(code.path, code.line + code.text.count("\n", 0, start), start - line_start + 1, max(1, width), text)
