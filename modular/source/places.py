"""From code to the place that a diagnostic names."""

from modular.source.diagnostics import Place
from modular.source.import_statements import Import
from modular.source.scan import line_end
from modular.source.source_slice import SourceSlice, find_word


_LONGEST = 10_000
"""Characters of a line that is worth keeping with a place. There may be as many places in it as it has characters."""

_NEAR = 1_000
"""Characters before and after a column, among which a word is looked for."""


def place_of(code: SourceSlice) -> Place:
    """Return the place of the first line of some code that is not blank."""
    place = place_at(code, len(code.text) - len(code.text.lstrip()), 1)
    return place._replace(width=max(1, len(place.text.strip())))


def place_of_word(code: SourceSlice, word: str) -> Place:
    """Return the place of an identifier in some code, or that of its first line if it is not there."""
    start = next(find_word(code.mask, word), None)
    return place_of(code) if start is None else place_at(code, start, len(word))


def place_of_module(statement: Import) -> Place:
    """Return the place of the module that an import names."""
    return place_of_word(statement.statement.own, statement.module or "import")


def place_at(code: SourceSlice, start: int, width: int) -> Place:
    """Return the place of a span of some code, which lies on one line."""
    line_start = code.text.rfind("\n", 0, start) + 1
    text = code.text[line_start : line_end(code.text, start)].rstrip("\n")
    shown = text if len(text) <= _LONGEST else ""
    return Place(
        code.path,
        code.line + code.text.count("\n", 0, start),
        start - line_start + 1,
        max(1, width),
        shown,
    )


def as_written(place: Place, lines: list[str]) -> Place:
    """Return a place found in renamed or re-indented code as it stands in its file, whose lines are given.

    The line is the same; where what was marked is not on it word for word, all of the line is marked.
    """
    line = lines[place.line - 1] if 0 < place.line <= len(lines) else ""
    if len(line) > _LONGEST:
        return place._replace(text="")
    if not place.text or line == place.text or not line.strip():
        return place
    marked = place.text[place.column - 1 : place.column - 1 + place.width]
    near = find_word(
        line,
        marked,
        max(0, place.column - 1 - _NEAR),
        place.column - 1 + len(marked) + _NEAR,
    )
    start = min(near, key=lambda position: abs(position + 1 - place.column), default=-1)
    if start < 0:
        start = line.find(marked)
    if start < 0:
        start, marked = len(line) - len(line.lstrip()), line.strip()
    return place._replace(column=start + 1, width=max(1, len(marked)), text=line)
