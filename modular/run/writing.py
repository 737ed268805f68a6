"""Writes the files of models, in one run at a time: for each model all new or, where anything goes wrong, all old.

The lock is a file in the cache folder, by the name of the root.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from modular.cache.fingerprints import digest
from modular.cache.result_cache import folder
from modular.source.diagnostics import Diagnostic, Place, Problem
from modular.system import safe_paths
from modular.system.writing import OutsideRootError, write_files


PATIENCE = 120.0
"""Seconds that a run waits for another one."""


class BusyError(Exception):
    """Another run held the lock all the time. The message names the folder."""

    @property
    def problem(self) -> Diagnostic:
        """This as a diagnostic."""
        hint = "wait for it to end, or end it; nothing was changed"
        return Diagnostic(Problem.CANNOT_WRITE, Place("."), str(self), hint)


@contextmanager
def exclusive(root: Path) -> Iterator[None]:
    """Hold the lock of a root folder. Raises BusyError if it was not free for `PATIENCE` seconds.

    Without a cache folder to write to there is no lock, and nobody waits.
    """
    place = folder() / "locks" / f"{digest(os.fsencode(root.resolve()))}.lock"
    with ExitStack() as held:
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            held.enter_context(FileLock(place, timeout=PATIENCE))
        except Timeout as error:
            raise BusyError(
                f"another run has been writing files below {root} for {PATIENCE:.0f} seconds"
            ) from error
        except OSError:
            pass
        yield


def write_alone(
    root: Path, models: Mapping[str, Mapping[str, str]]
) -> dict[str, Diagnostic]:
    """Write models, for each its texts by path, while no other run writes; where one does not end, none is written.

    Return, for the models that were not written, what kept them from it.
    """
    try:
        with exclusive(root):
            problems = {
                model: write_model(root, texts) for model, texts in models.items()
            }
    except BusyError as error:
        return dict.fromkeys(models, error.problem)
    return {
        model: problem for model, problem in problems.items() if problem is not None
    }


def write_model(root: Path, texts: Mapping[str, str]) -> Diagnostic | None:
    """Replace or create the files of a model, by path from ``root``; return what kept them from being written.

    Whoever calls this holds the lock of the root.
    """
    if unsafe := next(
        (path for path in sorted(texts) if safe_paths.problem(path)), None
    ):
        return _problem(
            Problem.OUTSIDE_ROOT, unsafe, "the path leads out of the project's root"
        )
    places = {root / path: path for path in sorted(texts)}
    try:
        write_files(
            {place: texts[path].encode() for place, path in places.items()}, root
        )
    except OutsideRootError as error:
        return _problem(
            Problem.OUTSIDE_ROOT,
            places[Path(error.filename)],
            "the path leads out of the project's root",
        )
    except OSError as error:
        return _problem(
            Problem.CANNOT_WRITE,
            places[Path(error.filename)],
            f"cannot be written: {error.strerror}",
        )
    return None


def _problem(code: Problem, path: str, message: str) -> Diagnostic:
    return Diagnostic(code, Place(path), message, "nothing of this model was changed")
