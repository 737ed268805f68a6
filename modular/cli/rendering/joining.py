"""Diagnostics that have one cause in many models, said once."""

from collections import Counter
from collections.abc import Iterable, Sequence

from modular.project.project import model_name
from modular.source.diagnostics import Diagnostic, Problem, by_place


_OF_THE_PARENT = (Problem.NAME_NOT_IN_PARENT, Problem.PARENT_FILE_NOT_FOUND)
"""What is found in every model that inherits from a parent whose names have changed."""


def joined(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return diagnostics, sorted by place, with those that say the same of a parent joined to the first, with all models."""
    groups: dict[tuple[object, ...], list[Diagnostic]] = {}
    for number, diagnostic in enumerate(by_place(diagnostics)):
        is_joined = diagnostic.code in _OF_THE_PARENT
        key = (diagnostic.code, diagnostic.message) if is_joined else (number,)
        groups.setdefault(key, []).append(diagnostic)
    return [_joined(same) for same in groups.values()]


def _joined(same: Sequence[Diagnostic]) -> Diagnostic:
    models = sorted({model_name(diagnostic.place.path) for diagnostic in same})
    if len(models) == 1:
        return same[0]
    [(hint, _)] = Counter(diagnostic.hint for diagnostic in same).most_common(1)
    message = f"{same[0].message}; {len(models)} models import it: {', '.join(models)}"
    return same[0]._replace(message=message, hint=hint)
