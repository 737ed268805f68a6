"""Applies edits to the text of a hand-written file, and verifies each of them.

All that no edit touches stays as it is: a byte-order mark, line ends of any kind, form
feeds, and a last line without a line end.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import NamedTuple

from modular.source.diagnostics import Edit
from modular.source.diffs import compare
from modular.source.loading import syntax_problem
from modular.source.module import normalize_text, read
from modular.system.errors import ModularError


_LINE_END = re.compile(r"\r\n|\r|\n")


class EditError(ModularError):
    """Edits do not fit a file, or the file would not be Python after them."""


class _Line(NamedTuple):
    """A line of a file.

    Attributes:
        start: Its offset in the file.
        prefix_length: The length of a byte-order mark and of form feeds, with the blanks
            before them, at its beginning. Its code is without them.
        code: The line without prefix and line end.
        line_end: Its line end.
    """

    start: int
    prefix_length: int
    code: str
    line_end: str


def apply_edits(
    source: str, edits: Iterable[Edit], *, checks_syntax: bool = True
) -> str:
    """Return the text of a file after some edits of it.

    New text gets the line ends of the line where it begins.

    Args:
        source: The text as it is in the file, with its line ends (`Loaded.source`).
        edits: Edits of this file. Their columns count characters of the code that
            `modular.source.module.read` returns.
        checks_syntax: Whether a result that is not Python is an error. The check takes
            longer than the edits.

    Returns:
        The new text of the file.

    Raises:
        EditError: The file does not hold what an edit replaces, two edits overlap, or
            the result is not Python.
    """
    by_span = attrgetter("line", "column", "end_line", "end_column")
    sorted_edits = sorted(locate_edits(source, edits), key=by_span)
    if not sorted_edits:
        return source
    # With a final line end, the last line can be treated like the others.
    padded = _with_final_line_end(source)
    lines = _file_lines(padded)
    line_starts = [line.start for line in lines] + [len(padded)]
    line_ends = [line.line_end for line in lines]
    # Text that is inserted below the last line gets the line end of this line.
    line_ends.append(line_ends[-1])

    path = sorted_edits[0].path
    result = ""
    copied_end = 0
    for edit in sorted_edits:
        start = line_starts[edit.line - 1] + edit.column - 1
        if start < copied_end:
            raise EditError(f"{path}:{edit.line}: two edits overlap")
        new_text = edit.text.replace("\n", line_ends[edit.line - 1])
        result += padded[copied_end:start] + new_text
        copied_end = line_starts[edit.end_line - 1] + edit.end_column - 1
        if result.endswith("\r") and padded.startswith("\n", copied_end):
            result += "\n"  # `\r` and `\n`, now side by side, would be one line end
    result += padded[copied_end:]

    edits_file_end = sorted_edits[-1].end_line > len(lines)
    if not edits_file_end:
        added_line_end = padded[len(source) :]
        result = result.removesuffix(added_line_end)
    if checks_syntax:
        _check_syntax(result, path)
    return result


def _check_syntax(text: str, path: str) -> None:
    """Raise an `EditError` if the new text of a file is not Python."""
    problem = syntax_problem(normalize_text(text), path)
    if problem is not None:
        place = f"{path}:{problem.place.line}"
        raise EditError(f"{place}: the edit would break the syntax: {problem.message}")


def find_line_edits(path: str, old: str, new: str) -> list[Edit]:
    """Return the edits of whole lines that turn one text into another.

    Args:
        path: The path of the file.
        old: The text of the file, with ``\\n`` line ends.
        new: The text that it is to have.
    """
    edits = []
    for hunk in compare(old, new).hunks:
        edit = Edit(
            path=path,
            line=hunk.old_line,
            column=1,
            end_line=hunk.old_line + len(hunk.removed),
            end_column=1,
            text="".join(f"{line}\n" for line in hunk.added),
            old="".join(f"{line}\n" for line in hunk.removed),
        )
        edits.append(edit)
    return edits


def locate_edits(source: str, edits: Iterable[Edit]) -> list[Edit]:
    """Return edits with their columns in the file, and check the text that they replace.

    A line of the file can begin with a prefix: a byte-order mark or form feeds. Rules see
    the code without the prefix. So in the file, their columns are moved by its length.

    Args:
        source: The text exactly as it is in the file.
        edits: The edits, with the columns that rules see.

    Raises:
        EditError: The file does not hold what an edit replaces.
    """
    lines = _file_lines(_with_final_line_end(source))
    # An edit may end on the line after the last one, which has no prefix.
    prefix_lengths = [line.prefix_length for line in lines] + [0]
    located = []
    for edit in edits:
        is_in_file = 1 <= edit.line <= edit.end_line <= len(lines) + 1
        if not is_in_file or _spanned_code(lines, edit) != edit.old:
            place = f"{edit.path}:{edit.line}:{edit.column}"
            raise EditError(f"{place}: the file does not hold `{edit.old}` there")

        column = edit.column + prefix_lengths[edit.line - 1]
        end_column = edit.end_column + prefix_lengths[edit.end_line - 1]
        # An edit that ends with a line end leaves the next line with its prefix alone.
        ends_with_line_end = edit.end_line > edit.line and edit.end_column == 1
        if ends_with_line_end:
            end_column = 1
        located.append(edit._replace(column=column, end_column=end_column))
    return located


def _spanned_code(lines: Sequence[_Line], edit: Edit) -> str:
    """Return the code between the two places of an edit, with ``\\n`` line ends.

    Places count lines and columns from 1, and the code ends before the second place.
    """
    spanned = [line.code for line in lines[edit.line - 1 : edit.end_line]]
    # An edit that replaces the last line ends at the beginning of the line after it.
    if edit.end_line > len(lines):
        spanned.append("")
    # The end is cut first: if there is only one line, its columns must still be right.
    spanned[-1] = spanned[-1][: edit.end_column - 1]
    spanned[0] = spanned[0][edit.column - 1 :]
    return "\n".join(spanned)


def _with_final_line_end(source: str) -> str:
    r"""Return a text that ends with a line end, which is added if it is missing.

    The added one is that of the first line, or `\n` in a text of one line.
    """
    if source.endswith(("\n", "\r")):
        return source
    first_line_end = _LINE_END.search(source)
    if first_line_end is None:
        return source + "\n"
    return source + first_line_end[0]


@lru_cache(maxsize=2)
def _file_lines(source: str) -> Sequence[_Line]:
    """Return the lines of a file, each split into a prefix, its code and its line end.

    The prefix is a byte-order mark or form feeds before the code, which the converter
    does not see. Most lines have none. The result is cached, because an editor asks for
    the edits of many fixes of one file.

    Args:
        source: The text of the file, which must end with a line end.
    """
    # `read` removes the prefixes. Its last line is the empty text after the final line end.
    *code_lines, _ = read(path="", text=source).lines
    lines = []
    start = 0
    for code, line_end in zip(code_lines, _LINE_END.finditer(source), strict=True):
        # The prefix is the part of the line that the code lacks.
        line_length = line_end.start() - start
        prefix_length = line_length - len(code)
        lines.append(_Line(start, prefix_length, code, line_end[0]))
        start = line_end.end()
    return lines
