"""Writes the files of models: for each model all new or, where anything goes wrong, all old."""

from collections.abc import Mapping
from pathlib import Path

from modular.run.locking import BusyError, exclusive
from modular.source.diagnostics import Diagnostic, Place, Problem
from modular.source.system import safe_paths
from modular.source.system.writing import OutsideRootError, write_files


def write_models(root: Path, models: Mapping[str, Mapping[str, str]]) -> dict[str, Diagnostic]:
    """Replace or create the files of models: for each its texts by path, relative to ``root``.

    Return, for the models that were not written, what kept them from it. Whoever calls this holds the lock of the root.
    """
    problems = ((model, _write(root, texts)) for model, texts in models.items())
    return {model: problem for model, problem in problems if problem is not None}


def write_alone(root: Path, models: Mapping[str, Mapping[str, str]]) -> dict[str, Diagnostic]:
    """Do the same while no other run writes; where one does not end, none of the models is written."""
    try:
        with exclusive(root):
            return write_models(root, models)
    except BusyError as error:
        return dict.fromkeys(models, error.problem)


def _write(root: Path, texts: Mapping[str, str]) -> Diagnostic | None:
    if unsafe := next((path for path in sorted(texts) if safe_paths.problem(path)), None):
        return _problem(Problem.OUTSIDE_ROOT, unsafe, "the path leads out of the project's root")
    places = {root / path: path for path in sorted(texts)}
    try:
        write_files({place: texts[path].encode() for place, path in places.items()}, root)
    except OutsideRootError as error:
        return _problem(Problem.OUTSIDE_ROOT, places[Path(error.filename)], "the path leads out of the project's root")
    except OSError as error:
        return _problem(Problem.CANNOT_WRITE, places[Path(error.filename)], f"cannot be written: {error.strerror}")
    return None


def _problem(code: Problem, path: str, message: str) -> Diagnostic:
    return Diagnostic(code, Place(path), message, "nothing of this model was changed")
