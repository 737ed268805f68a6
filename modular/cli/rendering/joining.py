"""Diagnostics that have one cause in many models, said once."""

from collections import Counter
from collections.abc import Iterable, Sequence

from modular.project.project import model_name
from modular.source.diagnostics import Diagnostic, Problem, by_place


_OF_THE_PARENT = (Problem.NAME_NOT_IN_PARENT, Problem.PARENT_FILE_NOT_FOUND)
"""What is found in every model that inherits from a parent whose names have changed."""


def joined(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return diagnostics, sorted by place, with those that say the same of a parent joined to the first, with all models."""
    found: dict[tuple[object, ...], list[Diagnostic]] = {}
    for number, each in enumerate(by_place(diagnostics)):
        same = each.code in _OF_THE_PARENT
        found.setdefault((each.code, each.message) if same else (number,), []).append(each)
    return [_joined(same) for same in found.values()]


def _joined(same: Sequence[Diagnostic]) -> Diagnostic:
    models = sorted({model_name(each.place.path) for each in same})
    if len(models) == 1:
        return same[0]
    [(hint, _)] = Counter(each.hint for each in same).most_common(1)
    return same[0]._replace(
        message=f"{same[0].message}; {len(models)} models import it: {', '.join(models)}", hint=hint
    )
