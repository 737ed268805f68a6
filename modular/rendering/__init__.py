"""Diagnostics as text for people and for other programs: one file for each format.

Each has a function `render` from diagnostics and the project's root to a text. Only the format that is asked for is loaded.
"""

from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

from modular.diagnostics import Code, Diagnostic


FORMATS = ("text", "json", "github", "sarif")

_RELATIONS = {
    Code.UNUSED_REPLACEMENT: "needed at",
    Code.DEL_STILL_READ: "read at",
    Code.UNDEFINED_NAME: "used at",
    Code.LEFTOVER_NAME: "used at",
}


def render(form: str, diagnostics: Iterable[Diagnostic], root: Path) -> str:
    """Return diagnostics, sorted by place, in one of the `FORMATS`; text comes without colour."""
    text: str = import_module(f"modular.rendering.{form}").render(diagnostics, root)
    return text


def relation(diagnostic: Diagnostic) -> str:
    """Say in words what the related place of a diagnostic is to it."""
    if diagnostic.related is not None and diagnostic.related.path != diagnostic.place.path:
        return _RELATIONS.get(diagnostic.code, "imported at" if _is_about_parent(diagnostic) else "inherited from")
    return _RELATIONS.get(diagnostic.code, "see")


def _is_about_parent(diagnostic: Diagnostic) -> bool:
    """Whether it is the parent file that is wrong, so that the related place is in the modular file."""
    return diagnostic.code in (Code.NOT_UTF8, Code.TOO_LARGE, Code.NOT_FOUND, Code.SYNTAX_ERROR, Code.TOO_DEEP)
