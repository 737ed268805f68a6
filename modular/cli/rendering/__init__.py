"""Diagnostics as text for people and for other programs: one file for each format.

Each has a function `render` from diagnostics and the project's root to a text. Only the format that is asked for is loaded.
"""

from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

from modular.source.diagnostics import Diagnostic, Place
from modular.source.diagnostics import render as as_text
from modular.source.system.terminal import LONGEST


FORMATS = ("text", "json", "github", "sarif")


def render(form: str, diagnostics: Iterable[Diagnostic], root: Path) -> str:
    """Return diagnostics, sorted by place, in one of the `FORMATS`; text comes without colour."""
    if form == "text":
        return as_text(diagnostics)
    text: str = import_module(f"modular.cli.rendering.{form}").render(diagnostics, root)
    return text


def shown_line(place: Place) -> str:
    """Return the line of a place for other programs; nothing if it is too long to be worth it."""
    return place.text if len(place.text) <= LONGEST else ""
