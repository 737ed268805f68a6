"""Converts models in batches, in this process or in several, and formats what comes of each batch at once."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from modular.conversion.conversion import Conversion
from modular.flatten.formatted import Formatted
from modular.format import formatting
from modular.project.project import Project
from modular.source.diagnostics import killed
from modular.system.machine import available_processors, collect_rarely


if TYPE_CHECKING:
    from modular.conversion.converter import Converter
    from modular.run.pool import Pool

Progress = Callable[[int, int], None]
"""Called with how many models are done, and how many there are."""

_WORTH_PROCESSES = 12
"""Models below which other processes cost more than they give."""


class BatchConverter:
    """The conversions of a run. What converts is loaded when there is something to convert.

    ``fresh`` are texts of files, by path, that conversions take instead of those on disk.
    """

    def __init__(
        self, project: Project, jobs: int | None, progress: Progress | None
    ) -> None:
        self.progress = progress
        self.fresh: Mapping[str, str] = {}
        self._project = project
        self._jobs = jobs or available_processors()
        self._pool: Pool | None = None

    @cached_property
    def _converter(self) -> "Converter":
        from modular.conversion.converter import Converter

        collect_rarely()
        return Converter(self._project, {})

    @property
    def here(self) -> "Converter":
        """The converter of this process, which sees the fresh texts."""
        _show_fresh(self._converter, self.fresh)
        return self._converter

    def stop(self) -> None:
        """End the other processes."""
        if self._pool is not None:
            self._pool.close()
            self._pool = None

    def convert(self, modulars: Sequence[str], pending: int) -> list[Conversion]:
        """Convert models; the order of the results is that of the arguments.

        ``pending`` counts all that are still to be converted: for a few, other processes are not worth it.
        """
        done: dict[str, Conversion] = {}
        self._project.names.cased(
            ""
        )  # a table that cannot be read is an error of the project, not of a model
        for conversion in self._conversions(modulars, pending):
            done[conversion.modular] = conversion
            if self.progress is not None:
                self.progress(len(done), len(modulars))
        return [done[modular] for modular in modulars]

    def _conversions(
        self, modulars: Sequence[str], pending: int
    ) -> Iterator[Conversion]:
        if self._jobs < 2 or (self._pool is None and pending < _WORTH_PROCESSES):
            converter = self.here
            yield from (
                converter.convert(modular).without_files() for modular in modulars
            )
            return
        if self._pool is None:
            from modular.conversion.converter import Converter
            from modular.run.pool import Pool

            self._pool = Pool(min(self._jobs, pending), Converter, self._project, {})
        for modular, conversions in self._pool.run(_convert, modulars, self.fresh):
            yield from conversions or [
                Conversion(modular, diagnostics=[killed(modular, "converted")])
            ]

    def format(self, conversions: Sequence[Conversion]) -> Formatted:
        """Format the files of models at once."""
        texts = {
            path: text.replace("\n", conversion.newline)
            for conversion in conversions
            for path, text in conversion.texts.items()
        }
        return formatting.format_texts(
            texts, self._project.root, self._project.settings.formatter
        )


def _convert(
    converter: "Converter", modular: str, fresh: Mapping[str, str]
) -> Conversion:
    """Convert a model in a process of the pool."""
    _show_fresh(converter, fresh)
    return converter.convert(modular).without_files()


def _show_fresh(converter: "Converter", fresh: Mapping[str, str]) -> None:
    """Let a converter see the fresh texts, and no others."""
    for path in [
        path
        for path in {**converter.overlay, **fresh}
        if converter.overlay.get(path) != fresh.get(path)
    ]:
        converter.refresh(path, fresh.get(path))
