"""The forms in which results are shown to people and to other programs."""

from modular.source.diagnostics import Place
from modular.source.system.terminal import LONGEST


def shown_line(place: Place) -> str:
    """Return the line of a place for other programs; nothing if it is too long to be worth it."""
    return place.text if len(place.text) <= LONGEST else ""
