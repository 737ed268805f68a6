"""`modular infer`: infers or shortens the modular files of models, and writes them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePosixPath

from modular.infer.ages import ModelAges
from modular.infer.index import FragmentIndex, ParentModels, read_index
from modular.infer.inference import Inference
from modular.infer.relations import (
    NO_YEAR,
    Relations,
    imported_names,
    read_relations,
)
from modular.infer.solve import infer_model
from modular.infer.targets import InferTarget, find_targets
from modular.project.project import Project, model_name
from modular.run.api import Options
from modular.run.pool import Pool, can_copy_processes
from modular.run.report import join_parent_problems
from modular.run.selection import as_targets, select
from modular.run.writing import replace_handwritten, write_alone
from modular.source.diagnostics import (
    Diagnostic,
    Place,
    Problem,
    has_errors,
    internal_error,
    killed,
)
from modular.system.cache_folder import cache_folder
from modular.system.machine import available_processors
from modular.system.reading import read_bytes
from modular.system.ruff import FormatterError
from modular.system.writing import NewFile


_MAX_EXISTING_BYTES = 50_000_000
"""The largest file that `--force` replaces."""


@dataclass(frozen=True)
class InferReport:
    """The results of `infer_modular` or `improve`.

    Attributes:
        project: The project.
        inferences: The result for each model: sorted by path or, of `improve`, those
            that save most lines first.
        problems: Problems of targets, and of writing.
        written: The paths of the modular files that were written.
    """

    project: Project
    inferences: tuple[Inference, ...]
    problems: tuple[Diagnostic, ...] = ()
    written: tuple[str, ...] = ()

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All problems, those of models included."""
        diagnostics = list(self.problems)
        for inference in self.inferences:
            diagnostics += inference.diagnostics
        return tuple(diagnostics)

    @property
    def has_errors(self) -> bool:
        """Whether there are errors."""
        return has_errors(self.diagnostics)

    def __str__(self) -> str:
        """Return the diagnostics, and the text or diff and the summary of each model."""
        texts = [str(problem) for problem in join_parent_problems(self.diagnostics)]
        for inference in self.inferences:
            result = inference.diff or inference.text
            summary = "\n".join(inference.summary())
            texts.append(result + summary)
        return "\n".join(texts)


def infer_modular(
    targets: str | Sequence[str],
    *,
    write: bool = False,
    force: bool = False,
    parents: Sequence[str] = (),
    options: Options = Options(),
) -> InferReport:
    """Infer the modular files of models whose files are complete.

    Args:
        targets: Names of models, folders or complete model files.
        write: Whether to write the modular files.
        force: Whether to overwrite existing modular files.
        parents: If not empty, only these models may be parents. This overrides the
            setting `leave-out`.
        options: The options of the run.

    Returns:
        One inference for each model, and an error for each unknown target.

    Raises:
        modular.settings.settings.SettingsError: The settings are wrong.
        modular.system.ruff.FormatterError: The formatter cannot be run.
    """
    project = options.open()
    models, problems = find_targets(project, as_targets(targets))
    # `force` overwrites only these texts. If somebody saves a modular file while this
    # function runs, it is not overwritten.
    existing = {}
    for model in models:
        existing[model.modular] = _read_existing(project, model.modular)
    run = _Run(project, models, parents, options)
    report = run.make_report(problems)
    return _write(report, existing, force=force) if write else report


def improve(
    targets: str | Sequence[str] = (),
    *,
    write: bool = False,
    parents: Sequence[str] = (),
    options: Options = Options(),
) -> InferReport:
    """Shorten existing modular files by what they could inherit.

    Args:
        targets: Names of models, modular files or folders; none selects all models.
        write: Whether to write the modular files.
        parents: If not empty, only these models may be parents. This overrides the
            setting `leave-out`.
        options: The options of the run.

    Raises:
        modular.settings.settings.SettingsError: The settings are wrong.
        modular.system.ruff.FormatterError: The formatter cannot be run.
    """
    project = options.open()
    selection = select(project, as_targets(targets))
    models = [
        InferTarget(model_name(path), str(PurePosixPath(path).parent))
        for path in selection.modulars
    ]
    run = _Run(project, models, parents, options, is_improving=True)
    report = run.make_report(selection.problems)
    return _write(report, {}) if write else report


@dataclass
class _Run:
    """Infers or improves several models.

    The index and the relations are read once: see `_read_before_forking`.

    Attributes:
        project: The project.
        targets: The models.
        allowed_parents: If not empty, only these models may be parents.
        options: The options of the run.
        is_improving: Whether existing modular files are shortened.
    """

    project: Project
    targets: Sequence[InferTarget]
    allowed_parents: Sequence[str]
    options: Options
    is_improving: bool = False

    @cached_property
    def index(self) -> FragmentIndex:
        """The index of all possible parents."""
        folder = cache_folder() if self.options.cache else None
        return read_index(self.project, folder, self.options.source_library)

    @cached_property
    def relations(self) -> Relations:
        """Which models inherit from which."""
        return read_relations(self.project, self.options.source_library)

    @cached_property
    def ages(self) -> ModelAges:
        """Which models are older than others."""
        return ModelAges(self.index)

    @cached_property
    def folder_order(self) -> list[str]:
        """The folders of the models that are inferred together, the best parents first.

        Those from which most models inherit come first, then those of earlier years. A
        model may only begin to inherit from models before it in this order.
        """
        child_counts = self.relations.count_children(excluded=())

        def sort_key(folder: str) -> tuple[int, str, str]:
            """Return a key that is lowest for the folder that comes first."""
            year = self.index.years.get(folder, NO_YEAR)
            return -child_counts[folder], year, folder

        homes = {self.project.model_home(target.modular) for target in self.targets}
        return sorted(homes, key=sort_key)

    def make_report(self, problems: Iterable[Diagnostic]) -> InferReport:
        """Infer all models, unless there are problems with targets or options.

        Improved models come in the order of the lines that they save, and inferred
        models in the order of their paths.
        """
        problems = list(problems)
        # Without targets, nothing is inferred. So the index need not be read.
        if self.allowed_parents and self.targets:
            problems += self.index.report_unknown(self.allowed_parents)
        if problems:
            return InferReport(self.project, (), tuple(problems))
        inferences = self._infer_all()
        if self.is_improving:
            inferences.sort(key=lambda inference: -inference.saved_lines)
        return InferReport(self.project, tuple(inferences))

    def _infer_all(self) -> list[Inference]:
        """Infer all models, in several processes if there are several models."""
        jobs = min(self.options.jobs or available_processors(), len(self.targets))
        inferences = []
        for inference in self._infer_each(jobs):
            inferences.append(inference)
            if self.options.progress is not None:
                self.options.progress(
                    "inferring models", len(inferences), len(self.targets)
                )
        return sorted(inferences, key=lambda inference: inference.modular)

    def _read_before_forking(self) -> None:
        """Read what all models need, so that each worker process need not read it again.

        These are the index, the relations, and the names that model files import. They
        are kept in this process, of which a worker process is a copy.
        """
        _ = self.index
        _ = self.relations
        # Only the inference of a new modular file depends on imports of other files.
        if not self.is_improving:
            imported_names(self.project)

    def _infer_each(self, jobs: int) -> Iterator[Inference]:
        """Yield the result of each model as soon as it is there.

        Args:
            jobs: The number of worker processes. If it is less than 2, this process
                does the work.
        """
        if jobs < 2 or not can_copy_processes():
            yield from map(self.infer_one, self.targets)
            return
        self._read_before_forking()
        with closing(Pool(jobs, _get_run, self)) as pool:
            for target, outputs in pool.run(_Run.infer_one, self.targets):
                if outputs:
                    yield outputs[0]
                else:
                    # The worker was killed, for example for want of memory.
                    yield _failed(target, killed(target.modular, "inferred"))

    def infer_one(self, target: InferTarget) -> Inference:
        """Infer or shorten the modular file of one model.

        An unexpected exception becomes the result of this model, so that the others are
        still inferred.
        """
        try:
            models = self._parent_models(target)
            if self.is_improving:
                # This import takes a while.
                from modular.infer.improve import improve_model

                return improve_model(self.project, target, models)
            return infer_model(self.project, target, models)
        except FormatterError:
            # Without the formatter, no model can be inferred.
            raise
        except Exception as error:
            return _failed(target, internal_error(error, target.modular))

    def _parent_models(self, target: InferTarget) -> ParentModels:
        """Return the models that one of the models may inherit from.

        These are only the parents that the user has named, or else all models but those
        that the settings leave out, and younger ones, which may be copies of it. In both
        cases, it may not inherit from itself or from models that inherit from it.
        """
        excluded_folders = self._find_possible_dependents(target)
        if self.allowed_parents:
            all_folders = {file.folder for file in self.index.files}
            allowed_folders = self.index.folders_of(self.allowed_parents)
            excluded_folders |= all_folders - allowed_folders
        else:
            left_out = self.project.settings.infer_leave_out
            excluded_folders |= self.index.folders_of(left_out)
            excluded_folders |= self.ages.younger_than(target.folder)
        return ParentModels(self.index, self.relations, excluded_folders, target.folder)

    def _find_possible_dependents(self, target: InferTarget) -> set[str]:
        """Return the folders of the models from which a model must not inherit.

        These are the model itself, and models that inherit from it or may begin to:
        inheriting from them could close a cycle. If A, B and C are inferred together, in
        this order, each may inherit from those before it. So for B, the result is B, C,
        and all models that inherit from B or C already.
        """
        home = self.project.model_home(target.modular)
        position = self.folder_order.index(home)
        later_folders = self.folder_order[position + 1 :]
        return self.relations.with_dependents([home, *later_folders])


def _get_run(run: _Run) -> _Run:
    """Return the run, which a worker process uses as its state."""
    return run


def _failed(target: InferTarget, problem: Diagnostic) -> Inference:
    """Return the result of a model that could not be inferred."""
    return Inference(target.model, target.modular, diagnostics=(problem,))


def _write(
    report: InferReport,
    existing: Mapping[str, bytes | None],
    *,
    force: bool = False,
) -> InferReport:
    """Write the modular files of a report.

    An inference is either a new modular file for a model that has none, or the shorter
    text of an existing one, which it replaces. A new file that would overwrite an
    existing one is not written unless the user said so. No text replaces a file that has
    changed meanwhile.

    Args:
        report: The report with the inferences. Each has the text of one modular file.
        existing: The content of each modular file before its inference; None if there
            was no file.
        force: Whether to overwrite existing files with inferred ones.

    Returns:
        The report with the paths of the written files and the problems of the others.
    """
    # The files of a group are written together or not at all. Here each file is a group
    # of its own, named by its path: if it cannot be written, the others still are.
    files_by_group = {}
    problems = list(report.problems)
    for inference in report.inferences:
        path = inference.modular
        if not inference.text:
            continue
        # The source is the old text of an existing modular file.
        is_improved = inference.source is not None
        if not (is_improved or force) and (report.project.root / path).exists():
            problems.append(
                Diagnostic(
                    Problem.CANNOT_WRITE,
                    Place(path),
                    message="the modular file already exists",
                    hint="pass `--force` to overwrite it",
                )
            )
            continue

        new_text = inference.new_source or inference.text
        if is_improved:
            new_file = replace_handwritten(inference.source, new_text)
        else:
            new_file = NewFile(new_text.encode(), expected=existing[path])
        files_by_group[path] = {path: new_file}

    failures = write_alone(report.project.root, files_by_group)
    # Several files can fail for the same reason, which is reported once.
    problems += dict.fromkeys(failures.values())
    written = tuple(path for path in files_by_group if path not in failures)
    return replace(report, problems=tuple(problems), written=written)


def _read_existing(project: Project, path: str) -> bytes | None:
    """Return the content of a file, or None if there is no file that can be read."""
    with suppress(OSError):
        return read_bytes(project.root / path, _MAX_EXISTING_BYTES)
    return None
