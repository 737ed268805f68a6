"""The places of code, for diagnostics."""

from modular.source.diagnostics import Place
from modular.source.import_statements import Import
from modular.source.scan import line_end
from modular.source.source_slice import SourceSlice, find_word


_MAX_LINE_CHARS = 10_000
"""The length of a line that is kept with a place. A line can have as many places."""

_MAX_WORD_DISTANCE = 1_000
"""Characters before and after a column in which a word is looked for."""


def place_of(code: SourceSlice) -> Place:
    """Return the place of the first line of some code that is not blank."""
    start = len(code.text) - len(code.text.lstrip())
    place = place_at(code, start, 1)
    return place._replace(width=max(1, len(place.text.strip())))


def place_of_word(code: SourceSlice, word: str) -> Place:
    """Return the place of an identifier in some code, or of its first line."""
    start = next(find_word(code.mask, word), None)
    if start is None:
        return place_of(code)
    return place_at(code, start, len(word))


def place_of_module(import_: Import) -> Place:
    """Return the place of `llama` in `from llama import x`, or of a plain `import`."""
    return place_of_word(import_.statement.bare_code, import_.module or "import")


def place_at(code: SourceSlice, start: int, width: int) -> Place:
    """Return the place of a span of one line.

    Args:
        code: The code.
        start: The offset of the span.
        width: Its length.
    """
    line_start = code.text.rfind("\n", 0, start) + 1
    text = code.text[line_start : line_end(code.text, start)].rstrip("\n")
    return Place(
        code.path,
        line=code.line + code.text.count("\n", 0, start),
        column=start - line_start + 1,
        width=max(1, width),
        text=text if len(text) <= _MAX_LINE_CHARS else "",
    )


def place_on_disk(place: Place, lines: list[str]) -> Place:
    """Return the place on disk of a place in renamed or indented code.

    Both are on the same line. If that line on disk still has the marked word, the word
    is marked there, and otherwise the whole line.

    Args:
        place: A place in the changed code.
        lines: The lines of the file on disk.
    """
    line = lines[place.line - 1] if 0 < place.line <= len(lines) else ""
    if len(line) > _MAX_LINE_CHARS:
        return place._replace(text="")
    if not place.text or line == place.text or not line.strip():
        return place

    offset = place.column - 1
    marked = place.text[offset : offset + place.width]
    disk_offset = _nearest_word(line, marked, offset)
    if disk_offset < 0:
        disk_offset = line.find(marked)
    if disk_offset < 0:
        marked = line.strip()
        disk_offset = line.index(marked)
    return place._replace(column=disk_offset + 1, width=max(1, len(marked)), text=line)


def _nearest_word(line: str, word: str, position: int) -> int:
    """Return the offset of the word nearest to a position; -1 if there is none."""
    search_start = max(0, position - _MAX_WORD_DISTANCE)
    search_end = position + len(word) + _MAX_WORD_DISTANCE
    nearest = -1
    for start in find_word(line, word, search_start, search_end):
        if nearest < 0 or abs(start - position) < abs(nearest - position):
            nearest = start
    return nearest
