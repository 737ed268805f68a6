"""What `modular infer` calls: the modular files of models that are flat, proved. Nothing here prints."""

import gc
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

from modular.cache import result_cache
from modular.conversion.converter import Converter
from modular.infer.index import Index, ParentModels, folders_of, read_index
from modular.infer.relations import Relations, behind, in_order, left_out, read_relations
from modular.infer.solve import Inference, solve
from modular.infer.targets import Target, find_targets
from modular.project.project import Project, model_name
from modular.run.api import Options
from modular.run.pool import Pool, can_copy_processes
from modular.run.selection import select
from modular.run.writing import write_alone
from modular.source.diagnostics import Diagnostic, Place, Problem, did_you_mean, has_errors, internal_error
from modular.source.loading import LARGEST, decode, load
from modular.source.system.machine import available_processors, collect_rarely
from modular.source.system.reading import read_bytes
from modular.source.system.ruff import FormatterError


_IMPORT = re.compile(r"^[ \t]*from[ \t]+(\.+[\w.]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)", re.MULTILINE)
_WORD = re.compile(r"\w+")
_BEGINNING = 2000
"""Signs of a file in which its year is looked for."""

_MODELS_TOGETHER = 8
"""Models for which the same parent files are kept: of more they would fill the memory."""

_FEW = 20
"""So many flat files are looked for in the text of each other file before its imports are read."""


@dataclass(frozen=True)
class Parents:
    """Which models may be parents: only some, or all but some; names of models, or of their folders."""

    only: tuple[str, ...] = ()
    none_of: tuple[str, ...] = ()


@dataclass(frozen=True)
class InferReport:
    """What was inferred, sorted by path, and the ``problems`` with targets. ``written`` are the modular files on disk."""

    project: Project
    inferences: tuple[Inference, ...]
    problems: tuple[Diagnostic, ...] = ()
    written: tuple[str, ...] = ()

    @property
    def root(self) -> Path:
        """The project's root."""
        return self.project.root

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What is wrong with targets, and with the files of models."""
        return (*self.problems, *(each for one in self.inferences for each in one.diagnostics))

    @property
    def has_errors(self) -> bool:
        """Whether a target is none, or a model could not be read or written."""
        return has_errors(self.diagnostics)


def infer(
    targets: Sequence[str],
    *,
    write: bool = False,
    force: bool = False,
    together: bool = True,
    parents: Parents = Parents(),
    options: Options = Options(),
) -> InferReport:
    """Infer the modular files of models, of folders or of flat files, and write them if asked.

    All that are asked for ``together`` may be written together; otherwise each is as if it were asked for alone, and two
    may take from each other. A modular file that is there is written over with ``force`` only. Raises `settings.SettingsError` and
    `formatting.FormatterError`.
    """
    project = options.open()
    found, problems = find_targets(project, targets)
    run = _Run(project, found, parents, options, together=together)
    problems += run.unknown()
    inferences = run.inferences() if not problems else []
    report = InferReport(project, tuple(inferences), tuple(problems))
    return _written(report, force) if write else report


def improve(
    targets: Sequence[str] = (),
    *,
    write: bool = False,
    parents: Parents = Parents(),
    options: Options = Options(),
) -> InferReport:
    """Rewrite modular files with less in them: what could be inherited and is not, is. Those that save most come first.

    Targets are those of `api.convert`: none are all models. Raises what `infer` raises.
    """
    project = options.open()
    selection = select(project, targets)
    found = [Target(model_name(path), str(PurePosixPath(path).parent)) for path in selection.modulars]
    run = _Run(project, found, parents, options, improving=True)
    problems = [*selection.problems, *run.unknown()]
    found_all = sorted(run.inferences(), key=lambda each: -each.saved) if not problems else []
    report = InferReport(project, tuple(found_all), tuple(problems))
    return _written(report, force=True) if write else report


class _Run:
    """One run over some models. What all of them share is read once."""

    def __init__(
        self,
        project: Project,
        targets: Sequence[Target],
        parents: Parents,
        options: Options,
        *,
        improving: bool = False,
        together: bool = False,
    ) -> None:
        self.project = project
        self.together = together
        self.improving = improving
        self.targets = targets
        self.parents = parents
        self.options = options
        self._converted = 0

    @cached_property
    def index(self) -> Index:
        """All that can be inherited from."""
        cache = result_cache.folder() if self.options.cache else None
        return read_index(self.project, cache, self.options.source_library)

    def _next_converter(self) -> Converter:
        """Return what converts the drafts of some models in this process, so that parent files are scanned once for them."""
        if self._converted % _MODELS_TOGETHER == 0:
            collect_rarely()
            self._converter = Converter(self.project, {})
            if self._converted:
                gc.collect()  # those that were scanned before
        self._converted += 1
        return self._converter

    @cached_property
    def relations(self) -> Relations:
        """Who takes what from whom already."""
        return read_relations(self.project, self.options.source_library)

    @cached_property
    def order(self) -> list[str]:
        """The folders of the models that are asked for: each may take from those before it."""
        return in_order({target.folder: self._heading(target) for target in self.targets}, self.relations)

    @cached_property
    def _precedence(self) -> Mapping[str, tuple[int, str, str]]:
        years: dict[str, str] = {}
        for file in self.index.files:
            years[file.folder] = min(file.year, years.get(file.folder, file.year))
        return self.relations.precedence(years)

    def unknown(self) -> list[Diagnostic]:
        """Report models that options name and the project does not have."""
        wanted = [*self.parents.only, *self.parents.none_of]
        if not wanted or not self.targets:
            return []
        known = {PurePosixPath(file.folder).name for file in self.index.files}
        message, hint = "no such model to inherit from", "check the name"
        return [
            Diagnostic(Problem.NOT_FOUND, Place(name), message, did_you_mean(name, known) or hint)
            for name in wanted
            if name not in known
        ]

    def _heading(self, target: Target) -> str:
        """The beginning of a model's first file."""
        path = target.paths[0] if target.paths else target.modular
        return load(self.project.locate(path), path).text[:_BEGINNING]

    def inferences(self) -> list[Inference]:
        """Infer all, in several processes where there is enough to do."""
        _ = self._precedence, self.order, self._imports  # read here, so that forked processes share them
        jobs = min(self.options.jobs or available_processors(), len(self.targets))
        done = []
        for number, each in enumerate(self._results(jobs), start=1):
            done.append(each)
            if self.options.progress is not None:
                self.options.progress(number, len(self.targets))
        return sorted(done, key=lambda each: each.modular)

    def _results(self, jobs: int) -> Iterator[Inference]:
        if jobs < 2 or not can_copy_processes():
            yield from map(self.one, range(len(self.targets)))
            return
        with closing(Pool(jobs, _same, self)) as pool:
            for number, inferences in pool.run(_Run.one, range(len(self.targets))):
                yield from inferences or [_died(self.targets[number])]

    def one(self, number: int) -> Inference:
        """Infer the modular file of one model."""
        target = self.targets[number]
        later = behind(target.folder, self.order) if self.together else ()
        excluded = left_out(target.folder, later, self.relations)
        excluded |= folders_of(self.index, self.project.settings.infer_leave_out - set(self.parents.only))
        for file in self.index.files:
            name = PurePosixPath(file.folder).name
            if (self.parents.only and name not in self.parents.only) or name in self.parents.none_of:
                excluded.add(file.folder)
        models = ParentModels(self.index, excluded, self.relations.uses(excluded), self._precedence)
        try:
            if self.improving:
                from modular.infer.improve import improve_one  # which takes a while to load

                return improve_one(self.project, target, models)
            return solve(self._next_converter(), target, models, self._imported(target))
        except FormatterError:
            raise
        except Exception as error:
            problem = internal_error(error, target.modular)
            return Inference(target.model, target.modular, diagnostics=(problem,))

    def _imported(self, target: Target) -> dict[str, set[str]]:
        """What other files of the project import from the flat files of a model."""
        stems = {PurePosixPath(path).stem: path for path in target.paths}
        found: dict[str, set[str]] = {path: set() for path in target.paths}
        for each, names in self._imports:
            path = stems.get(each)
            if path is not None:
                found[path].update(names)
        return found

    @cached_property
    def _imports(self) -> list[tuple[str, list[str]]]:
        """The relative imports between the project's files: the last part of the module, and the names."""
        found = []
        stems = {PurePosixPath(path).stem for target in self.targets for path in target.paths}
        wanted = [stem.encode() for stem in stems] if len(stems) <= _FEW else [b""]
        for folder in self.project.models_folders:
            for place in _python_files(self.project.root / folder):
                with suppress(OSError):
                    data = read_bytes(place, LARGEST)
                    texts = [decode(data, place.name).text] if any(each in data for each in wanted) else []
                    imports = (each for text in texts for each in _IMPORT.findall(text))
                    found += [(module.rpartition(".")[2], _WORD.findall(names)) for module, names in imports]
        return found


def _python_files(folder: Path) -> Iterator[Path]:
    """The Python files in the folders below a folder, sorted."""
    with suppress(OSError):
        for each in sorted(os.listdir(folder)):
            with suppress(OSError):
                names = sorted(os.listdir(folder / each))
                yield from (folder / each / name for name in names if name.endswith(".py"))


def _same(run: _Run) -> _Run:
    """What the processes of a run begin with: they are copies of this one."""
    return run


def _died(target: Target) -> Inference:
    message, hint = (
        "the process that inferred this file was killed",
        "run again with `--jobs 1`; is there enough memory?",
    )
    problem = Diagnostic(Problem.INTERNAL, Place(target.modular), message, hint)
    return Inference(target.model, target.modular, diagnostics=(problem,))


def _written(report: InferReport, force: bool) -> InferReport:
    """Write the modular files of a report; one that is there already is an error without ``force``."""
    texts: dict[str, dict[str, str]] = {}
    problems = list(report.problems)
    for inference in report.inferences:
        if not inference.text:
            continue
        if (report.project.root / inference.modular).exists() and not force:
            message, hint = "the modular file already exists", "pass `--force` to overwrite it"
            problems.append(Diagnostic(Problem.CANNOT_WRITE, Place(inference.modular), message, hint))
        elif report.project.leads_out(inference.modular):
            message, hint = "the file leads out of the project's root", "remove the link"
            problems.append(Diagnostic(Problem.OUTSIDE_ROOT, Place(inference.modular), message, hint))
        else:
            texts[inference.modular] = {inference.modular: inference.text}
    failed = write_alone(report.project.root, texts)
    problems += dict.fromkeys(failed.values())
    written = tuple(path for path in texts if path not in failed)
    return InferReport(report.project, report.inferences, tuple(problems), written)
