"""Diagnostics as text."""

from pathlib import Path

from modular.cli.rendering.diagnostics import render
from modular.source.diagnostics import Place, Problem
from tests.reporting import lines
from tests.samples import BARE, ERROR, INFO, WARNING


ROOT = Path("/project")


def test_sorted_by_place_each_once() -> None:
    assert render([ERROR, WARNING, BARE, ERROR]) == lines("""
        error[MOD104]: the file is empty
          --> models/aya/modular_aya.py

        warning[MOD402]: `del self.x` removes only the assignment
            --> models/olmo/modular_olmo.py:7:9
           7 |         del self.x
             |         ^^^^^^^^^^
               read at models/llama/modeling_llama.py:105:16
         105 |         return self.x
             |                ^^^^^^
               hint: override `forward` as well

        error[MOD202]: `models/llama/modeling_llama.py` has no `LlamaMlp`
           --> models/olmo/modular_olmo.py:12:36
         12 | from ..llama.modeling_llama import LlamaMlp
            |                                    ^^^^^^^^
              hint: did you mean `LlamaMLP`?

        """)


def test_nothing_gives_nothing() -> None:
    assert render([]) == ""


def test_colour_and_links_are_given_only_when_asked() -> None:
    red, bold, blue, end = "\x1b[31m", "\x1b[1m", "\x1b[34m", "\x1b[0m"
    code = f"\x1b]8;;{Problem.NAME_NOT_IN_PARENT.url}\x1b\\MOD202\x1b]8;;\x1b\\"
    assert render([ERROR], colour=True) == (
        f"{red}error[{code}]:{end} `models/llama/modeling_llama.py` has no `LlamaMlp`\n"
        f"   {blue}-->{end} {bold}models/olmo/modular_olmo.py:12:36{end}\n"
        f"{blue} 12 |{end} from ..llama.modeling_llama import LlamaMlp\n"
        f"{blue}    |{end}                                    {red}^^^^^^^^{end}\n"
        f"      {blue}hint:{end} did you mean `LlamaMLP`?\n"
        "\n"
    )
    assert "\x1b" not in render([ERROR, WARNING])


def test_an_info_names_its_level() -> None:
    assert render([INFO]).startswith("info[MOD455]: `x` is the same as")
    assert render([INFO], colour=True).startswith("\x1b[34minfo[")


def test_on_a_terminal_messages_are_wrapped_at_words() -> None:
    rendered = render(
        [
            ERROR._replace(
                message="many words " * 8 + "end", hint="and words " * 8 + "end"
            )
        ],
        columns=60,
    )
    assert rendered == lines("""
        error[MOD202]: many words many words many words many words
                       many words many words many words many words
                       end
           --> models/olmo/modular_olmo.py:12:36
         12 | from ..llama.modeling_llama import LlamaMlp
            |                                    ^^^^^^^^
              hint: and words and words and words and words and
                    words and words and words and words end

        """)


def test_the_text_of_a_diagnostic_is_one_line_with_its_place_and_hint() -> None:
    hostile = ERROR._replace(
        place=Place("models/a.py", 12, 36, text="x = 1"),
        message="two\nlines",
        hint="rename it\x1b[2J",
    )
    assert str(hostile) == (
        "models/a.py:12:36: error[MOD202]: two\N{REPLACEMENT CHARACTER}lines "
        "(rename it\N{REPLACEMENT CHARACTER}[2J)"
    )
    whole_file = hostile._replace(place=Place("models/a.py"), message="no", hint="")
    assert str(whole_file) == "models/a.py: error[MOD202]: no"
    whole_project = whole_file._replace(place=Place("."))
    assert str(whole_project) == "error[MOD202]: no"


def marked(text: str, column: int, width: int) -> list[str]:
    """Return the line and the mark below it as they are shown."""
    rendered = render(
        [ERROR._replace(place=Place("a.py", 1, column, width, text), hint="")]
    )
    return [line[5:] for line in rendered.splitlines()[2:4]]


def test_tabs_are_shown_as_blanks() -> None:
    assert marked("\tx = \ty", 7, 1) == [
        "    x =     y",
        "            ^",
    ]


def test_wide_characters_take_two_columns() -> None:
    assert marked("x = '模型' + y", 12, 1) == [
        "x = '模型' + y",
        "             ^",
    ]
    assert marked("模型 = 1", 1, 2) == [
        "模型 = 1",
        "^^^^",
    ]


def test_combining_characters_take_none() -> None:
    assert marked("e\N{COMBINING ACUTE ACCENT} = y", 6, 1) == [
        "e\N{COMBINING ACUTE ACCENT} = y",
        "    ^",
    ]


def test_no_character_of_a_source_controls_the_terminal() -> None:
    assert marked("x = '\x1b[2J' + y", 14, 1) == [
        "x = '\N{REPLACEMENT CHARACTER}[2J' + y",
        "             ^",
    ]


def test_of_a_very_long_line_the_part_around_the_mark_is_shown() -> None:
    line, mark = marked("a" * 5_000_000 + "wrong" + "b" * 5_000_000, 5_000_001, 5)
    assert line == "a" * 80 + "wrong" + "b" * 155
    assert mark == " " * 80 + "^^^^^"
