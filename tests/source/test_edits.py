"""Edits change what they say and nothing else, whatever separates the lines of a file."""

import ast

import pytest

from modular.source.diagnostics import Edit, Place
from modular.source.edits import EditError, apply_edits, locate_edits
from modular.source.fixes import remove_comment, rename, replace
from modular.source.module import read


NOT_LINE_ENDS = ["\f", "\v", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"]
"""Characters at which `str.splitlines` splits, and Python and editors do not."""

LINE_ENDS = ["\n", "\r\n", "\r"]


def edit(line: int, column: int, old: str, new: str) -> Edit:
    """Return an edit within a line."""
    return Edit("file.py", line, column, line, column + len(old), new, old)


def whole_lines(first: int, end: int, old: str, new: str) -> Edit:
    """Return an edit of lines, of which the last is the one before ``end``."""
    return Edit("file.py", first, 1, end, 1, new, old)


@pytest.mark.parametrize("separator", NOT_LINE_ENDS)
def test_a_character_in_a_comment_does_not_move_the_edits_below(separator: str) -> None:
    text = f"# a{separator}b\n# c{separator}\nname = 1\nother = name\n"
    edits = [edit(3, 1, "name", "word"), edit(4, 9, "name", "word")]
    changed = f"# a{separator}b\n# c{separator}\nword = 1\nother = word\n"
    assert apply_edits(text, edits) == changed


@pytest.mark.parametrize("separator", NOT_LINE_ENDS)
def test_a_character_in_a_string_does_not_move_the_edits_below(separator: str) -> None:
    text = f'TEXT = "a{separator}b"; LONG = """{separator}\n{separator}"""\nname = 1\n'
    changed = text.replace("name", "word")
    assert apply_edits(text, [edit(3, 1, "name", "word")]) == changed


@pytest.mark.parametrize("end", LINE_ENDS)
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("last", ["", "end"])
def test_line_ends_and_a_byte_order_mark_stay(end: str, mark: str, last: str) -> None:
    last_end = end if last else ""
    text = f"{mark}name = 1{end}other = 2{end}third = name{last_end}"
    edits = [
        edit(1, 1, "name", "word"),
        whole_lines(2, 3, "other = 2\n", "new = (\n    2\n)\n"),
        edit(3, 9, "name", "word"),
    ]
    assert apply_edits(text, edits) == (
        f"{mark}word = 1{end}new = ({end}    2{end}){end}third = word{last_end}"
    )


def test_new_lines_end_as_those_around_them_in_a_mixed_file() -> None:
    text = "a = 1\r\nb = 2\nc = 3\rd = 4"
    edits = [
        whole_lines(1, 2, "a = 1\n", "a = 5\na = 1\n"),
        whole_lines(2, 3, "b = 2\n", "b = 5\nb = 2\n"),
        whole_lines(3, 4, "c = 3\n", "c = 5\nc = 3\n"),
    ]
    assert apply_edits(text, edits) == (
        "a = 5\r\na = 1\r\nb = 5\nb = 2\nc = 5\rc = 3\rd = 4"
    )


def test_a_line_is_added_after_a_last_one_without_a_line_end() -> None:
    text = "a = 1\r\nb = 2"
    assert apply_edits(text, [whole_lines(3, 3, "", "c = 3\n")]) == (
        "a = 1\r\nb = 2\r\nc = 3\r\n"
    )


def test_the_last_line_is_removed_without_a_line_end() -> None:
    assert apply_edits("a = 1\nb = 2", [whole_lines(2, 3, "b = 2\n", "")]) == "a = 1\n"


@pytest.mark.parametrize("feed", ["\f", "  \f", "\f\t\f"])
def test_form_feeds_before_code_stay(feed: str) -> None:
    """They are not in the code that the columns count."""
    text = f"a = 1\n{feed}b = 2\n{feed}c = 3\n{feed}d = 4\n"
    edits = [edit(2, 1, "b", "word"), whole_lines(3, 4, "c = 3\n", "")]
    assert apply_edits(text, edits) == f"a = 1\n{feed}word = 2\n{feed}{feed}d = 4\n"


def test_edits_are_located_in_the_file_for_an_editor() -> None:
    text = "\ufeffa = 1\n\fb = 2\n"
    edits = [edit(1, 1, "a", "c"), edit(2, 1, "b", "c")]
    located = locate_edits(text, edits)
    assert [(each.column, each.end_column) for each in located] == [(2, 3), (2, 3)]


def test_two_texts_at_one_place_are_inserted_in_their_order() -> None:
    edits = [whole_lines(2, 2, "", "b = 2\n"), whole_lines(2, 2, "", "c = 3\n")]
    assert apply_edits("a = 1\n", edits) == "a = 1\nb = 2\nc = 3\n"


@pytest.mark.parametrize(
    "wrong",
    [
        edit(2, 1, "name", "word"),
        edit(1, 2, "name", "word"),
        edit(1, 1, "nam", "word")._replace(end_column=5),
        edit(7, 1, "name", "word"),
        edit(0, 1, "name", "word"),
        whole_lines(1, 2, "name = 1", ""),
        whole_lines(2, 1, "", ""),
    ],
)
def test_an_edit_that_does_not_hold_what_it_replaces_is_refused(wrong: Edit) -> None:
    with pytest.raises(EditError, match="does not hold"):
        apply_edits("name = 1\nother = 2\n", [wrong])


def test_edits_that_overlap_are_refused() -> None:
    edits = [edit(1, 1, "name", "word"), edit(1, 2, "ame", "ord")]
    with pytest.raises(EditError, match="overlap"):
        apply_edits("name = 1\n", edits)


def test_an_edit_after_which_the_file_is_not_python_is_refused() -> None:
    with pytest.raises(
        EditError, match=r"file\.py:\d: the edit would break the syntax"
    ):
        apply_edits("class A:\n    x = 1\n", [whole_lines(2, 3, "    x = 1\n", "")])


@pytest.mark.parametrize("separator", [*NOT_LINE_ENDS, *LINE_ENDS])
def test_a_name_is_replaced_everywhere_but_as_an_attribute(separator: str) -> None:
    text = f"# x{separator}\nold = 1\nnew = a.old + old + a . old\n"
    code = read("file.py", text).code
    changed = apply_edits(text, rename(code, "old", "word").edits)
    assert changed == text.replace("old = 1", "word = 1").replace("+ old +", "+ word +")


def test_a_marked_word_is_replaced() -> None:
    place = Place("file.py", 1, 5, 3, "a = old")
    assert apply_edits("a = old\n", replace(place, "new").edits) == "a = new\n"


@pytest.mark.parametrize(
    ("line", "column", "changed"),
    [("a = 1  # why", 8, "a = 1\r\nb = 2\r\n"), ("# why", 1, "b = 2\r\n")],
)
def test_a_comment_is_removed_with_its_line_if_that_holds_nothing_else(
    line: str, column: int, changed: str
) -> None:
    place = Place("file.py", 1, column, 5, line)
    text = f"{line}\r\nb = 2\r\n"
    assert apply_edits(text, remove_comment(place).edits) == changed
    ast.parse(changed)


def test_lines_below_a_backslash_and_a_form_feed_keep_their_numbers() -> None:
    source = "\\\n\fx = 1\nimport os\n"
    edit = Edit("file.py", 3, 1, 3, 10, "import re", "import os")
    assert apply_edits(source, [edit]) == "\\\n\fx = 1\nimport re\n"
