"""The places of code, for diagnostics."""

from modular.source.diagnostics import Place
from modular.source.import_statements import Import
from modular.source.scan import count_leading_blanks, line_end
from modular.source.source_slice import SourceSlice, find_word


_MAX_LINE_CHARS = 10_000
"""The length of a line that is kept with a place. A line can have as many places."""

_MAX_WORD_DISTANCE = 1_000
"""Characters before and after a column in which a word is looked for."""


def place_of(code: SourceSlice) -> Place:
    """Return the place of some code in its file, for a diagnostic.

    It marks the first line that is not blank, without the blanks around it.
    """
    first_character = count_leading_blanks(code.text)
    place = place_at(code, first_character, width=1)
    # The text of a place is its whole line.
    marked_text = place.text.strip()
    return place._replace(width=max(1, len(marked_text)))


def place_of_word(code: SourceSlice, word: str) -> Place:
    """Return the place of an identifier in some code; without it, of the first line."""
    start = next(find_word(code.masked_text, word), None)
    if start is None:
        return place_of(code)
    return place_at(code, start, len(word))


def place_of_word_on_line(code: SourceSlice, word: str, line: int) -> Place:
    """Return the place of an identifier in some code: the first from a line on.

    If neither the line nor one below it has the identifier, this is the place of the
    code's first line.

    Args:
        code: The code.
        word: The identifier.
        line: The line of the code, from 1.
    """
    line_start = 0
    for _ in range(line - 1):
        line_start = code.masked_text.find("\n", line_start) + 1
    start = next(find_word(code.masked_text, word, line_start), None)
    if start is None:
        return place_of(code)
    return place_at(code, start, len(word))


def place_of_module(import_: Import) -> Place:
    """Return the place of `llama` in `from llama import x`, or of a plain `import`."""
    return place_of_word(import_.statement.bare_code, import_.module or "import")


def place_at(code: SourceSlice, start: int, width: int) -> Place:
    """Return the place in its file of some characters on one line of code.

    Args:
        code: A part of a file. It knows the line of the file on which it begins.
        start: The offset in the code of the first character.
        width: The number of characters.
    """
    text = code.text
    line_start = text.rfind("\n", 0, start) + 1
    line = text[line_start : line_end(text, start)].rstrip("\n")
    # A line that is too long is not quoted.
    if len(line) > _MAX_LINE_CHARS:
        line = ""
    return Place(
        code.path,
        line=code.line + text.count("\n", 0, start),
        column=start - line_start + 1,
        width=max(1, width),
        text=line,
    )


def place_on_disk(place: Place, lines: list[str]) -> Place:
    """Return where a place of renamed or indented code is in the file on disk.

    The line is the same, and the column may differ. The place of `forward` in
    `MyModel.forward` becomes that of `forward` in `Llama.forward`. If the marked text
    is not on the line on disk, the whole line is marked.

    Args:
        place: A place in the changed code.
        lines: The lines of the file on disk.
    """
    disk_line = ""
    if 0 < place.line <= len(lines):
        disk_line = lines[place.line - 1]
    # A line that is too long is not quoted.
    if len(disk_line) > _MAX_LINE_CHARS:
        return place._replace(text="")
    # The text of a place is its whole line.
    if disk_line == place.text:
        return place
    # If one of the lines is not known, the marked text cannot be found again.
    if not place.text or not disk_line.strip():
        return place

    old_start = place.column - 1
    marked_text = place.text[old_start : old_start + place.width]
    start = _find_nearest(disk_line, marked_text, old_start)
    if start is None:
        marked_text = disk_line.strip()
        start = disk_line.index(marked_text)
    return place._replace(
        column=start + 1, width=max(1, len(marked_text)), text=disk_line
    )


def _find_nearest(line: str, word: str, position: int) -> int | None:
    """Return the offset of the word in a line that is nearest to a position, or None.

    If the line has the word only as a part of longer words, the first of these counts.

    Args:
        line: The line.
        word: The word.
        position: The offset in the line.
    """
    search_start = max(0, position - _MAX_WORD_DISTANCE)
    search_end = position + len(word) + _MAX_WORD_DISTANCE
    starts = list(find_word(line, word, search_start, search_end))
    if starts:
        return min(starts, key=lambda start: abs(start - position))
    start_in_longer_word = line.find(word)
    return None if start_in_longer_word < 0 else start_in_longer_word
