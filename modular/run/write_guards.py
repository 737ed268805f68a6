"""What keeps a generated file from being compared and replaced: something else is there, or a source would be lost."""

import os
from collections.abc import Iterable
from functools import cached_property

from modular.project.project import Project
from modular.run.engine import Engine
from modular.source.diagnostics import Diagnostic, Place, Problem


def outside_root(path: str) -> Diagnostic:
    """Return the problem of a generated file that is not below the root."""
    hint = "remove the link, or generate into a folder below the root"
    return Diagnostic(Problem.OUTSIDE_ROOT, Place(path), "the file leads out of the project's root", hint)


class WriteGuards:
    """Looks at the places of generated files when all models of a run are converted."""

    def __init__(self, project: Project, engine: Engine) -> None:
        self._project = project
        self._engine = engine

    def first(self, paths: Iterable[str]) -> Diagnostic | None:
        """Return the first thing that is in the way of some generated files, if anything does."""
        for path in paths:
            if obstacle := self._engine.fingerprints.obstacle(path):
                hint = "nothing of this model was changed: remove it, or let it be read"
                return Diagnostic(Problem.CANNOT_WRITE, Place(path), f"cannot be written: {obstacle}", hint)
            if (source := self._source_at(path)) is not None:
                hint = "nothing of this model was changed: remove the link"
                message = f"cannot be written: symlink to the source file `{source}`; writing would overwrite it"
                return Diagnostic(Problem.CANNOT_WRITE, Place(path), message, hint)
        return None

    def _source_at(self, path: str) -> str | None:
        """Return the source that a generated file would replace because links give it another path, too."""
        folder, name = os.path.split(path)
        real = os.path.join(os.path.realpath(self._project.root / folder), name)
        return self._linked_sources.get(real) or self._hand_written(path, real)

    @cached_property
    def _linked_sources(self) -> dict[str, str]:
        """The sources that are elsewhere than their paths say, by where they are."""
        results = self._engine.results.values()
        sources = {
            *self._project.modular_files,
            *(path for result in results for path in (result.modular, *result.reads)),
        }
        sources -= {path for result in results for path in result.outputs}
        places = {path: self._project.locate(path) for path in sources}
        real = {path: os.path.realpath(place) for path, place in places.items()}
        return {place: path for path, place in real.items() if place != str(places[path])}

    def _hand_written(self, path: str, real: str) -> str | None:
        """Return the file of a models folder that a generated one would replace, if an output folder leads into it."""
        if not self._project.settings.output or not os.path.lexists(real):
            return None
        for models in self._project.models_folders:
            inside = os.path.relpath(real, os.path.realpath(self._project.root / models))
            if not inside.startswith("..") and not path.startswith(f"{models}/"):
                return f"{models}/{inside}"
        return None
