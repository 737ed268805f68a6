"""Converts models in parallel, each against up-to-date parents.

Most parent files on disk are up to date. Models without a cached result are therefore
converted at once, against the files on disk. If a result differs from the file on disk,
the models that read this file are converted again, until nothing changes any more. A
model with an outdated cached result, or with an unsaved change, waits until its ancestors
have been converted, and is then converted once. `docs/architecture.md` shows the states of
a result.
"""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise

from modular.cache.fingerprints import Fingerprints
from modular.cache.result_cache import MAX_RESULTS, Cache, Reads, Result
from modular.conversion.conversion import Conversion
from modular.flatten.formatted import Formatted
from modular.project.project import Project
from modular.run.batch_converter import BatchConverter
from modular.run.options import Options
from modular.source.diagnostics import Diagnostic, Place, Problem, prevents_conversion
from modular.source.walking import walk
from modular.system.cache_folder import cache_folder


class Engine:
    """Converts models of a project and the models that generate their parents.

    Attributes:
        project: The project.
        fingerprints: Digests of the project's files.
        batches: Converts and formats batches of models.
        results: The result of each model that was needed, by its modular file.
        regenerated_digests: The digest, by path, of each output that differs from the
            file on disk. Conversions read the output instead of the file.
        keeps_files: Whether to keep the output files of models that were stale. The
            origins of lines are found from these files. Workers take long to send them.
    """

    def __init__(
        self,
        project: Project,
        options: Options = Options(),
        results: Mapping[str, Result] | None = None,
    ) -> None:
        """Create an engine.

        Args:
            project: The project.
            options: Options of the run.
            results: Results of an earlier engine over the same files, to start with.
        """
        self.project = project
        self.fingerprints = Fingerprints(project)
        self.batches = BatchConverter(
            project, options.jobs, options.progress, options.info
        )
        self.results: dict[str, Result] = dict(results or {})
        self.regenerated_digests: dict[str, str] = {}
        self.keeps_files = False
        self._finds_info = options.info
        self._stores_results = options.store
        self._cache = Cache(cache_folder()) if options.cache else None
        # The cache is read only once for each model. The keys are modular files.
        self._cached_results: dict[str, list[Result]] = {}
        # The current result of each model, or None if it has none. An entry is dropped if
        # the model gets another result, or if a file that its results read changes.
        self._current_results: dict[str, Result | None] = {}
        # The modular files that generate parents of each model, until it has another
        # result.
        self._parents: dict[str, set[str]] = {}
        self._update_regenerated()

    def run(self, targets: Sequence[str]) -> dict[str, Result]:
        """Convert modular files, and before them those that generate their parents.

        Args:
            targets: Paths of modular files relative to the root.

        Returns:
            The results of all models, by modular file.

        Raises:
            modular.settings.settings.SettingsError: The table of model names cannot be
                read.
            modular.system.ruff.FormatterError: The formatter cannot be run.
        """
        try:
            while True:
                pending = self._load_results(targets)
                if pending:
                    self._convert(self._select_ready(pending), len(pending))
                # A result that becomes an error can outdate other results.
                has_new_cycle = self._refuse_cycles()
                if not pending and not has_new_cycle:
                    return self.results
        finally:
            self.batches.stop()

    def source(self, path: str) -> str:
        """Return the text of a source file as conversions read it.

        Args:
            path: Path relative to the root.
        """
        return self.project.load(path, self.batches.regenerated).text

    def _load_results(self, targets: Iterable[str]) -> set[str]:
        """Load cached results of targets and their ancestors into `self.results`.

        Returns:
            The models without a current result, which must be converted. Their outdated
            results stay in `self.results` until then.
        """
        # Conversions read new outputs instead of files on disk. A loaded result that read
        # one of these files is outdated, so then all results are checked again.
        has_new_outputs = True
        while has_new_outputs:
            pending = self._load_current_results(targets)
            has_new_outputs = self._update_regenerated()
        return pending

    def _load_current_results(self, targets: Iterable[str]) -> set[str]:
        """Load the current results of targets and their ancestors into `self.results`.

        A result is current if it read only files that are unchanged since.

        Returns:
            The models without a current result.
        """
        missing = set()
        for modular in walk(targets, self._modulars_of_parents):
            result = self._find_current_result(modular)
            if result is None:
                missing.add(modular)
            elif result is not self.results.get(modular):
                self._set_result(result)
                # `_set_result` has forgotten that this result is current.
                self._current_results[modular] = result
        return missing

    def _set_result(self, result: Result) -> None:
        """Replace the result of a model, and forget what its last result said."""
        self.results[result.modular] = result
        self._current_results.pop(result.modular, None)
        self._parents.pop(result.modular, None)

    def _modulars_of_parents(self, modular: str) -> set[str]:
        """Return the other modular files that generate parents of a model.

        If there is a result of the model, it says which files the conversion read.
        Otherwise, the import statements of the modular file say what it may read.
        """
        if modular not in self._parents:
            result = self._last_result(modular)
            read_paths: Iterable[str]
            if result is None:
                read_paths = self.fingerprints.inputs.parent_files(modular)
            else:
                read_paths = result.reads
            generators = self.project.generating_modulars(read_paths)
            self._parents[modular] = generators - {modular}
        return self._parents[modular]

    def _last_result(self, modular: str) -> Result | None:
        """Return the last result of a model; files may have changed since."""
        results = self._all_results(modular)
        return results[0] if results else None

    def _all_results(self, modular: str) -> list[Result]:
        """Return the results of a model in this run and in the cache, newest first.

        Outdated results are included.
        """
        if modular not in self._cached_results:
            self._cached_results[modular] = self._read_cache(modular)
        if modular in self.results:
            return [self.results[modular], *self._cached_results[modular]]
        return self._cached_results[modular]

    def _read_cache(self, modular: str) -> list[Result]:
        """Return the results of a model in the cache, newest first.

        Of a result with an outdated source, only the paths that it read are loaded, which
        still tell the parents of the model.
        """
        if self._cache is None:
            return []
        key = self._cache_key(modular)
        results = self._cache.results(key, self._has_current_sources)
        if not results and not self._finds_info:
            # A result that also has the findings of level info will do.
            key = self.fingerprints.key(modular, True)
            results = self._cache.results(key, self._has_current_sources)
        return results

    def _cache_key(self, modular: str) -> str:
        """Return the key of this run's results of a model."""
        return self.fingerprints.key(modular, self._finds_info)

    def _has_current_sources(self, reads: Reads) -> bool:
        """Return whether no hand-written file changed after it was read for a result.

        Generated files are ignored, because this run may replace them with new outputs.
        """
        for path, old_digest in reads.items():
            is_generated = self.project.generating_modular(path) is not None
            if is_generated:
                continue
            if self.fingerprints.digest_below_root(path) != old_digest:
                return False
        return True

    def _find_current_result(self, modular: str) -> Result | None:
        """Return the newest result of a model that read only unchanged files, or None.

        The answer is kept until the model gets another result, or such a file changes.
        """
        if modular not in self._current_results:
            results = self._all_results(modular)
            current = next(filter(self._is_current, results), None)
            if current is not None:
                self._protect_from_dropping(modular, current)
            self._current_results[modular] = current
        return self._current_results[modular]

    def _protect_from_dropping(self, modular: str, result: Result) -> None:
        """Make a cached result of a model its newest one if it would be dropped next.

        The cache keeps `MAX_RESULTS` results for each model, and drops the oldest one.
        While a parent is edited again and again, this is the result of the last commit,
        which is needed to say what the next edit changes.
        """
        if self._cache is None or not self._stores_results:
            return
        results = self._cached_results[modular]
        is_dropped_next = len(results) == MAX_RESULTS and result is results[-1]
        if is_dropped_next:
            self._cache.update(self._cache_key(modular), result)
            self._cached_results[modular] = [result, *results[:-1]]

    def _is_current(self, result: Result) -> bool:
        """Return whether everything that a result was made from is unchanged."""
        for path, state in result.reads.items():
            if self._read_state(path) != state:
                return False
        # The formatter sorts an import by whether the project has its module. `modules`
        # has the suffix of each module: `.py`, `.pyi`, empty for a folder, or None if the
        # project does not have the module.
        config = self.fingerprints.inputs.formatter_config
        for stem, suffix in result.modules.items():
            if config.module_suffix(stem) != suffix:
                return False
        return True

    def _read_state(self, path: str) -> str | None:
        """Return the digest of a file as conversions read it; None if it does not exist.

        For a generated file, ` generated` is added to the digest, because a conversion
        can have another result if the same file is hand-written.
        """
        # Conversions read a new output instead of the stale file on disk.
        file_digest = self.regenerated_digests.get(path)
        if file_digest is None:
            file_digest = self.fingerprints.digest_below_root(path)
        if file_digest is None:
            return None
        # Conversions look for a generated parent file in another folder first. A new
        # modular file can therefore change the results of other models.
        is_generated = self.project.generating_modular(path) is not None
        return f"{file_digest} generated" if is_generated else file_digest

    def _update_regenerated(self) -> bool:
        """Let conversions read the outputs of this run instead of stale files on disk.

        Returns:
            Whether there are other outputs than at the last call.
        """
        regenerated_digests = {}
        regenerated_texts = {}
        for result in self.results.values():
            for path, output_digest in result.outputs.items():
                if self.fingerprints.digest_below_root(path) != output_digest:
                    regenerated_digests[path] = output_digest
                    regenerated_texts[path] = result.texts[path]
        if regenerated_digests == self.regenerated_digests:
            return False
        changes = regenerated_digests.items() ^ self.regenerated_digests.items()
        self._forget_readers({path for path, _ in changes})
        self.regenerated_digests = regenerated_digests
        # The next conversions read these texts.
        self.batches.regenerated = regenerated_texts
        return True

    def _forget_readers(self, changed_paths: AbstractSet[str]) -> None:
        """Let the models that read some files be checked again for a current result."""
        for modular in [*self._current_results]:
            for result in self._all_results(modular):
                if not result.reads.keys().isdisjoint(changed_paths):
                    self._current_results.pop(modular, None)

    def _select_ready(self, pending: AbstractSet[str]) -> list[str]:
        """Return the pending models that can be converted now.

        A model that is probably stale waits for its pending ancestors, because it reads
        their outputs. Any other model is ready: its ancestors are probably up to date, too,
        so it can read their files on disk.
        """
        ready = []
        for modular in sorted(pending):
            if not self._is_probably_stale(modular):
                ready.append(modular)
                continue
            parents = self._modulars_of_parents(modular)
            ancestors = walk(parents, self._modulars_of_parents)
            has_pending_ancestor = not pending.isdisjoint(ancestors)
            if not has_pending_ancestor:
                ready.append(modular)
        # In a cycle, each model would wait for another one for ever.
        return ready or sorted(pending)

    def _is_probably_stale(self, modular: str) -> bool:
        """Return whether the files that a pending model generates are probably stale.

        A pending model has no current result. If it has an older one, something that it
        reads has changed since, so the answer is yes. It is also yes if its modular file
        has an unsaved change. A model that was never converted on this machine is
        probably up to date, as it was committed.
        """
        has_older_result = self._last_result(modular) is not None
        return has_older_result or self.fingerprints.has_unsaved_change(modular)

    def _convert(self, modulars: Sequence[str], pending_count: int) -> None:
        """Convert and format models, and store their results.

        To save memory, results have only the texts of the output files, and not the files
        with the origin of each line. If `keeps_files` is set, stale models keep their files,
        from which the causes of changes are found later.

        Args:
            modulars: The modular files.
            pending_count: Number of models that this run still has to convert. Worker
                processes are started only for many.
        """
        models_keeping_files: list[str] = []
        if self.keeps_files:
            models_keeping_files += filter(self._is_probably_stale, modulars)
        conversions = self.batches.convert(
            modulars, pending_count, models_keeping_files
        )
        formatted = self.batches.format(conversions)
        results = [
            self._make_result(conversion, formatted) for conversion in conversions
        ]
        self._keep(results)

    def keep_origins(self, modular: str, origins: str) -> None:
        """Keep the origins of a model's lines in its result, here and in the cache.

        Origins are found from the output files of a conversion, and found only when
        somebody asks for them. The output files are then no longer needed, and dropped.

        Args:
            modular: A modular file whose result is current.
            origins: The origins, as `modular.provenance.origin_runs` encodes them.
        """
        result = replace(self.results[modular], origins=origins, files=())
        self._set_result(result)
        if self._cache is not None and self._is_storable(result):
            self._cache.update(self._cache_key(modular), result)

    def _keep(self, results: Sequence[Result]) -> None:
        """Keep results for this run, and for later runs in the cache."""
        storable = {}
        for result in results:
            self._set_result(result)
            if self._cache is not None and self._is_storable(result):
                storable[self._cache_key(result.modular)] = result
        # `store` also looks for old entries to delete, which takes long.
        if self._cache is not None and storable:
            self._cache.store(storable)

    def _is_storable(self, result: Result) -> bool:
        """Return whether a result may be stored in the cache.

        A result with errors is not stored. Neither is a result whose inputs changed
        during this run, because it may belong to their old or to their new content.
        """
        if not self._stores_results or result.failed:
            return False
        return self.fingerprints.are_settled(result.modular, result.reads)

    def _make_result(self, conversion: Conversion, formatted: Formatted) -> Result:
        """Combine a conversion with the formatted texts of its files to a result.

        The result of a model with errors has no texts.
        """
        diagnostics = self._diagnose(conversion, formatted)
        texts = {}
        # The suffix, such as `.py`, of each module that import sorting looked up.
        modules: dict[str, str | None] = {}
        if not prevents_conversion(diagnostics):
            for path in conversion.texts:
                texts[path] = formatted.texts[path]
                modules.update(formatted.modules.get(path, {}))
        return Result(
            modular=conversion.modular,
            texts=texts,
            reads={path: self._read_state(path) for path in conversion.reads},
            diagnostics=tuple(diagnostics),
            source_lines=conversion.source_lines,
            modules=modules,
            files=conversion.files,
        )

    def _diagnose(
        self, conversion: Conversion, formatted: Formatted
    ) -> Sequence[Diagnostic]:
        """Return the diagnostics of a conversion, and of the formatter about its files.

        The formatter complains about syntax errors and undefined names. Lint rules report
        each complaint at the code that causes it, and find this code with the help of
        the flattened classes.
        """
        # Both `complaints` and `texts` have the paths of generated files.
        if formatted.complaints.isdisjoint(conversion.texts):
            return conversion.diagnostics
        converter = self.batches.local_converter()
        if conversion.flattened is None:
            # Workers do not send the flattened classes, which are large. Complaints are
            # rare, so the model is simply converted again.
            conversion = converter.convert(conversion.modular)
        return converter.diagnose(conversion, formatted)

    def _refuse_cycles(self) -> bool:
        """Replace the results of models that inherit from each other with errors.

        Conversions themselves do not fail in a cycle of `a` and `b` if an earlier run has
        written the files of both: each of them reads the old file of the other.
        The cycle would then appear only in a checkout without these files.

        Returns:
            Whether there was a cycle.
        """
        cycle = self._find_cycle()
        has_cycle = bool(cycle)
        while cycle:
            converter = self.batches.local_converter()
            # In `a b a`, `a` imports `b`, and `b` imports `a`.
            for modular, parent in pairwise(cycle):
                place = converter.place_of_import(modular, parent)
                problem = cycle_problem(cycle, place)
                # The new result has read no files, so this cycle is not found again.
                self._set_result(Result(modular, diagnostics=(problem,)))
            cycle = self._find_cycle()
        return has_cycle

    def _find_cycle(self) -> list[str]:
        """Return a cycle of models that inherit from each other; empty without a cycle.

        The cycle starts and ends with the same model: `a b a`.
        """
        modulars = sorted(self.results)
        # Models that inherit from each other also read each other's files. If no models
        # do, the slow search for parents is not needed.
        read_modulars = {modular: self._read_modulars(modular) for modular in modulars}
        if not find_cycle(read_modulars):
            return []
        parents = {modular: self._converted_parents(modular) for modular in modulars}
        return find_cycle(parents)

    def _read_modulars(self, modular: str) -> list[str]:
        """Return the other modular files of this run whose outputs a model read."""
        return sorted(self._modulars_of_parents(modular) & self.results.keys())

    def _converted_parents(self, modular: str) -> list[str]:
        """Return the modular files of this run that generate parents of a model."""
        parents = set()
        parent_files = self.fingerprints.inputs.parent_files(modular)
        # `reads` also has files that are no parent files, but are read by lint rules.
        paths_read = set(parent_files).intersection(self.results[modular].reads)
        for path in paths_read:
            parent = self.project.generating_modular(path)
            if parent is None or parent == modular or parent not in self.results:
                continue
            parent_result = self.results[parent]
            is_output = path in parent_result.outputs
            # If two new models inherit from each other, both fail, because each needs a
            # file that the other would generate.
            may_be_output = parent_result.failed and self._read_state(path) is None
            if is_output or may_be_output:
                parents.add(parent)
        return sorted(parents)


def find_cycle(graph: Mapping[str, Iterable[str]]) -> list[str]:
    """Return a cycle of a graph.

    Args:
        graph: For each model the models that it inherits from.

    Returns:
        The models of a cycle, each followed by a model that it inherits from. The cycle
        starts and ends with its alphabetically first model: `a b c a`. Empty without a
        cycle.
    """
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        # The error lists parents before children, and the first model again at the end.
        # It has `b a c b` if `a` inherits from `b`, `b` from `c`, and `c` from `a`.
        cycle: list[str] = error.args[1][:-1]
        cycle.reverse()  # children before parents
        start = cycle.index(min(cycle))
        cycle = cycle[start:] + cycle[:start]
        return [*cycle, cycle[0]]
    return []


def cycle_problem(cycle: Sequence[str], place: Place) -> Diagnostic:
    """Return the diagnostic of modular files that inherit from each other in a cycle.

    Args:
        cycle: The modular files of the cycle; the first one is repeated at the end.
        place: The import of the next model in one of these files.
    """
    return Diagnostic(
        code=Problem.DEPENDENCY_CYCLE,
        place=place,
        message=f"modular files inherit from each other in a cycle: "
        f"{' -> '.join(cycle)}",
        hint="let one of them inherit from a hand-written file",
    )
