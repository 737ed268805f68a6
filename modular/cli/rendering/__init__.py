"""Diagnostics as text for people and for other programs: one file for each format.

Each has a function `render` from diagnostics and the project's root to a text. Only the format that is asked for is loaded.
"""

from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

from modular.source.diagnostics import Diagnostic, Place, Problem


FORMATS = ("text", "json", "github", "sarif")

LONGEST = 240
"""Characters of a source line that are worth showing."""

_RELATIONS = {
    **dict.fromkeys(
        (Problem.NOT_UTF8, Problem.TOO_LARGE, Problem.NOT_FOUND, Problem.SYNTAX_ERROR, Problem.TOO_DEEP), "imported at"
    ),
    Problem.UNUSED_REPLACEMENT: "needed at",
    Problem.UNUSED_CLASS: "needed at",
    Problem.DEL_STILL_READ: "read at",
    Problem.UNDEFINED_NAME: "used at",
    Problem.LEFTOVER_NAME: "used at",
    Problem.LEFT_OUT: "left out",
    Problem.STALE_FILE: "generated from",
    Problem.MISSING_FILE: "generated from",
    Problem.ORPHAN: "generated from",
    Problem.REMOVED_STILL_READ: "read at",
    Problem.ASSIGNMENT_IGNORED: "used instead",
    Problem.MADE_BY_NOBODY: "used at",
    Problem.LOST_BASE: "imported at",
    Problem.SEVERAL_PREFIXES: "imported at",
    Problem.CUT_OFF: "returns at",
}
"""What the related place of a diagnostic is to it. A parent file that cannot be read is related to its import."""


def render(form: str, diagnostics: Iterable[Diagnostic], root: Path) -> str:
    """Return diagnostics, sorted by place, in one of the `FORMATS`; text comes without colour."""
    text: str = import_module(f"modular.cli.rendering.{form}").render(diagnostics, root)
    return text


def relation(diagnostic: Diagnostic) -> str:
    """Say in words what the related place of a diagnostic is to it."""
    return _RELATIONS.get(diagnostic.code, "inherited from")


def shown_line(place: Place) -> str:
    """Return the line of a place for other programs; nothing if it is too long to be worth it."""
    return place.text if len(place.text) <= LONGEST else ""
