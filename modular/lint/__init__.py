"""Lints: what is converted as it is written, but hardly as it was meant. One file for each question, and none changes a byte."""

from modular.lint import (
    configurations,
    leading_out,
    missed_imports,
    removals,
    removed_settings,
    same_as_inherited,
    super_calls,
    unravelled_calls,
    unused,
)
from modular.lint.subject import Subject
from modular.source.diagnostics import Diagnostic


_LINTS = (
    configurations,
    leading_out,
    missed_imports,
    removals,
    removed_settings,
    same_as_inherited,
    super_calls,
    unravelled_calls,
    unused,
)


def inspect(subject: Subject) -> list[Diagnostic]:
    """Return what all lints say of a modular file."""
    return [diagnostic for lint in _LINTS for diagnostic in lint.find(subject)]
