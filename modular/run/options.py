"""What a caller may choose for a run."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from modular.git.git import changed_since
from modular.project.opening import find_root, open_project
from modular.project.project import Project
from modular.run.batches import Progress
from modular.run.selection import Shard, relative_to_root


@dataclass(frozen=True, slots=True)
class Options:
    """What all runs share.

    ``root`` None: found upwards from the current folder or, if the first target that is a path is
    elsewhere, from there. ``output`` None: as the settings say. ``jobs`` None: one for each
    processor. ``cache`` False: nothing is taken from earlier runs. ``shard``: the part of the models to take.
    ``source_library``: the name or folder of the library that parent files come from; None: as the settings say. ``since``:
    a commit, and ``affected_by``: files; only models that what differs from the commit, or the files, can affect are taken,
    and of a commit only what was not so there is reported. ``strict``: all warnings count as errors. ``baseline``: a file
    of findings that are known, and not reported. ``diffs``: those of files that `convert` writes are in the report, too.
    """

    root: str | os.PathLike[str] | None = None
    output: str | None = None
    jobs: int | None = None
    cache: bool = True
    shard: Shard | None = None
    progress: Progress | None = None
    source_library: str | None = None
    since: str | None = None
    affected_by: Sequence[str] | None = None
    strict: bool = False
    baseline: str | os.PathLike[str] | None = None
    diffs: bool = False

    def open(self, targets: Sequence[str] = ()) -> Project:
        """Return the project: if no root is given, the one around the first target that is a path, or the current folder.

        Raises `settings.SettingsError`.
        """
        if self.root is not None:
            return open_project(self.root, self.output, self.source_library)
        paths = (
            os.path.abspath(target)
            for target in targets
            if target.endswith(".py") or os.path.dirname(target)
        )
        place = next(filter(os.path.exists, paths), os.getcwd())
        start = place if os.path.isdir(place) else os.path.dirname(place)
        return open_project(find_root(Path(start)), self.output, self.source_library)

    def changed(self, project: Project) -> set[str] | None:
        """Return the paths, relative to the root, that decide which models are taken; None: all models are.

        Raises `git.ChangesError`.
        """
        if self.since is None and self.affected_by is None:
            return None
        paths = (relative_to_root(project, path) for path in self.affected_by or ())
        given = {path for path in paths if path is not None}
        return (
            given
            if self.since is None
            else given.union(changed_since(project.root, self.since))
        )
