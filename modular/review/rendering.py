"""Renders pages with Jinja2, and names their paths and links.

All text of sources is escaped, and invisible characters in it are shown.
"""

import re
from collections.abc import Iterable
from functools import cache
from html import escape
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple
from unicodedata import category
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from modular.project.project import model_name
from modular.review.notes import note_of
from modular.rules.files.drafts import Provenance


HERE = Path(__file__).parent


class Meaning(NamedTuple):
    """The letter and class in the style sheet, and the meaning, of a provenance."""

    letter: str
    text: str


MEANINGS = {
    Provenance.OWN: Meaning("o", "written in the modular file"),
    Provenance.INHERITED: Meaning("i", "inherited from a parent, renamed"),
    Provenance.MERGED: Meaning(
        "m",
        "from the parent's body, which replaced `super().method(...)`",
    ),
    Provenance.NEEDED: Meaning("d", "a dependency, which other generated code uses"),
    Provenance.IMPORT: Meaning("p", "an import"),
    Provenance.MADE: Meaning("x", "added by the converter or the formatter"),
}

_INVISIBLE_CATEGORIES = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Unicode categories of invisible characters. Some reverse the direction of a line."""

_ALLOWED_INVISIBLE = "\t\n\N{ZERO WIDTH JOINER}\N{ZERO WIDTH NON-JOINER}"
"""Invisible characters that code, scripts and emoji need."""


_INLINE_CODE = re.compile(r"`([^`]+)`")


@cache
def _environment() -> Environment:
    """Return the Jinja environment: it escapes all values, and fails for missing ones."""
    environment = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["visible"] = visible
    environment.filters["sentence"] = render_sentence
    environment.filters["as_note"] = note_of
    environment.globals["meanings"] = MEANINGS
    return environment


def render(template: str, page: str, **values: Any) -> str:
    """Return the HTML of a page.

    Args:
        template: File name of the template.
        page: Path of the page below the folder of the review.
        values: Values for the template.
    """
    # Links are relative, so that the pages can also be read without a server.
    path_to_root = "../" * page.count("/")
    return _environment().get_template(template).render(up=path_to_root, **values)


def model_path(name: str) -> str:
    """Return the path of a model's page below the folder of the review."""
    return f"models/{name}.html"


def source_path(path: str) -> str:
    """Return the path of a source file's page below the folder of the review."""
    parts = ["up" if part == ".." else part for part in PurePosixPath(path).parts]
    return f"files/{'/'.join(parts)}.html"


def link(page: str, target: str, anchor: str = "") -> str:
    """Return the relative link from a page to another page, or to an anchor there.

    Args:
        page: Path of the page with the link, below the folder of the review.
        target: Path of the other page, below the same folder.
        anchor: The anchor, without `#`; empty for the whole page.
    """
    href = "../" * page.count("/") + quote(target)
    if anchor:
        href += f"#{quote(anchor)}"
    return href


def line_prefix(path: str, modular: str) -> str:
    """Return the prefix of line anchors, such as `modeling-` for `modeling_owl.py`."""
    file_type = PurePosixPath(path).stem.removesuffix(f"_{model_name(modular)}")
    return re.sub(r"\W", "_", file_type) + "-"


def escaped_lines(text: str) -> list[str]:
    """Return the lines of a text with ``\\n`` line ends as HTML."""
    if not text:
        return []
    lines = escape(text, quote=False).removesuffix("\n").split("\n")
    return [_name_invisible_characters(line, "<b class=u>{}</b>") for line in lines]


def mark_spans(line: str, spans: Iterable[tuple[int, int]]) -> Markup:
    """Return a line as HTML, with the given ranges of its characters marked.

    Args:
        line: The line as text.
        spans: The start and the end of each range, as of a slice of the line.
    """
    html = ""
    last_end = 0
    for start, end in spans:
        html += _escape_code(line[last_end:start])
        html += f"<mark>{_escape_code(line[start:end])}</mark>"
        last_end = end
    return Markup(html + _escape_code(line[last_end:]))


def _escape_code(text: str) -> str:
    """Return a part of the code as HTML."""
    return "\n".join(escaped_lines(text))


def visible(text: str) -> str:
    """Return an unescaped text in which invisible characters are named."""
    return _name_invisible_characters(text, "{}")


def render_sentence(text: str) -> Markup:
    """Return a message as HTML, with the text between backticks as code."""
    escaped = escape(visible(text), quote=False)
    return Markup(_INLINE_CODE.sub(r"<code>\1</code>", escaped))


def _name_invisible_characters(text: str, form: str) -> str:
    """Replace invisible characters, such as U+202E, with their code points.

    An invisible character can make code look different from what it does.

    Args:
        text: The text.
        form: Format of a replacement, with ``{}`` for the code point.
    """
    # Most texts have no such character.
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text
    visible_text = []
    for character in text:
        is_invisible = category(character) in _INVISIBLE_CATEGORIES
        if is_invisible and character not in _ALLOWED_INVISIBLE:
            visible_text.append(form.format(f"U+{ord(character):04X}"))
        else:
            visible_text.append(character)
    return "".join(visible_text)
