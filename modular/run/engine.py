"""Runs conversions: in parallel, with every model's parents fresh, and formatted in one batch.

Most parent files on disk are fresh already. So models of which nothing is known are converted at once against what is on
disk; where a result differs from the disk, the models that looked at that file are converted again against the fresh text,
until nothing changes. A model that was converted before waits for those of its ancestors that are to be converted too, and
is converted once. `docs/architecture.md` draws the states of a result.
"""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise

from modular.cache.fingerprints import Fingerprints
from modular.cache.result_cache import Cache, Result, folder
from modular.conversion.conversion import Conversion
from modular.flatten.formatted import Formatted
from modular.project.project import Project
from modular.run.batches import BatchConverter
from modular.run.options import Options
from modular.source.diagnostics import Diagnostic, Place, Problem, has_errors
from modular.source.walking import inverted, walk


class Engine:
    """Converts models of a project and keeps what came of them, ancestors that were needed included.

    ``fresh`` are the digests of those outputs that differ from the disk, by path: they are what other models must see.
    """

    def __init__(self, project: Project, options: Options = Options()) -> None:
        self.project = project
        self.fingerprints = Fingerprints(project)
        self.batches = BatchConverter(project, options.jobs, options.progress)
        self.results: dict[str, Result] = {}
        self.fresh: dict[str, str] = {}
        self._cache = Cache(folder()) if options.cache else None
        self._cached: dict[str, Result | None] = {}

    def run(self, targets: Sequence[str]) -> dict[str, Result]:
        """Convert modular files, and before them those that generate their parents; return the results of all."""
        try:
            while (pending := self._pending(targets)) or self._refuse_cycles():
                if pending:
                    self._convert(self._first_of(pending, targets), len(pending))
                    self._refuse_cycles()
        finally:
            self.batches.stop()
        return self.results

    def _pending(self, targets: Iterable[str]) -> set[str]:
        """Models that have no current result, among some and their ancestors.

        What the cache knows is taken, which may be fresher than the disk, until that shows nothing more.
        """
        while True:
            pending = {
                modular
                for modular in walk(targets, self._parents)
                if not self._has_current(modular)
            }
            if not self._find_fresh():
                return pending

    def _parents(self, modular: str) -> set[str]:
        """The other modular files that generate what a model looked at or, if that is unknown, what it names."""
        result = self._last(modular)
        paths = (
            self.fingerprints.inputs.parent_files(modular)
            if result is None
            else result.reads
        )
        return {
            generator
            for path in paths
            if (generator := self.project.generator(path)) is not None
        } - {modular}

    def _last(self, modular: str) -> Result | None:
        """A model's last result, which may have looked at something older than what is there now."""
        if modular not in self._cached:
            self._cached[modular] = (
                self._cache.result(self.fingerprints.key(modular))
                if self._cache
                else None
            )
        return self.results.get(modular) or self._cached[modular]

    def _has_current(self, modular: str) -> bool:
        """Whether there is a result of a model that would read now what it has read then; it is taken from the cache."""
        result = self._last(modular)
        if result is None or any(
            self._seen(path) != seen for path, seen in result.reads.items()
        ):
            return False
        self.results[modular] = result
        return True

    def _seen(self, path: str) -> str | None:
        """The digest of a file as other models must see it, and whether it is generated; None: there is none.

        Where a parent file may be at two places, that decides which one counts.
        """
        digest = self.fresh.get(path) or self.fingerprints.disk(path)
        return (
            f"{digest} generated"
            if digest and self.project.generator(path) is not None
            else digest
        )

    def _find_fresh(self) -> bool:
        """Let other models see those outputs that differ from the disk; return whether these are others than before."""
        outputs = {
            path: result for result in self.results.values() for path in result.outputs
        }
        disk = self.fingerprints.disk
        fresh = {
            path: result.outputs[path]
            for path, result in outputs.items()
            if disk(path) != result.outputs[path]
        }
        if fresh == self.fresh:
            return False
        self.fresh = fresh
        self.batches.fresh = {path: outputs[path].texts[path] for path in fresh}
        return True

    def _first_of(self, pending: AbstractSet[str], targets: Iterable[str]) -> list[str]:
        """Those of the pending models that nothing is known of, or that wait for no other; all, if they wait in a cycle."""
        children = inverted(
            {
                modular: self._parents(modular)
                for modular in walk(targets, self._parents)
            }
        )
        below = (child for modular in pending for child in children[modular])
        waiting = set(walk(below, children.__getitem__))
        first = [
            modular
            for modular in pending
            if modular not in waiting or self._last(modular) is None
        ]
        return sorted(first or pending)

    def _convert(self, modulars: Sequence[str], pending: int) -> None:
        """Convert models and keep what comes of them; ``pending`` counts all that are still to be converted."""
        conversions = self.batches.convert(modulars, pending)
        formatted = self.batches.format(conversions)
        results = [self._result(conversion, formatted) for conversion in conversions]
        self.results.update((result.modular, result) for result in results)
        if self._cache is not None:
            good = [result for result in results if not result.failed]
            settled = [
                result
                for result in good
                if self.fingerprints.are_settled(result.modular, result.reads)
            ]
            self._cache.store(
                {self.fingerprints.key(result.modular): result for result in settled}
            )

    def _refuse_cycles(self) -> bool:
        """Turn models that depend on each other in a cycle into errors; return whether there are any.

        Each of them may be in the cache, from a time when the others were written out.
        """
        refused = False
        while cycle := find_cycle(
            {modular: self._awaited(modular) for modular in sorted(self.results)}
        ):
            for modular, parent in pairwise(cycle):
                problem = cycle_problem(
                    cycle, self.batches.here.place_of_import(modular, parent)
                )
                self.results[modular] = Result(modular, diagnostics=(problem,))
            refused = True
        return refused

    def _awaited(self, modular: str) -> list[str]:
        """The other models whose output a model looked at, or would have if they could be converted."""
        awaited = set()
        for path in self.results[modular].reads:
            parent = self.results.get(self.project.generator(path) or modular)
            if parent is not None and (
                path in parent.outputs or (parent.failed and self._seen(path) is None)
            ):
                awaited.add(parent.modular)
        return sorted(awaited - {modular})

    def source(self, path: str) -> str:
        """Return the text of a source file as conversions see it: fresh if it was generated in this run."""
        return self.project.load(path, self.batches.fresh).text

    def _result(self, conversion: Conversion, formatted: Formatted) -> Result:
        diagnostics = conversion.diagnostics
        if not formatted.complaints.isdisjoint(conversion.texts):
            here = (
                self.batches.here
            )  # that is rare, so the origins of lines were not kept
            diagnostics = here.diagnose(here.convert(conversion.modular), formatted)
        texts = (
            {}
            if has_errors(diagnostics)
            else {path: formatted.texts[path] for path in conversion.texts}
        )
        reads = {path: self._seen(path) for path in conversion.reads}
        return Result(
            conversion.modular,
            texts,
            reads,
            tuple(diagnostics),
            conversion.source_lines,
        )


def find_cycle(graph: Mapping[str, Iterable[str]]) -> list[str]:
    """Return a cycle of models, each followed by the one that it takes from, from the first in the alphabet round to it."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        cycle: list[str] = error.args[1][::-1]
        start = cycle.index(min(cycle))
        return [*cycle[start:-1], *cycle[:start], cycle[start]]
    return []


def cycle_problem(cycle: Sequence[str], place: Place) -> Diagnostic:
    """Report a cycle at the place where one of its models imports from the next."""
    message = f"modular files inherit from each other in a cycle: {' -> '.join(cycle)}"
    return Diagnostic(
        Problem.CIRCLE,
        place,
        message,
        "let one of them inherit from a hand-written file",
    )
