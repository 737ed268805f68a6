"""Runs conversions: in parallel, with every model's parents fresh, and formatted in one batch.

Most parent files on disk are fresh already. So models of which nothing is known are converted at once against what is on
disk; where a result differs from the disk, the models that looked at that file are converted again against the fresh text,
until nothing changes. Where the cache tells what a model looked at, it waits for those of its parents that are to be
converted too, and is converted once. `docs/architecture.md` draws the states of a result.
"""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import TYPE_CHECKING

from modular.cache.fingerprints import Fingerprints
from modular.cache.result import KeptResults, Made, Result
from modular.cache.result_cache import Cache, digests, folder
from modular.flatten.outputs import OutputFile
from modular.project.project import Project
from modular.run.batches import Batches
from modular.run.cycles import cycle_problem, find_cycle
from modular.run.options import Options
from modular.source.diagnostics import has_errors
from modular.source.system.machine import available_processors
from modular.source.walking import walk


if TYPE_CHECKING:
    from modular.conversion.conversion import Conversion


class Engine:
    """Converts models of a project and keeps what came of them, ancestors that were needed included.

    ``fresh`` are the digests of those outputs that differ from the disk, by path: they are what other models must see.
    """

    def __init__(self, project: Project, options: Options = Options()) -> None:
        self.project = project
        self.batches = Batches(project, options.jobs or available_processors(), options.progress)
        self.fingerprints = Fingerprints(project)
        self.results: dict[str, Result] = {}
        self.fresh: dict[str, str] = {}
        self._kept = KeptResults(Cache(folder()) if options.cache else None, self.fingerprints)
        self._texts: dict[str, str] = {}
        self._older: dict[str, Result] = {}

    def close(self) -> None:
        """End the other processes, if there are any."""
        self.batches.stop()

    def run(self, targets: Sequence[str]) -> dict[str, Result]:
        """Convert modular files, and before them those that generate their parents; return the results of all."""
        try:
            pending = set(targets)
            while pending:
                missing = self._missing(pending)
                self.results.update(self._convert(self._first_of(missing), missing))
                self._refuse_cycles()
                self._find_fresh()
                pending = self._ancestors() | self._outdated() | set(targets) - self.results.keys()
        finally:
            self.close()
        return self.results

    def _missing(self, pending: AbstractSet[str]) -> set[str]:
        """Take what the cache knows, which may be fresher than the disk, until that shows nothing more; return the rest."""
        while True:
            before = dict(self.fresh)
            missing = self._look_up(pending)
            self._find_fresh()
            if self.fresh == before:
                return missing

    def text(self, modular: str, path: str) -> str:
        """Return the text of one output file."""
        result = self.results[modular]
        if result.outputs[path] not in self._texts:
            texts = self._kept.texts(result)
            if texts is None:
                result, texts = self._made(self.batches.convert([modular], {modular}))[0]
            self._keep(result, texts)
            return texts[path]
        return self._texts[result.outputs[path]]

    def unformatted(self, modular: str) -> list[OutputFile]:
        """Convert a modular file again; return its files before formatting: they know where every line comes from."""
        return self.batches.here.convert_again(modular).files

    def source(self, path: str) -> str:
        """Return the text of a source file as conversions see it: fresh if it was generated in this run."""
        return self.batches.source(path)

    def _keep(self, result: Result, texts: Mapping[str, str]) -> None:
        """Keep a result's texts by their digests: what is at a path may change while this runs."""
        self._texts.update((wanted, texts[path]) for path, wanted in result.outputs.items())

    def _find_fresh(self) -> None:
        """Note which outputs differ from the disk, and forget those that their model does not make any more."""
        made = {path for result in self.results.values() for path in result.outputs}
        for path in sorted(self.fresh.keys() - made):
            self._refresh("", path, None)
        for result in self.results.values():
            for path, output in result.outputs.items():
                fresh = None if self.fingerprints.disk(path) == output else output
                if self.fresh.get(path) != fresh:
                    self._refresh(result.modular, path, fresh)

    def _refresh(self, modular: str, path: str, fresh: str | None) -> None:
        """Let other models see an output with a digest from now on, or with None what is on disk."""
        self.batches.refresh(path, None if fresh is None else self.text(modular, path))
        self.fresh.pop(path, None)
        if fresh is not None:
            self.fresh[path] = fresh

    def _current(self, path: str) -> str | None:
        """The digest of a file as other models must see it."""
        return self.fresh.get(path) or self.fingerprints.disk(path)

    def _is_current(self, result: Result) -> bool:
        """Whether a model would read now what it has read, from files that are generated, or not, as they were then."""
        is_same = all(self._current(path) == seen for path, seen in result.reads.items())
        return is_same and result.generated == self._generated(result.reads)

    def _generated(self, paths: Iterable[str]) -> tuple[str, ...]:
        """Which paths are generated: where a parent file may stand twice, this decides."""
        return tuple(path for path in paths if self.project.generator(path) is not None)

    def _generators(self, paths: Iterable[str]) -> set[str]:
        """Modular files that may generate what is at some paths."""
        return {modular for path in paths if (modular := self.project.generator(path)) is not None}

    def _ancestors(self) -> set[str]:
        """Modular files that generate what was looked at, and were not converted yet."""
        looked_at = {path for result in self.results.values() for path in result.reads}
        return self._generators(looked_at) - self.results.keys()

    def _outdated(self) -> set[str]:
        """Models that looked at something older than what is there now."""
        return {modular for modular, result in self.results.items() if not self._is_current(result)}

    def _look_up(self, pending: Iterable[str]) -> set[str]:
        """Take what the cache knows of models and of those that generate their parents; return those to be converted.

        It may know what came of older parents of these, which at least tells what they wait for.
        """
        missing: set[str] = set()

        def parents(modular: str) -> Iterable[str]:
            result = self._kept.result(modular)
            if result is not None and self._is_current(result):
                self.results[modular] = result
            else:
                missing.add(modular)
            if result is None:
                return ()
            self._older[modular] = result
            return self._generators(result.reads) - self.results.keys()

        for _ in walk(pending, parents):
            pass
        return missing

    def _first_of(self, missing: AbstractSet[str]) -> list[str]:
        """Those models that take nothing from another one of them, as far as is known; all, if there is a cycle."""
        graph = {**dict.fromkeys(missing, frozenset[str]()), **self._graph({**self._older, **self.results})}
        sorter = TopologicalSorter(graph)
        first: list[str] = []
        try:
            sorter.prepare()
        except CycleError:
            return sorted(missing)
        while ready := sorter.get_ready():
            first += [model for model in ready if model in missing]
            sorter.done(*(model for model in ready if model not in missing))
        return sorted(first)

    def _graph(self, results: Mapping[str, Result]) -> dict[str, AbstractSet[str]]:
        """For each model those whose output it looked at, or waits for."""
        owners = {path: modular for modular, result in results.items() for path in result.outputs}
        return {
            modular: {owner for path in result.reads if (owner := owners.get(path) or self._awaited(path))} - {modular}
            for modular, result in results.items()
        }

    def _awaited(self, path: str) -> str | None:
        """The model that would generate a file which is nowhere, if it cannot be converted itself."""
        if self._current(path) is not None:
            return None
        generator = self.project.generator(path)
        failed = generator in self.results and self.results[generator].failed
        return generator if failed else None

    def _refuse_cycles(self) -> None:
        """Turn models that depend on each other in a cycle into errors."""
        while cycle := find_cycle(self._graph(self.results)):
            for modular, parent in pairwise(cycle):
                problem = cycle_problem(cycle, self.batches.here.place_of_import(modular, parent))
                self.results[modular] = Result(modular, diagnostics=(problem,))

    def _convert(self, modulars: Sequence[str], missing: AbstractSet[str]) -> dict[str, Result]:
        """Convert models and keep what comes of them; ``missing`` are all that are still to be converted."""
        made = self._made(self._with_ancestors(modulars, missing))
        for result, texts in made:
            self._keep(result, texts)
        self._kept.store(made)
        return {result.modular: result for result, _ in made}

    def _with_ancestors(self, modulars: Sequence[str], missing: AbstractSet[str]) -> list["Conversion"]:
        """Convert models and, so that one batch is enough, those that generate their parents and are not known at all."""
        done: list[Conversion] = []
        known = missing | self.results.keys()
        while modulars:
            done += self.batches.convert(modulars, missing | set(modulars))
            parents = self._generators(path for conversion in done for path in conversion.reads) - known
            modulars = sorted(self._look_up(parents) - self._older.keys())
            known = known | parents
        return done

    def _made(self, conversions: Sequence["Conversion"]) -> list[Made]:
        """Format what was converted."""
        return [self._formatted(*each) for each in self.batches.format(conversions)]

    def _formatted(self, conversion: "Conversion", formatted: Mapping[str, str]) -> Made:
        failed = has_errors(conversion.diagnostics)
        texts = {} if failed else {path: formatted[path] for path in conversion.texts}
        result = Result(
            conversion.modular,
            digests(texts),
            {path: self._current(path) for path in conversion.reads},
            self._generated(conversion.reads),
            tuple(conversion.diagnostics),
            conversion.source_lines,
            {path: text.count("\n") for path, text in texts.items()},
        )
        return Made(result, texts)
