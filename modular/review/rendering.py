"""From values to pages: Jinja2 with everything escaped, and where the pages appear.

Nothing that is in a source reaches a page unescaped, or unseen.
"""

import re
from functools import cache
from html import escape
from pathlib import Path, PurePosixPath
from typing import Any
from unicodedata import category
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from modular.project.project import model_name
from modular.rules.files.drafts import Provenance


HERE = Path(__file__).parent

MEANINGS = {
    Provenance.OWN: ("o", "written in the modular file"),
    Provenance.INHERITED: ("i", "inherited from a parent, renamed"),
    Provenance.MERGED: (
        "m",
        "the parent's, in a body that replaces `super().method(...)`",
    ),
    Provenance.NEEDED: ("d", "a dependency: something uses it"),
    Provenance.IMPORT: ("p", "an import"),
    Provenance.MADE: ("x", "added by the converter or the formatter"),
}
"""The class of the style sheet for each kind of line, and what it means."""

_UNSEEN = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Kinds of characters that cannot be seen. Some of them let a line look like another one: they turn its direction."""

_HARMLESS = "\t\n\N{ZERO WIDTH JOINER}\N{ZERO WIDTH NON-JOINER}"
"""Characters of these kinds that code, scripts and emoji are written with."""


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["visible"] = visible
    environment.globals["meanings"] = MEANINGS
    return environment


def render(template: str, page: str, **values: Any) -> str:
    """Return a page; ``page`` is its path below the folder of the review."""
    up = "../" * page.count("/")
    return _environment().get_template(template).render(up=up, **values)


def model_path(name: str) -> str:
    """Return the path of a model's page, below the folder of the review, for the model's shown name."""
    return f"models/{name}.html"


def source_path(path: str) -> str:
    """Return the path of a source's page, below the folder of the review."""
    parts = ("up" if part == ".." else part for part in PurePosixPath(path).parts)
    return f"files/{'/'.join(parts)}.html"


def link(page: str, target: str, anchor: str = "") -> str:
    """Return the link from one page to another one, both by their paths, or to a line there."""
    where = "../" * page.count("/") + quote(target)
    return f"{where}#{quote(anchor)}" if anchor else where


def line_prefix(path: str, modular: str) -> str:
    """Return what lines' identifiers begin with on a model's page: `modeling-` for the `modeling_owl.py` of the owl."""
    file_type = PurePosixPath(path).stem.removesuffix(f"_{model_name(modular)}")
    return re.sub(r"\W", "_", file_type) + "-"


def escaped_lines(text: str) -> list[str]:
    """Return the lines of a text (line ends must be ``\\n``) as HTML, in which characters that cannot be seen are named."""
    lines = escape(text, quote=False).removesuffix("\n").split("\n") if text else []
    return [_named(line, "<b class=u>{}</b>") for line in lines]


def visible(text: str) -> str:
    """Return text in which characters that cannot be seen are named; it is still to be escaped."""
    return _named(text, "{}")


def _named(text: str, form: str) -> str:
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return "".join(
        form.format(f"U+{ord(letter):04X}") if _is_unseen(letter) else letter
        for letter in text
    )


def _is_unseen(letter: str) -> bool:
    return category(letter) in _UNSEEN and letter not in _HARMLESS
