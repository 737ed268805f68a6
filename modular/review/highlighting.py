"""Source text as HTML lines, highlighted. Nothing that stands in a source reaches a page unescaped."""

import re
from functools import lru_cache
from html import escape
from itertools import groupby
from keyword import kwlist, softkwlist
from unicodedata import category

from pygments.lexers.python import PythonLexer
from pygments.token import Comment, Keyword, Name, Number, Operator, String, Token, _TokenType

from modular.source import scan


_CLASSES = {
    Comment: "c",
    Keyword: "k",
    Operator.Word: "k",
    Name.Class: "y",
    Name.Decorator: "a",
    Name.Function: "f",
    Number: "n",
    String: "s",
    String.Interpol: "",
    Token: "",
}
"""The classes of the style sheet, by the kinds of tokens that have one. Kinds below these have the same."""

_UNSEEN = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Kinds of characters that cannot be seen. Some of them let a line look like another one: they turn its direction."""

_HARMLESS = "\t\n\N{ZERO WIDTH JOINER}\N{ZERO WIDTH NON-JOINER}"
"""Characters of these kinds that code, scripts and emoji are written with."""

_REMEMBERED = 200_000
"""Lines that are kept highlighted: generated files and their parents have most of theirs in common."""

_SIGNS, _WORDS = frozenset("\"'#@0123456789"), frozenset([*kwlist, *softkwlist])
"""Without any of these, and without a name such as `__init__`, nothing on a line is highlighted."""

_WORD = re.compile(r"\w+")

_lexer = PythonLexer()


def lines(text: str) -> list[str]:
    """Return the lines of a Python source (line ends must be ``\\n``) as HTML; each stands for itself.

    Only a string that spans several lines makes them depend on each other, so those are read together and each
    other line is read once, however often it occurs.
    """
    found: list[str] = []
    mask, begin = scan.mask(text), 0
    while begin < len(text):
        end = text.find("\n", begin)
        while end >= 0 and mask[end] != "\n":
            end = text.find("\n", end + 1)
        end = end if end >= 0 else len(text) - text.endswith("\n")
        found += highlighted(text[begin:end])
        begin = end + 1
    return found


@lru_cache(_REMEMBERED)
def highlighted(text: str) -> tuple[str, ...]:
    """Return the lines of a piece of Python that can be read by itself as HTML."""
    if "\n" not in text and _SIGNS.isdisjoint(text) and "__" not in text and _WORDS.isdisjoint(_WORD.findall(text)):
        return (escaped(text),)
    return lexed(text)


def lexed(text: str) -> tuple[str, ...]:
    """Do the same without a look at whether there is anything to highlight, which saves most of the time."""
    tokens = ((_class(kind), value) for _, kind, value in _lexer.get_tokens_unprocessed(f"{text}\n"))
    parts = [_spans(name, "".join(value for _, value in same)) for name, same in groupby(tokens, lambda each: each[0])]
    return tuple("".join(parts).split("\n")[:-1])


def _spans(name: str, text: str) -> str:
    """Return a run of text of one class; a span never crosses the end of a line."""
    if not name:
        return escaped(text)
    return "\n".join(f'<span class="{name}">{escaped(line)}</span>' if line else "" for line in text.split("\n"))


@lru_cache(None)
def _class(kind: _TokenType) -> str:
    while kind not in _CLASSES:
        assert kind.parent is not None
        kind = kind.parent
    return _CLASSES[kind]


def escaped(text: str) -> str:
    """Return text as HTML, in which characters that cannot be seen are named."""
    return _named(escape(text, quote=False), '<b class="u">{}</b>')


def visible(text: str) -> str:
    """Return text in which characters that cannot be seen are named; it is still to be escaped."""
    return _named(text, "{}")


def _named(text: str, form: str) -> str:
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return "".join(form.format(f"U+{ord(letter):04X}") if _is_unseen(letter) else letter for letter in text)


def _is_unseen(letter: str) -> bool:
    return category(letter) in _UNSEEN and letter not in _HARMLESS
