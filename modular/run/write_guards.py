"""What keeps a generated file from being compared and replaced: something else is there, or a source would be lost."""

import os
from collections.abc import Iterable
from functools import cached_property

from modular.cache.result_cache import Result
from modular.run.engine import Engine
from modular.source.diagnostics import Diagnostic, Place, Problem
from modular.source.system.reading import open_ordinary


class WriteGuards:
    """Looks at the places of generated files when all models of a run are converted."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._project = engine.project

    def problem(self, result: Result, differing: Iterable[str]) -> Diagnostic | None:
        """Return why the files of a model are not ours to compare or, as far as they differ, to write; None where they are."""
        for path in filter(self._project.leads_out, result.outputs):
            hint = "remove the link, or generate into a folder below the root"
            return Diagnostic(Problem.OUTSIDE_ROOT, Place(path), "the file leads out of the project's root", hint)
        for path in differing:
            if obstacle := self._obstacle(path) or self._source_at(path):
                hint = "nothing of this model was changed: remove it, or let it be read"
                return Diagnostic(Problem.CANNOT_WRITE, Place(path), f"cannot be written: {obstacle}", hint)
        return None

    def _obstacle(self, path: str) -> str:
        """What at the path of a generated file can neither be compared nor replaced. A link is, whatever it leads to."""
        place = self._project.locate(path)
        if self._engine.fingerprints.disk(path) is not None or os.path.islink(place) or not os.path.exists(place):
            return ""
        if not os.path.isfile(place):
            return "the path is a directory" if os.path.isdir(place) else "the path is not a regular file"
        try:
            open_ordinary(place).close()
        except OSError as error:
            return f"the file cannot be read: {error.strerror}"
        return ""

    def _source_at(self, path: str) -> str:
        """The source that a generated file would replace because links give it another path, too."""
        folder, name = os.path.split(path)
        real = os.path.join(os.path.realpath(self._project.root / folder), name)
        source = self._linked_sources.get(real) or self._hand_written(path, real)
        return source and f"symlink to the source file `{source}`; writing would overwrite it"

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

    def _hand_written(self, path: str, real: str) -> str:
        """The file of a models folder that a generated one would replace, if an output folder leads into it."""
        if self._project.settings.output and os.path.lexists(real):
            for models in self._project.models_folders:
                inside = os.path.relpath(real, os.path.realpath(self._project.root / models))
                if not inside.startswith("..") and not path.startswith(f"{models}/"):
                    return f"{models}/{inside}"
        return ""
