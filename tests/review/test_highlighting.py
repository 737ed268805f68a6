"""Sources as HTML: every character is there, none of them is markup."""

import re
from html import unescape
from pathlib import Path

from modular.review.highlighting import highlighted, lexed, lines, visible


def as_text(found: list[str]) -> str:
    """What a reader sees of some HTML lines."""
    return "".join(f"{unescape(re.sub('<[^>]*>', '', line))}\n" for line in found)


def test_words_numbers_strings_and_comments_have_their_classes() -> None:
    assert lines('x = "a"  # b\nreturn 12\n') == [
        'x = <span class="s">"a"</span>  <span class="c"># b</span>',
        '<span class="k">return</span> <span class="n">12</span>',
    ]


def test_names_of_classes_functions_and_decorators() -> None:
    assert lines("@final\nclass Owl(Bird):\n    def fly(self): ...\n") == [
        '<span class="a">@final</span>',
        '<span class="k">class</span> <span class="y">Owl</span>(Bird):',
        '    <span class="k">def</span> <span class="f">fly</span>(self): ...',
    ]


def test_each_line_of_a_long_string_is_one() -> None:
    assert lines('x = """def\n\nreturn"""\ny = 1\n') == [
        'x = <span class="s">"""def</span>',
        "",
        '<span class="s">return"""</span>',
        'y = <span class="n">1</span>',
    ]


def test_a_quote_in_a_comment_begins_no_string() -> None:
    assert lines('x = 1  # """\ny = 2\n')[1] == 'y = <span class="n">2</span>'


def test_no_text_is_markup() -> None:
    text = '"""</script><script>alert(1)</script>"""\nx = a<b>c & "<!--"\n# <img src=x onerror=alert(1)>\n'
    found = lines(text)
    assert as_text(found) == text
    assert set(re.findall("<[^>]*>", "".join(found))) <= {f'<span class="{each}">' for each in "scn"} | {"</span>"}


def test_what_is_no_python_stands_as_it_is() -> None:
    text = "if (:\n  '''never closed <b>\n\tß ∀ ?!\n"
    assert as_text(lines(text)) == text


def test_a_last_line_without_an_end_counts() -> None:
    assert lines("x\ny") == ["x", "y"]
    assert lines("") == []


def test_characters_that_cannot_be_seen_are_named() -> None:
    assert lines("a\u202eb\x1b\n") == ['a<b class="u">U+202E</b>b<b class="u">U+001B</b>']
    assert visible("a\u2066b\x00") == "aU+2066bU+0000"


def test_lines_that_are_not_lexed_would_look_the_same() -> None:
    files = sorted((Path(__file__).parents[2] / "models").glob("*/*.py"))
    every = {line for file in files for line in file.read_text(encoding="utf-8").split("\n")}
    odd = {
        "x = y",
        "a.b(c)[d:]",
        "self.x",
        "__x__",
        "x1",
        "...",
        "print(x)",
        "a != b",
        "\\",
        "$ ? `",
        "ß + é",
        "matching",
    }
    assert len(every) > 1000
    assert [line for line in sorted(every | odd) if highlighted(line) != lexed(line)] == []
