"""How many lines people maintain, and how many they read, over the history of a project.

Maintained are modular files and model files written by hand; read are model files, by hand or generated.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import NamedTuple

from modular.git.repository import (
    MAX_COMMIT_BYTES,
    list_files,
    path_in_repository,
    read_blobs,
    resolve_commit,
    run_git,
)
from modular.project.naming import MODULAR
from modular.project.project import Project
from modular.rules.files import file_types


MOST_COMMITS = 60
"""Commits that are looked at, if there are more."""

_LATEST = int(datetime(9999, 12, 31, tzinfo=UTC).timestamp())
"""Seconds of the last day that there is a date for; a commit can have any number."""

_HEAD = 2000
"""Bytes at the beginning of a file in which its banner appears."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A commit: its hash, its day as `2026-11-21`, its lines that people maintain and that they read, its modular files."""

    commit: str
    day: str
    maintained: int
    read: int
    modulars: int


class _File(NamedTuple):
    """What counts of a file's content: its lines, and the beginning, which may hold a banner."""

    lines: int
    head: bytes


def history(project: Project, since: str | None = None) -> tuple[Moment, ...]:
    """Count the lines of a project at its commits, the oldest first: from a commit on, or from the first modular file.

    Of many commits `MOST_COMMITS` are taken, spread evenly, the first and the last among them. Raises `repository.GitError`.
    """
    commits = _spread(_commits(project, since))
    top = path_in_repository(project.root)
    trees = {commit: _model_files(project, top, commit) for commit, _ in commits}
    blobs = sorted({blob for tree in trees.values() for blob in tree.values()})
    texts = (
        data or b""
        for data in read_blobs(project.root, blobs, MAX_COMMIT_BYTES * len(commits))
    )
    files = {
        blob: _File(text.count(b"\n"), text[:_HEAD])
        for blob, text in zip(blobs, texts, strict=True)
    }
    return tuple(
        _moment(project, commit, day, trees[commit], files) for commit, day in commits
    )


def _commits(project: Project, since: str | None) -> list[tuple[str, str]]:
    """The commits of the main line and their days, the oldest first."""
    begin = (
        _first_modular(project)
        if since is None
        else resolve_commit(project.root, since)
    )
    first = [f"^{begin}^@"] if begin else []
    listed = run_git(
        project.root,
        "rev-list",
        "--first-parent",
        "--reverse",
        "--timestamp",
        "HEAD",
        *first,
        "--",
    )
    times = (
        (commit, min(int(time), _LATEST))
        for time, commit in map(str.split, listed.splitlines())
    )
    return [
        (commit, datetime.fromtimestamp(time, UTC).date().isoformat())
        for commit, time in times
    ]


def _first_modular(project: Project) -> str:
    """The first commit of the main line with a modular file; nothing if there is none."""
    folders = (f"{folder}/" for folder in project.settings.models)
    paths = (f":(glob){folder}**/{MODULAR}*.py" for folder in folders)
    return run_git(
        project.root, "rev-list", "--first-parent", "--reverse", "HEAD", "--", *paths
    ).partition("\n")[0]


def _spread(commits: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    if len(commits) <= MOST_COMMITS:
        return list(commits)
    return [
        commits[round(index * (len(commits) - 1) / (MOST_COMMITS - 1))]
        for index in range(MOST_COMMITS)
    ]


def _model_files(project: Project, top: str, commit: str) -> dict[str, str]:
    """The names that git has for the contents of modular and model files, by their paths relative to the root."""
    folders = {
        f"{top}{folder}/"
        for folder in (*project.settings.models, project.settings.output)
        if folder
    }
    return {
        path.removeprefix(top): name
        for path, (_, name) in list_files(project.root, commit, sorted(folders)).items()
        if _is_model_file(project, PurePosixPath(path))
    }


def _is_model_file(project: Project, path: PurePosixPath) -> bool:
    is_named = (
        path.stem.startswith(MODULAR)
        or file_types.of_file(path.stem, project.settings) is not None
    )
    return path.suffix == ".py" and is_named


def _moment(
    project: Project,
    commit: str,
    day: str,
    tree: Mapping[str, str],
    files: Mapping[str, _File],
) -> Moment:
    modulars = {path for path in tree if PurePosixPath(path).stem.startswith(MODULAR)}
    names = {PurePosixPath(path).name for path in modulars}
    models = tree.keys() - modulars
    by_hand = {
        path
        for path in models
        if not _is_generated(project, path, files[tree[path]], names)
    }
    maintained, read = (
        sum(files[tree[path]].lines for path in paths)
        for paths in (modulars | by_hand, models)
    )
    return Moment(commit, day, maintained, read, len(modulars))


def _is_generated(
    project: Project, path: str, file: _File, modulars: Iterable[str]
) -> bool:
    """Whether a model file is generated: its model has a modular file, which a banner that names any names too."""
    stem = PurePosixPath(path).stem
    modular = f"{MODULAR}{stem.removeprefix(f'{file_types.of_file(stem, project.settings)}_')}.py"
    is_named = "{" not in project.settings.banner or os.fsencode(modular) in file.head
    return modular in modulars and is_named
