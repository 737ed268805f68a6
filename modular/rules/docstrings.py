"""Docstrings: the modular's if it has one, else the parent's, for classes and for methods alike."""

from modular.source.blocks import Statement
from modular.source.parts import Parts


def merge_docstring(parent: Parts, own: Parts) -> Statement | None:
    """Return the docstring of a flattened class or method."""
    return own.docstring or parent.docstring
