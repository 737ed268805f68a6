"""Incremental changes are applied by the protocol's lines and the editor's columns."""

import pytest
from lsprotocol import types as lsp
from pygls.workspace import PositionCodec

from modular.lsp.positions import apply_changes, split_lines
from tests.lsp.client import Editor
from tests.lsp.texts import FILES, LLAMA, OLMO


NOT_LINE_ENDS = ["\f", "\v", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"]
"""Characters at which `str.splitlines` splits and the protocol does not."""

UTF16 = PositionCodec("utf-16")


def partial_change(
    start: tuple[int, int], end: tuple[int, int], text: str
) -> lsp.TextDocumentContentChangePartial:
    span = lsp.Range(lsp.Position(*start), lsp.Position(*end))
    return lsp.TextDocumentContentChangePartial(range=span, text=text)


@pytest.mark.parametrize("letter", NOT_LINE_ENDS)
def test_a_change_below_a_character_that_ends_no_line(letter: str) -> None:
    text = f"a = '{letter}'\nb = 1\n"
    change = partial_change((1, 4), (1, 5), "2")
    assert apply_changes(text, [change], UTF16) == f"a = '{letter}'\nb = 2\n"


@pytest.mark.parametrize("letter", NOT_LINE_ENDS)
def test_a_change_behind_a_character_that_ends_no_line(letter: str) -> None:
    change = partial_change((0, 3), (0, 4), "y")
    assert apply_changes(f"a{letter}bx", [change], UTF16) == f"a{letter}by"


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_every_line_end_of_the_protocol_counts(line_end: str) -> None:
    text = line_end.join(["a", "b", "c"])
    change = partial_change((2, 0), (2, 1), "d")
    assert apply_changes(text, [change], UTF16) == line_end.join(["a", "b", "d"])


def test_columns_are_counted_in_the_units_of_the_codec() -> None:
    text = "'😀' + 1"
    utf16 = partial_change((0, 7), (0, 8), "2")
    utf8 = partial_change((0, 9), (0, 10), "2")
    assert apply_changes(text, [utf16], UTF16) == "'😀' + 2"
    assert apply_changes(text, [utf8], PositionCodec("utf-8")) == "'😀' + 2"


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        ((0, 1), (0, 99), "a!\ncd"),
        ((1, 99), (1, 99), "ab\ncd!"),
        ((9, 0), (9, 9), "ab\ncd!"),
        ((0, 1), (9, 9), "a!"),
    ],
)
def test_a_position_after_an_end_is_the_end(
    start: tuple[int, int], end: tuple[int, int], expected: str
) -> None:
    assert apply_changes("ab\ncd", [partial_change(start, end, "!")], UTF16) == expected


def test_each_change_is_made_in_the_text_of_the_one_before() -> None:
    first = partial_change((0, 0), (0, 0), "x\n")
    second = partial_change((1, 0), (1, 1), "y")
    whole = lsp.TextDocumentContentChangeWholeDocument("z")
    assert apply_changes("a", [first, second], UTF16) == "x\ny"
    assert apply_changes("a", [first, whole], UTF16) == "z"


def test_lines_have_no_line_ends() -> None:
    assert split_lines("a\r\nb\rc\n\fd") == ["a", "b", "c", "\fd"]


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("letter", NOT_LINE_ENDS)
async def test_the_server_stays_in_step_with_the_editor(
    editor: Editor, letter: str
) -> None:
    """Each change is sent as a range, in lines of the protocol and units of UTF-16."""
    editor.open(OLMO, f"# 😀 {letter} above{letter}\n{FILES[OLMO]}")
    editor.write("from torch", f"# {letter} 😀 here\nfrom torch")
    editor.write("LlamaMLP\n", "LlamaMLP, LlamaNorm\n")
    editor.write(f"{letter} 😀 here", "there")
    editor.write("class OlmoMLP(LlamaMLP)", "class OlmoMLP(LlamaNorm)")
    assert await editor.definition("class Olmo") == [
        (LLAMA, "class LlamaNorm(nn.Module):")
    ]
    editor.write("class OlmoMLP(LlamaNorm)", "class OlmoMLP(LlamaMlp)")
    await editor.said(("MOD306", 8))
