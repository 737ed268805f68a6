"""The forms in which results are shown to people and to other programs."""

from functools import cache
from pathlib import Path
from typing import Any

from modular.source.diagnostics import Place
from modular.system.terminal import MAX_EXCERPT_CHARS, counted


def shown_line(place: Place) -> str:
    """Return the line of a place for other programs; nothing if it is too long to be worth it."""
    return place.text if len(place.text) <= MAX_EXCERPT_CHARS else ""


def render(template: str, **values: Any) -> str:
    """Return what comes of one of the templates in this folder, in which all is quoted as its language wants it."""
    return str(_environment().get_template(template).render(values))


@cache
def _environment() -> Any:
    from jinja2 import Environment, FileSystemLoader  # few commands need it

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["mermaid"] = (
        lambda text: '"' + text.replace("#", "#35;").replace('"', "#quot;") + '"'
    )
    environment.filters["dot"] = (
        lambda text: '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
    )
    environment.filters["cell"] = (
        lambda text: " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
    )
    environment.filters["counted"] = counted
    return environment
