"""The lines of a file as HTML: numbered, folded where nothing changed, and never markup."""

import re
from html import unescape

from modular.review.notes import note_of
from modular.review.rendering import escaped_lines, visible
from modular.review.rows import File, render_diff_lines
from modular.source.diagnostics import Diagnostic, Place, Problem
from modular.source.diffs import compare


def html(old: str, new: str, **more: object) -> str:
    return File("x.py", "x-", new, compare(old, new), **more).html()  # type: ignore[arg-type]


def test_lines_are_items_of_a_numbered_list() -> None:
    assert (
        html("a\nb\n", "a\nb\n")
        == "<ol start=1>\n<li id=x-L1>a\n<li id=x-L2>b\n</ol>\n"
    )


def test_lines_have_the_style_classes_of_their_provenances() -> None:
    page = html("a\n", "a\nb\n", kinds={1: "i", 2: "i"})
    assert (
        page
        == '<ol start=1>\n<li id=x-L1 class=i>a\n<li id=x-L2 class="i new">b\n</ol>\n'
    )


def test_removed_lines_are_shown_at_their_old_place() -> None:
    assert (
        html("a\nb\nc\n", "a\nc\n")
        == "<ol start=1>\n<li id=x-L1>a\n<li class=gone>b\n<li id=x-L2>c\n</ol>\n"
    )
    assert (
        html("a\nb\n", "a\n")
        == "<ol start=1>\n<li id=x-L1>a\n</ol>\n<ol><li class=gone>b\n</ol>\n"
    )


def test_three_lines_around_a_change_are_shown() -> None:
    old = "".join(f"{number}\n" for number in range(1, 21))
    page = html(old, old.replace("10\n", "ten\n"))
    folds = re.findall(
        r"<summary>(.*?)</summary>.*?<ol start=(\d+)>.*?</details>", page, re.DOTALL
    )
    assert folds == [("6 unchanged lines", "1"), ("7 unchanged lines", "14")]
    in_sight = re.sub(r"<details.*?</details>", "", page, flags=re.DOTALL)
    assert re.findall(r"<li[^>]*>(\w+)", in_sight) == [
        "7",
        "8",
        "9",
        "10",
        "ten",
        "11",
        "12",
        "13",
    ]


def test_an_unchanged_file_is_not_folded() -> None:
    assert "<details" not in html("a\n" * 100, "a\n" * 100)


def test_a_note_is_no_heading_of_a_new_file() -> None:
    new = "import x\n\n\nclass A:\n    y = 1\n"
    problem = Diagnostic(Problem.SYNTAX_ERROR, Place("x.py", 5), "no", "write `x`")
    page = html("", new, notes=[note_of(problem)])
    assert "class=owner>A.y<" not in page
    assert "no <em>hint: write <code>x</code></em></p>" in page


def test_a_diagnostic_is_shown_below_its_line_and_not_folded() -> None:
    old = "".join(f"{number}\n" for number in range(1, 21))
    problem = Diagnostic(Problem.SYNTAX_ERROR, Place("x.py", 18), "<no>", "write `x`")
    page = html(old, f"0\n{old}", notes=[note_of(problem)])
    assert (
        '<li id=x-L18>17\n<p class="note error"><strong>error MOD101</strong> &lt;no&gt; <em>hint: write <code>x</code></em></p>'
        in page
    )
    assert "<li id=x-L18>" in re.sub(
        r"<details.*?</details>", "", page, flags=re.DOTALL
    )


def test_a_hunk_names_its_class_and_function() -> None:
    old = "class A:\n" + "".join(
        f"    def f{number}(self):\n        return {number}\n\n" for number in range(9)
    )
    new = old.replace("return 2", "return 'two'").replace("return 7", "return 'seven'")
    assert re.findall("<p class=owner>(.*)</p>", html(old, new)) == ["A.f2", "A.f7"]


def test_a_hunk_that_removes_a_function_names_it() -> None:
    old = "def kept():\n    return 1\n\n\ndef gone():\n    return 2\n"
    page = html(old, old[: old.index("\n\ndef gone")])
    assert "<p class=owner>gone</p>" in page


def test_moved_lines_are_neither_new_nor_gone() -> None:
    moved = "def activation(hidden_states):\n    return hidden_states * 2\n\n\n"
    rest = "def other():\n    pass\n\n\n" * 3
    page = html(moved + rest, rest + moved)
    classes = re.findall(r'<li[^>]*class="?([^">]*)"?>', page)
    assert {"gone moved", "new moved"} <= set(classes)
    short = html("x = 1\n" + rest, rest + "x = 1\n")
    assert "moved" not in short


def test_the_licence_is_folded() -> None:
    licence = "# one\n# two\n#\n# three\n"
    page = html(f"{licence}x = 1\n", f"{licence}x = 1\n")
    assert "<summary>4 lines of comments</summary>" in page
    new = html("", f"{licence}x = 1\n")
    assert "<summary>4 lines of comments</summary>" in new
    assert "<li id=x-L5 class=new>x = 1" in new


def as_text(lines: list[str]) -> str:
    """What a reader sees of some HTML lines."""
    return "".join(f"{unescape(re.sub('<[^>]*>', '', line))}\n" for line in lines)


def test_text_is_escaped() -> None:
    text = '"""</script><script>alert(1)</script>"""\nx = a<b>c & "<!--"\n# <img src=x onerror=alert(1)>\n'
    lines = escaped_lines(text)
    assert as_text(lines) == text
    assert "<" not in "".join(lines)


def test_a_last_line_without_a_line_end_is_shown() -> None:
    assert escaped_lines("x\ny") == ["x", "y"]
    assert escaped_lines("x\n\n") == ["x", ""]
    assert escaped_lines("") == []


def test_invisible_characters_are_named() -> None:
    assert escaped_lines("a\u202eb\x1b\n") == [
        "a<b class=u>U+202E</b>b<b class=u>U+001B</b>"
    ]
    assert visible("a\u2066b\x00") == "aU+2066bU+0000"


def test_changed_words_are_marked() -> None:
    assert html("x = LlamaMLP(a)\n", "x = LlamaMlp(a)\n") == (
        "<p class=owner>x</p>\n<ol start=1>\n<li class=gone>x = <mark>LlamaMLP</mark>(a)\n"
        "<li id=x-L1 class=new>x = <mark>LlamaMlp</mark>(a)\n</ol>\n"
    )


def test_changed_words_are_escaped() -> None:
    page = html('f(a, "<b>")\n', 'f(a, "<i>\u202e")\n')
    assert "f(a, &quot;" not in page
    assert 'f(a, "&lt;<mark>b</mark>&gt;' in page
    assert "U+202E" in page
    assert "<b>" not in page and "<i>" not in page


def test_the_lines_of_a_diff_are_rendered_with_their_signs() -> None:
    page = render_diff_lines(["-x = f(a)", "+x = f(<b>)"])
    assert page == (
        '<span class=gone><span role="img" aria-label="removed">−</span>'
        "x = f(<mark>a</mark>)\n</span>"
        '<span class=new><span role="img" aria-label="added">+</span>'
        "x = f(<mark>&lt;b&gt;</mark>)\n</span>"
    )
