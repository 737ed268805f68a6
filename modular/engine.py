"""Runs conversions: in parallel, with every model's parents fresh, and formatted in one batch.

Most parent files on disk are fresh already. So all models are converted at once against what is on disk; where a result
differs from the disk, the models that looked at that file are converted again against the fresh text, until nothing changes.
"""

import os
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import TYPE_CHECKING

from modular import formatting
from modular.cache import Cache, Entry, digest
from modular.diagnostics import Code, Diagnostic, Place, has_errors
from modular.fingerprints import Fingerprints
from modular.project import Project


if TYPE_CHECKING:
    from modular.conversion import Conversion

_WORTH_PROCESSES = 12
"""Models below which other processes cost more than they give."""

Progress = Callable[[int, int], None]
"""Called with how many models are done, and how many there are."""


@dataclass(frozen=True)
class Result:
    """What came of one modular file.

    ``outputs`` are the digests of its files by path; the texts are there at once or are fetched by ``texts``. ``reads``
    are the digests (None: no such file) of the paths at which parent files were looked for.
    """

    modular: str
    outputs: Mapping[str, str] = field(default_factory=dict)
    reads: Mapping[str, str | None] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()
    source_lines: int = 0
    output_lines: Mapping[str, int] = field(default_factory=dict)

    @property
    def failed(self) -> bool:
        """Whether there was an error."""
        return has_errors(self.diagnostics)


class Engine:
    """Converts models of a project and keeps what came of them, ancestors that were needed included."""

    def __init__(
        self, project: Project, cache: Cache | None, jobs: int | None, progress: Progress | None = None
    ) -> None:
        self.project = project
        self.cache = cache
        self.jobs = jobs or available_processors()
        self.progress = progress
        self.fingerprints = Fingerprints(project)
        self.results: dict[str, Result] = {}
        self.overlay: dict[str, str] = {}
        self._texts: dict[str, str] = {}

    def run(self, targets: Sequence[str]) -> dict[str, Result]:
        """Convert modular files, and before them those that generate their parents; return the results of all."""
        pending = list(dict.fromkeys(targets))
        while pending:
            for result in self._process(pending):
                self.results[result.modular] = result
            self._refuse_circles()
            self._find_fresh()
            pending = self._ancestors() or self._outdated()
        return self.results

    def text(self, modular: str, path: str) -> str:
        """Return the text of one output file."""
        if path not in self._texts:
            texts = self.cache.texts(self.fingerprints.key(modular)) if self.cache else None
            if texts is None or digest(texts.get(path, "").encode()) != self.results[modular].outputs[path]:
                texts = self._format(self._convert_all([modular]))[0][1]
            self._texts.update(texts)
        return self._texts[path]

    def _find_fresh(self) -> None:
        """Note which outputs differ from the disk: they are what other models must see."""
        for result in self.results.values():
            for path, output in result.outputs.items():
                if self.fingerprints.disk(path) == output:
                    self.overlay.pop(path, None)
                elif path not in self.overlay or digest(self.overlay[path].encode()) != output:
                    self.overlay[path] = self.text(result.modular, path)

    def _current(self, path: str) -> str | None:
        """The digest of a file as other models must see it."""
        return digest(self.overlay[path].encode()) if path in self.overlay else self.fingerprints.disk(path)

    def _ancestors(self) -> list[str]:
        """Modular files that generate what was looked at, and were not converted yet."""
        looked_at = {path for result in self.results.values() for path in result.reads}
        generators = {self.project.generator(path) for path in looked_at}
        return sorted(each for each in generators if each is not None and each not in self.results)

    def _outdated(self) -> list[str]:
        """Models that looked at something older than what is there now, those first that depend on no other of them."""
        outdated = {
            modular
            for modular, result in self.results.items()
            if any(self._current(path) != seen for path, seen in result.reads.items())
        }
        graph = self._graph()
        behind = {each for each in outdated if self._reaches(each, outdated, graph)}
        return sorted(outdated - behind)

    def _graph(self) -> dict[str, set[str]]:
        """For each model those whose output it looked at, or waits for."""
        owners = {path: modular for modular, result in self.results.items() for path in result.outputs}
        return {
            modular: {owner for path in result.reads if (owner := owners.get(path) or self._awaited(path))} - {modular}
            for modular, result in self.results.items()
        }

    def _awaited(self, path: str) -> str | None:
        """The model that would generate a file which is nowhere, if it cannot be converted itself."""
        if self._current(path) is not None:
            return None
        generator = self.project.generator(path)
        failed = generator in self.results and self.results[generator].failed
        return generator if failed else None

    @staticmethod
    def _reaches(start: str, goals: set[str], graph: Mapping[str, set[str]]) -> bool:
        waiting, seen = list(graph[start]), {start}
        while waiting:
            current = waiting.pop()
            if current in goals and current != start:
                return True
            if current not in seen:
                seen.add(current)
                waiting.extend(graph[current])
        return False

    def _refuse_circles(self) -> None:
        """Turn models that depend on each other in a circle into errors."""
        while circle := _circle(self._graph()):
            message = f"modular files inherit from each other in a circle: {' -> '.join(circle)}"
            hint = "let one of them inherit from a hand-written file"
            for modular, parent in pairwise(circle):
                place = self._place_of_import(modular, parent)
                self.results[modular] = Result(modular, diagnostics=(Diagnostic(Code.CIRCLE, place, message, hint),))

    def _place_of_import(self, modular: str, parent: str) -> Place:
        from modular.conversion import Converter

        return Converter(self.project, self.overlay).place_of_import(modular, parent)

    def _process(self, pending: Sequence[str]) -> list[Result]:
        """Convert models, or take what is known of them."""
        found = {modular: result for modular in pending if (result := self._cached(modular)) is not None}
        missing = [modular for modular in pending if modular not in found]
        kept = []
        for result, texts in self._format(self._with_ancestors(missing, found.keys())):
            found[result.modular] = result
            self._texts.update(texts)
            if not result.failed and self.fingerprints.are_settled(
                [result.modular, *result.reads, *self.project.name_files]
            ):
                kept.append((self.fingerprints.key(result.modular), _to_entry(result, self._generated(result)), texts))
        if self.cache is not None:
            self.cache.store(kept)
        return list(found.values())

    def _with_ancestors(self, missing: Sequence[str], found: Container[str]) -> list["Conversion"]:
        """Convert models and, so that one batch is enough, those that generate their parents and are not known either."""
        done: list[Conversion] = []
        while missing:
            done += self._convert_all(missing)
            known = {conversion.modular for conversion in done} | self.results.keys()
            behind = {self.project.generator(path) for conversion in done for path in conversion.reads}
            missing = sorted(
                each
                for each in behind
                if each is not None and each not in known and each not in found and self._cached(each) is None
            )
        return done

    def _cached(self, modular: str) -> Result | None:
        if self.cache is None:
            return None
        entry = self.cache.head(self.fingerprints.key(modular))
        if entry is None or any(self._current(path) != seen for path, seen in entry.reads.items()):
            return None
        result, generated = _from_entry(modular, entry)
        return result if generated == self._generated(result) else None

    def _generated(self, result: Result) -> list[str]:
        """Which of the paths that a model looked at are generated: where a parent file may stand twice, this decides."""
        return [path for path in result.reads if self.project.generator(path) is not None]

    def _convert_all(self, modulars: Sequence[str]) -> list["Conversion"]:
        """Convert models, in other processes where that is worth it; the order of the results is that of the arguments."""
        from modular.workers import convert_in_processes, start_converter

        done: dict[str, Conversion] = {}
        self.project.names.cased("")  # a table that cannot be read is an error of the project, not of a model
        if self.jobs <= 1 or len(modulars) < _WORTH_PROCESSES:
            converter = start_converter((self.project, self.overlay, frozenset()))
            for modular in modulars:
                done[modular] = converter.convert(modular)
                self._show(len(done), len(modulars))
        else:
            initial = (self.project, self.overlay, formatting.readable(self.project.root, modulars))
            for conversions in convert_in_processes(initial, modulars, self.jobs):
                done.update({conversion.modular: conversion for conversion in conversions})
                self._show(len(done), len(modulars))
        return [done[modular] for modular in modulars]

    def _show(self, done: int, total: int) -> None:
        if self.progress is not None:
            self.progress(done, total)

    def _format(self, conversions: Sequence["Conversion"]) -> list[tuple[Result, dict[str, str]]]:
        """Format the files of all models in one batch."""
        texts = {path: text for each in conversions for path, text in each.texts.items()}
        formatted = formatting.format_texts(texts, self.project.root, self.project.settings.formatter)
        return [self._result(self._diagnosed(each, formatted), formatted.texts) for each in conversions]

    def _diagnosed(self, conversion: "Conversion", formatted: formatting.Formatted) -> "Conversion":
        """Report what the formatter found in a model's files. That is rare, so the origins of lines were not kept."""
        if formatted.complaints.isdisjoint(conversion.texts):
            return conversion
        from modular.conversion import Converter

        diagnostics = Converter(self.project, self.overlay).diagnose(conversion.modular, formatted)
        return replace(conversion, diagnostics=diagnostics)

    def _result(self, conversion: "Conversion", formatted: Mapping[str, str]) -> tuple[Result, dict[str, str]]:
        diagnostics = conversion.diagnostics
        texts = {}
        if not has_errors(diagnostics):
            texts = {path: formatted[path].replace("\n", conversion.newline) for path in conversion.texts}
        result = Result(
            conversion.modular,
            {path: digest(text.encode()) for path, text in texts.items()},
            {path: self._current(path) for path in conversion.reads},
            tuple(diagnostics),
            conversion.source_lines,
            {path: text.count("\n") for path, text in texts.items()},
        )
        return result, texts


def available_processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _circle(graph: Mapping[str, Iterable[str]]) -> list[str]:
    """Return a circle of models, each followed by the one that it takes from, from the first in the alphabet round to it."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        circle: list[str] = error.args[1][::-1]
        start = circle.index(min(circle))
        return [*circle[start:-1], *circle[:start], circle[start]]
    return []


def _to_entry(result: Result, generated: list[str]) -> Entry:
    diagnostics = [each.as_json() for each in result.diagnostics]
    extra = [diagnostics, result.source_lines, dict(result.output_lines), generated]
    return Entry(result.reads, result.outputs, extra)


def _from_entry(modular: str, entry: Entry) -> tuple[Result, list[str]]:
    diagnostics, source_lines, output_lines, generated = entry.extra
    found = tuple(Diagnostic.from_json(each) for each in diagnostics)
    return Result(modular, entry.outputs, entry.reads, found, source_lines, output_lines), generated
