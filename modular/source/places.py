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
    # The place of the first character also has the text of the whole line.
    code_start = count_leading_blanks(code.text)
    first_character = place_at(code, code_start, width=1)
    line = first_character.text.strip()
    return first_character._replace(width=max(1, len(line)))


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
    """Move a place from code that was renamed or indented to the file on disk.

    The line is the same, and the column may differ. The place of `forward` in
    `MyModel.forward` becomes that of `forward` in `Llama.forward`. If the marked text
    is not on the line on disk, the whole line is marked.

    Args:
        place: A place in the changed code. Its text is the whole line, of which it marks
            a part.
        lines: The lines of the file on disk.
    """
    disk_line = ""
    if 0 < place.line <= len(lines):
        disk_line = lines[place.line - 1]
    # A line that is too long is not quoted, and not searched.
    if len(disk_line) > _MAX_LINE_CHARS:
        return place._replace(text="")
    changed_line = place.text
    is_unchanged = disk_line == changed_line
    # There is no text to search for, or none to search it in.
    has_empty_line = not changed_line or not disk_line.strip()
    if is_unchanged or has_empty_line:
        return place

    marked_start = place.column - 1
    marked_text = changed_line[marked_start : marked_start + place.width]
    start = _nearest_word(disk_line, marked_text, marked_start)
    if start is None:
        # The marked text can be a part of a longer word.
        start = disk_line.find(marked_text)
    if start < 0:
        # The text is not on the line, as a renamed name. So the whole line is marked.
        marked_text = disk_line.strip()
        start = disk_line.index(marked_text)
    return place._replace(
        column=start + 1, width=max(1, len(marked_text)), text=disk_line
    )


def _nearest_word(line: str, word: str, position: int) -> int | None:
    """Return the offset of the occurrence of a word that is nearest to a position."""
    search_start = max(0, position - _MAX_WORD_DISTANCE)
    search_end = position + len(word) + _MAX_WORD_DISTANCE
    starts = find_word(line, word, search_start, search_end)
    return min(starts, key=lambda start: abs(start - position), default=None)
