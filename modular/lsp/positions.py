"""Lines, columns and edits of a text as the language server protocol counts them."""

import re
from collections.abc import Iterable, Sequence

from lsprotocol import types as lsp
from pygls.workspace import PositionCodec

from modular.source.diffs import matching_blocks


_LINE_END = re.compile(r"\r\n|\r|\n")
"""The protocol's line ends. `str.splitlines` knows more: a form feed, U+2028 and others."""


def split_lines(text: str) -> list[str]:
    """Return the lines of a text without their line ends."""
    return _LINE_END.split(text)


def line_at(lines: Sequence[str], number: int) -> str:
    """Return the line with a number, from 1; empty after the last line."""
    return lines[number - 1] if number <= len(lines) else ""


def match_lines(old: Sequence[str], new: Sequence[str]) -> dict[int, int]:
    """Return the number of each unchanged line in a new text, by its old number.

    If a line was added at the top, line 4 of the old text is line 5 of the new one.
    """
    new_numbers = {}
    for block in matching_blocks(old, new):
        for index in range(block.size):
            new_numbers[block.old + index + 1] = block.new + index + 1
    return new_numbers


def character_index(line: str, units: int, codec: PositionCodec) -> int:
    """Return the index of a character in a line, given the editor's column.

    Most editors count UTF-16 units, of which an emoji has two. A column after the end of
    the line counts as its end.

    Args:
        line: The text of the line.
        units: The column from 0, in the units of the codec.
        codec: Counts the units of characters as the editor does.
    """
    line_units = codec.client_num_units(line)
    position = lsp.Position(line=0, character=min(units, line_units))
    return codec.position_from_client_units([line], position).character


def apply_changes(
    text: str,
    changes: Iterable[lsp.TextDocumentContentChangeEvent],
    codec: PositionCodec,
) -> str:
    """Return a text with an editor's changes.

    Args:
        text: The text before the changes.
        changes: The changes in the order in which they are made.
        codec: Counts the units of characters as the editor does.
    """
    for change in changes:
        if isinstance(change, lsp.TextDocumentContentChangePartial):
            start = _offset(text, change.range.start, codec)
            end = _offset(text, change.range.end, codec)
            # A range that ends before its start is empty.
            text = text[:start] + change.text + text[max(start, end) :]
        else:
            # This change replaces the whole text.
            text = change.text
    return text


def _offset(text: str, position: lsp.Position, codec: PositionCodec) -> int:
    """Return the number of characters before a position in a text.

    A position after the last line counts as the end of the text.
    """
    lines = split_lines(text)
    if position.line >= len(lines):
        return len(text)

    line_starts = [0]
    for line_end in _LINE_END.finditer(text):
        line_starts.append(line_end.end())
    index = character_index(lines[position.line], position.character, codec)
    return line_starts[position.line] + index
