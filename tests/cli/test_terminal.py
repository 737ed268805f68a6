"""Text for terminals: wrapping, excerpts of source lines, colours and links."""

from modular.cli.rendering.terminal import (
    MAX_EXCERPT_CHARS,
    RED,
    coloured,
    excerpt,
    link,
    plain,
    wrapped,
)
from modular.source.diagnostics import Place
from modular.system.printable import fold


def marked(line: str, column: int, width: int) -> list[str]:
    place = Place("a.py", line=7, column=column, width=width, text=line)
    return excerpt(place, 1, RED, plain)


def test_text_is_wrapped_at_words_and_indented_by_its_head() -> None:
    lines = wrapped("hint: one two three", "hint:", "<hint:>", 12)
    assert lines == ["<hint:> one", "      two", "      three"]


def test_text_for_a_file_is_one_line() -> None:
    lines = wrapped("hint: one two three", "hint:", "<hint:>", None)
    assert lines == ["<hint:> one two three"]


def test_a_long_line_is_folded_at_blanks_and_keeps_its_indentation() -> None:
    assert fold("  a bc d", 5, indent="   ") == ["  a", "   bc", "   d"]
    path = "models/owl/modeling_owl.py:3"
    assert fold(f"  {path} own", 20, indent="    ") == [f"  {path}", "    own"]


def test_the_mark_is_below_the_marked_characters() -> None:
    assert marked("x = size", 5, 4) == [" 7 | x = size", "   |     ^^^^"]


def test_a_mark_of_no_width_has_one_arrow() -> None:
    assert marked("x =", 4, 0)[1] == "   |    ^"


def test_a_blank_line_has_no_excerpt() -> None:
    assert marked("   ", 1, 1) == []


def test_of_a_long_line_the_part_around_the_mark_is_shown() -> None:
    line = "a" * 500 + "MARK" + "b" * 500
    shown, mark = marked(line, 501, 4)
    assert len(shown.removeprefix(" 7 | ")) == MAX_EXCERPT_CHARS
    start = shown.index("MARK")
    assert mark[start : start + 4] == "^^^^"


def test_colours_and_links_are_sequences_that_end() -> None:
    assert coloured("text", RED) == "\x1b[31mtext\x1b[0m"
    assert link("text", "https://example.org") == (
        "\x1b]8;;https://example.org\x1b\\text\x1b]8;;\x1b\\"
    )
