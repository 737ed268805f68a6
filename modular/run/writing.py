"""Writes the files of models: for each model all new or, where anything goes wrong, all old.

New files are staged beside the old ones. Those of a model are then put in place back to back, by a process of its own
that outlives this one: a run that is killed never leaves a model half written.
"""

import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count, islice
from pathlib import Path
from typing import TYPE_CHECKING

from modular.run.committer import SUFFIX, Committer, delete
from modular.source import safe_paths
from modular.source.diagnostics import Diagnostic, Place, Problem
from modular.source.interrupts import shielded


if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

_BATCH = 32
"""Models that are staged at a time: it bounds how much more of the disk is taken for a while."""

_THREADS = 8
"""Threads that stage files: they mostly wait for the disk."""

_numbers = count()


def write_models(root: Path, models: Mapping[str, Mapping[str, str]]) -> dict[str, Diagnostic]:
    """Replace or create the files of models: for each its texts by path, relative to ``root``.

    Return, for the models that were not written, what kept them from it. Whoever calls this holds the lock of the root.
    """
    from concurrent.futures import ThreadPoolExecutor

    problems: dict[str, Diagnostic] = {}
    waiting = iter(models.items())
    with Committer() as committer, ThreadPoolExecutor(_THREADS) as threads:
        while some := list(islice(waiting, _BATCH)):
            with shielded():
                problems.update(_write(_stage(root, some, threads), committer))
    return problems


def _write(batch: Sequence[tuple[str, "_Staged"]], committer: Committer) -> Iterator[tuple[str, Diagnostic]]:
    """Put what was staged in place; yield what kept models from it. Nothing that was staged is left."""
    try:
        for model, files in batch:
            if (problem := files.problem or files.commit(committer)) is not None:
                yield model, problem
    finally:
        for _, files in batch:
            files.discard()


def _stage(
    root: Path, models: Sequence[tuple[str, Mapping[str, str]]], threads: "ThreadPoolExecutor"
) -> list[tuple[str, "_Staged"]]:
    """Stage the files of some models at once."""
    staged = threads.map(lambda texts: _Staged(root, texts), [texts for _, texts in models])
    return [(model, files) for (model, _), files in zip(models, staged, strict=True)]


def _target(root: Path, path: str) -> Path:
    """Return what is replaced: folders may be links, but a link in the place of the file is replaced itself."""
    place = root / path
    return Path(os.path.realpath(place.parent)) / place.name


def clear_leftovers(root: Path, folders: Iterable[str]) -> None:
    """Delete what killed runs have left in folders, relative to ``root``. Whoever calls this holds the lock of the root."""
    for folder in folders:
        place = Path(os.path.realpath(root / folder))
        if not place.is_relative_to(root):
            continue
        with suppress(OSError), os.scandir(place) as entries:
            for entry in entries:
                if entry.name.endswith(SUFFIX) and entry.name.startswith("."):
                    Path(entry.path).unlink(missing_ok=True)


def replace_text(file: Path, text: str) -> None:
    """Write a file that somebody asked for by its name, its folder included: all of it or nothing. Raises OSError."""
    staged = file.with_name(f".{file.name}.{os.getpid()}.tmp")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        staged.write_text(text, encoding="utf-8", newline="\n")
        os.replace(staged, file)
    finally:
        with suppress(OSError):
            staged.unlink()


@dataclass
class _Staged:
    """The new files of one model, staged beside their targets; or the problem why they are not."""

    root: Path
    texts: Mapping[str, str]
    problem: Diagnostic | None = None
    paths: dict[str, str] = field(default_factory=dict)
    moves: list[tuple[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        for path, text in sorted(self.texts.items()):
            if safe_paths.problem(path) or not (target := _target(self.root, path)).is_relative_to(self.root):
                self.problem = _problem(Problem.OUTSIDE_ROOT, path, "the path leads out of the project's root")
                break
            try:
                self._stage(path, target, text)
            except OSError as error:
                self.problem = _problem(Problem.CANNOT_WRITE, path, f"cannot be written: {error.strerror or error}")
                break
        if self.problem is not None:
            self.discard()

    def _stage(self, path: str, target: Path, text: str) -> None:
        target.parent.mkdir(parents=True, exist_ok=True)
        staged = target.with_name(f".{target.name}.{os.getpid()}-{next(_numbers)}{SUFFIX}")
        staged.unlink(missing_ok=True)
        self.paths[str(target)] = path
        self.moves.append((str(staged), str(target)))
        with open(staged, "x", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileNotFoundError):
            state = os.lstat(target)
            if stat.S_ISREG(state.st_mode):
                os.chmod(staged, state.st_mode & 0o777)

    def commit(self, committer: Committer) -> Diagnostic | None:
        """Put the files in place."""
        failure = committer.commit(self.moves)
        if failure is None:
            return None
        return _problem(Problem.CANNOT_WRITE, self.paths[failure[0]], f"cannot be written: {failure[1]}")

    def discard(self) -> None:
        """Delete what was staged and is not in place."""
        delete(staged for staged, _ in self.moves)


def _problem(code: Problem, path: str, message: str) -> Diagnostic:
    return Diagnostic(code, Place(path), message, "nothing of this model was changed")
