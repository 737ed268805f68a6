"""Converts models in batches, in this process or in several, and formats what comes of each batch at once."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import TYPE_CHECKING

from modular.flatten.formatted import Formatted
from modular.format import formatting
from modular.project.project import Project
from modular.source.diagnostics import Diagnostic, Place, Problem
from modular.source.import_statements import mentioned
from modular.source.loading import LARGEST
from modular.source.system.machine import collect_rarely
from modular.source.system.reading import read_bytes


if TYPE_CHECKING:
    from modular.conversion.conversion import Conversion
    from modular.conversion.converter import Converter
    from modular.run.pool import Pool

Progress = Callable[[int, int], None]
"""Called with how many models are done, and how many there are."""

_WORTH_PROCESSES = 12
"""Models below which other processes cost more than they give."""

_Module = tuple[int, str]


class Batches:
    """The conversions of a run. What converts is loaded when there is something to convert."""

    def __init__(self, project: Project, jobs: int, progress: Progress | None) -> None:
        self.progress = progress
        self._project = project
        self._jobs = jobs
        self._fresh: dict[str, str] = {}
        self._converter: Converter | None = None
        self._pool: Pool | None = None

    @property
    def here(self) -> "Converter":
        """The converter of this process, which sees the fresh texts."""
        if self._converter is None:
            from modular.conversion.converter import Converter

            collect_rarely()
            self._converter = Converter(self._project, {})
        _show_fresh(self._converter, self._fresh)
        return self._converter

    def source(self, path: str) -> str:
        """Return the text of a file as conversions see it: fresh if there is such a text."""
        return self._project.load(path, self._fresh).text

    def stop(self) -> None:
        """End the other processes."""
        if self._pool is not None:
            self._pool.close()
            self._pool = None

    def refresh(self, path: str, text: str | None) -> None:
        """Let conversions take a fresh text for a file from now on; None: what is on disk."""
        self._fresh.pop(path, None)
        if text is not None:
            self._fresh[path] = text

    def convert(self, modulars: Sequence[str], ahead: AbstractSet[str]) -> list["Conversion"]:
        """Convert models; the order of the results is that of the arguments. ``ahead`` are all that are still to be converted."""
        done: dict[str, Conversion] = {}
        self._project.names.cased("")  # a table that cannot be read is an error of the project, not of a model
        for conversion in self._conversions(modulars, ahead):
            done[conversion.modular] = conversion
            if self.progress is not None:
                self.progress(len(done), len(modulars))
        return [done[modular] for modular in modulars]

    def _conversions(self, modulars: Sequence[str], ahead: AbstractSet[str]) -> Iterator["Conversion"]:
        if self._jobs < 2 or (self._pool is None and len(ahead) < _WORTH_PROCESSES):
            converter = self.here
            yield from (converter.convert(modular).without_files() for modular in modulars)
            return
        if self._pool is None:
            from modular.conversion.converter import Converter
            from modular.run.pool import Pool

            self._pool = Pool(min(self._jobs, len(ahead)), Converter, self._project, {})
        for modular, conversions in self._pool.run(_convert, _by_parent(self._project, modulars), self._fresh):
            yield from conversions or [_died(modular)]

    def format(self, conversions: Sequence["Conversion"]) -> list[tuple["Conversion", Mapping[str, str]]]:
        """Format the files of models at once; return each conversion, with what the formatter found, and its texts by path."""
        texts = {path: text.replace("\n", each.newline) for each in conversions for path, text in each.texts.items()}
        formatted = formatting.format_texts(texts, self._project.root, self._project.settings.formatter)
        return [(self._diagnosed(each, formatted), formatted.texts) for each in conversions]

    def _diagnosed(self, conversion: "Conversion", formatted: Formatted) -> "Conversion":
        """Report what the formatter found in a model's files. That is rare, so the origins of lines were not kept."""
        if formatted.complaints.isdisjoint(conversion.texts):
            return conversion
        return replace(conversion, diagnostics=self.here.diagnose(conversion.modular, formatted))


def _convert(converter: "Converter", modular: str, fresh: Mapping[str, str]) -> "Conversion":
    """Convert a model in a process of the pool."""
    _show_fresh(converter, fresh)
    return converter.convert(modular).without_files()


def _show_fresh(converter: "Converter", fresh: Mapping[str, str]) -> None:
    """Let a converter see the fresh texts, and no others."""
    for path in [path for path in {**converter.overlay, **fresh} if converter.overlay.get(path) != fresh.get(path)]:
        converter.refresh(path, fresh.get(path))


def _died(modular: str) -> "Conversion":
    from modular.conversion.conversion import Conversion

    message = "the process that converted this file was killed"
    hint = "run again with `--jobs 1`; is there enough memory?"
    return Conversion(modular, diagnostics=[Diagnostic(Problem.INTERNAL, Place(modular), message, hint)])


def _by_parent(project: Project, modulars: Sequence[str]) -> list[str]:
    """Order models so that those with a much-used parent in common stand together."""
    imported = {modular: _imported(project, modular) for modular in modulars}
    uses = Counter(module for modules in imported.values() for module in modules)
    main = {
        modular: max(modules, key=lambda module: (uses[module], module), default=(0, ""))
        for modular, modules in imported.items()
    }
    return sorted(modulars, key=lambda modular: (-uses[main[modular]], main[modular], modular))


def _imported(project: Project, modular: str) -> set[_Module]:
    """The modules of models that a modular file imports from, with their leading dots."""
    try:
        text = read_bytes(project.root / modular, LARGEST).decode(errors="replace")
    except OSError:
        return set()
    return {(level, module) for level, module in mentioned(text) if "_" in module.rpartition(".")[2] and "." in module}
