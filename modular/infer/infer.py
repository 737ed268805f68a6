"""What `modular infer` calls: the modular files of models that are flat, proved. Nothing here prints."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from io import StringIO
from pathlib import PurePosixPath

from modular.cache import result_cache
from modular.infer.files import InferTarget, find_targets
from modular.infer.index import FragmentIndex, ParentModels, read_index
from modular.infer.relations import NO_YEAR, Relations, imported_names, read_relations
from modular.infer.solve import Inference, solve
from modular.project.project import Project, model_name
from modular.run.api import Options
from modular.run.pool import Pool, can_copy_processes
from modular.run.report import join_parent_problems
from modular.run.selection import as_targets, select
from modular.run.writing import write_alone
from modular.source.diagnostics import (
    Diagnostic,
    Place,
    Problem,
    has_errors,
    internal_error,
    killed,
    render,
)
from modular.source.diffs import matching_blocks
from modular.system.machine import available_processors
from modular.system.ruff import FormatterError
from modular.system.terminal import counted


@dataclass(frozen=True)
class AllowedParents:
    """Which models may be parents: only some, or all but some; names of models, or of their folders."""

    only: tuple[str, ...] = ()
    none_of: tuple[str, ...] = ()


_CYCLE = "its new parent would inherit from it as well: nothing is changed"


@dataclass(frozen=True)
class InferReport:
    """What was inferred, sorted by path, and the ``problems`` with targets. ``written`` are the modular files on disk."""

    project: Project
    inferences: tuple[Inference, ...]
    problems: tuple[Diagnostic, ...] = ()
    written: tuple[str, ...] = ()

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What is wrong with targets, and with the files of models."""
        return (
            *self.problems,
            *(
                problem
                for inference in self.inferences
                for problem in inference.diagnostics
            ),
        )

    @property
    def has_errors(self) -> bool:
        """Whether a target is none, or a model could not be read or written."""
        return has_errors(self.diagnostics)

    def __str__(self) -> str:
        """What a terminal shows of it: what is wrong, and each modular file with what is said of it."""
        texts = (
            (inference.diff or inference.text) + "\n".join(inference.summary())
            for inference in self.inferences
        )
        return render(join_parent_problems(self.diagnostics)) + "\n".join(texts)


def infer_modular(
    targets: str | Sequence[str],
    *,
    write: bool = False,
    force: bool = False,
    together: bool = True,
    parents: AllowedParents = AllowedParents(),
    options: Options = Options(),
) -> InferReport:
    """Infer the modular files of models, of folders or of flat files, and write them if asked.

    All that are asked for ``together`` may be written together; otherwise each is as if it were asked for alone, and two
    may take from each other. A modular file that is there is written over with ``force`` only. Raises `settings.SettingsError` and
    `formatting.FormatterError`.
    """
    project = options.open()
    models, problems = find_targets(project, as_targets(targets))
    report = _Run(project, models, parents, options, together=together).report(problems)
    return _written(report, force) if write else report


def improve(
    targets: str | Sequence[str] = (),
    *,
    write: bool = False,
    drop_comments: bool = False,
    parents: AllowedParents = AllowedParents(),
    options: Options = Options(),
) -> InferReport:
    """Rewrite modular files with less in them: what could be inherited and is not, is. Those that save most come first.

    Targets are those of `api.convert`: none are all models. A file that would lose comments is only written if the caller
    lets it ``drop_comments``. Raises what `infer` raises.
    """
    project = options.open()
    selection = select(project, as_targets(targets))
    models = [
        InferTarget(model_name(path), str(PurePosixPath(path).parent))
        for path in selection.modulars
    ]
    report = _Run(project, models, parents, options, improving=True).report(
        selection.problems
    )
    return _write_improved(report, drop_comments=drop_comments) if write else report


@dataclass
class _Run:
    """One run over some models. What all of them share is read once."""

    project: Project
    targets: Sequence[InferTarget]
    parents: AllowedParents
    options: Options
    improving: bool = False
    together: bool = False

    @cached_property
    def index(self) -> FragmentIndex:
        """All that can be inherited from."""
        cache = result_cache.folder() if self.options.cache else None
        return read_index(self.project, cache, self.options.source_library)

    @cached_property
    def relations(self) -> Relations:
        """Who takes what from whom already."""
        return read_relations(self.project, self.options.source_library)

    @cached_property
    def precedence(self) -> Mapping[str, tuple[int, str, str]]:
        """Of parents that save as much, which folder counts: the lower one."""
        return self.relations.precedence(self.index.years)

    @cached_property
    def order(self) -> list[str]:
        """The folders of the models that are asked for: each may take from those before it."""
        uses, years = self.relations.uses(()), self.index.years
        folders = {target.folder for target in self.targets}
        return sorted(
            folders,
            key=lambda folder: (-uses[folder], years.get(folder, NO_YEAR), folder),
        )

    def report(self, problems: Iterable[Diagnostic]) -> InferReport:
        """Infer all, unless there are problems with targets, or options name models that the project does not have."""
        named = (*self.parents.only, *self.parents.none_of)
        problems = (
            *problems,
            *(self.index.unknown(named) if named and self.targets else ()),
        )
        inferences = self._inferences() if not problems else []
        if self.improving:
            inferences = list(
                self._without_cycles(
                    sorted(inferences, key=lambda inference: -inference.saved)
                )
            )
        return InferReport(self.project, tuple(inferences), problems)

    def _without_cycles(self, inferences: Iterable[Inference]) -> Iterator[Inference]:
        """Take back what would let models inherit from each other in a cycle, with all that comes before it."""
        parents = dict(self.relations.parents)
        for inference in inferences:
            folder = self.project.output_folder(inference.modular)
            named = {
                class_.parent[0].rpartition("/")[0]
                for class_ in inference.classes
                if class_.parent is not None
            }
            known = parents.get(folder, frozenset()) | {folder}
            if Relations(parents).with_dependents([folder]).isdisjoint(named - known):
                parents[folder] = known | named
                yield inference
            else:
                yield Inference(inference.model, inference.modular, remark=_CYCLE)

    def _inferences(self) -> list[Inference]:
        """Infer all, in several processes where there is enough to do."""
        _ = (
            self.precedence,
            self.order,
        )  # read here, so that forked processes share them
        jobs = min(self.options.jobs or available_processors(), len(self.targets))
        done = []
        for inference in self._results(jobs):
            done.append(inference)
            if self.options.progress is not None:
                self.options.progress(len(done), len(self.targets))
        return sorted(done, key=lambda inference: inference.modular)

    def _results(self, jobs: int) -> Iterator[Inference]:
        if jobs < 2 or not can_copy_processes():
            yield from map(self.one, self.targets)
            return
        imported_names(
            self.project
        )  # read here, so that forked processes share it; one model may not need it
        with closing(Pool(jobs, _same, self)) as pool:
            for target, inferences in pool.run(_Run.one, self.targets):
                yield from inferences or [
                    _failed(target, killed(target.modular, "inferred"))
                ]

    def one(self, target: InferTarget) -> Inference:
        """Infer the modular file of one model."""
        try:
            if self.improving:
                from modular.infer.improve import (
                    improve_one,  # which takes a while to load
                )

                return improve_one(self.project, target, self._models(target))
            return solve(self.project, target, self._models(target))
        except FormatterError:
            raise
        except Exception as error:
            return _failed(target, internal_error(error, target.modular))

    def _models(self, target: InferTarget) -> ParentModels:
        """The models that one may inherit from."""
        later = (
            self.order[self.order.index(target.folder) + 1 :] if self.together else ()
        )
        left_out = self.relations.with_dependents([target.folder, *later])
        unwanted = self.project.settings.infer_leave_out.difference(
            self.parents.only
        ).union(self.parents.none_of)
        left_out |= self.index.folders_of(unwanted)
        if self.parents.only:
            left_out |= {
                file.folder for file in self.index.files
            } - self.index.folders_of(self.parents.only)
        return ParentModels(
            self.index, left_out, self.relations.uses(left_out), self.precedence
        )


def _same(run: _Run) -> _Run:
    """What the processes of a run begin with: they are copies of this one."""
    return run


def _failed(target: InferTarget, problem: Diagnostic) -> Inference:
    return Inference(target.model, target.modular, diagnostics=(problem,))


def _written(report: InferReport, force: bool) -> InferReport:
    """Write the modular files of a report; one that is there already is an error without ``force``."""
    texts: dict[str, str] = {}
    problems = []
    for inference in report.inferences:
        path = inference.modular
        if not inference.text:
            continue
        if (report.project.root / path).exists() and not force:
            message = "the modular file already exists"
            hint = "pass `--force` to overwrite it"
            problem = Diagnostic(Problem.CANNOT_WRITE, Place(path), message, hint)
            problems.append(problem)
        else:
            texts[path] = inference.text
    expected = {} if force else dict.fromkeys(texts)
    return _with_written(report, texts, expected, problems)


def _write_improved(report: InferReport, *, drop_comments: bool) -> InferReport:
    """Write the modular files that were improved, unless they changed meanwhile or would lose comments."""
    texts: dict[str, str] = {}
    expected: dict[str, str | None] = {}
    problems = []
    for inference in report.inferences:
        path, source = inference.modular, inference.source
        if not inference.text or source is None:
            continue
        if inference.lost_comments and not drop_comments:
            line = inference.lost_comments[0].line
            comments = counted(len(inference.lost_comments), "comment")
            message = f"{comments} would be lost; nothing was written"
            hint = "move the comments, or pass `--drop-comments`"
            problem = Diagnostic(Problem.CANNOT_WRITE, Place(path, line), message, hint)
            problems.append(problem)
        else:
            texts[path] = _with_line_ends_of(source, inference.text)
            expected[path] = source
    return _with_written(report, texts, expected, problems)


def _with_written(
    report: InferReport,
    texts: Mapping[str, str],
    expected: Mapping[str, str | None],
    problems: Sequence[Diagnostic],
) -> InferReport:
    """Write texts by path, and return the report with what was written and what went wrong."""
    models = {path: {path: text} for path, text in texts.items()}
    failed = write_alone(report.project.root, models, expected)
    return replace(
        report,
        problems=(*report.problems, *problems, *dict.fromkeys(failed.values())),
        written=tuple(path for path in texts if path not in failed),
    )


def _with_line_ends_of(source: str, text: str) -> str:
    """Return a text with the byte-order mark and the line ends of the one it replaces.

    Lines that are in both keep their line ends; new lines get the most frequent one.
    """
    mark = "\ufeff" if source.startswith("\ufeff") else ""
    old_lines = list(StringIO(source.removeprefix("\ufeff"), newline=""))
    old_texts = [line.rstrip("\r\n") for line in old_lines]
    new_texts = text.split("\n")[:-1]
    ends = Counter(
        line[len(content) :] for line, content in zip(old_lines, old_texts, strict=True)
    )
    (newline, _), *_ = ends.most_common(1)

    new_lines = [f"{line}{newline}" for line in new_texts]
    for old_start, new_start, size in matching_blocks(old_texts, new_texts):
        new_lines[new_start : new_start + size] = old_lines[
            old_start : old_start + size
        ]
    return mark + "".join(new_lines)
