"""One run: convert models, compare their files with the disk and, if asked, write them."""

import os
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from functools import cached_property

from modular.cache.fingerprints import MAX_COMPARED_BYTES
from modular.cache.inputs import affected
from modular.cache.result_cache import Result
from modular.git.repository import GitError, unstaged_files, untracked_files
from modular.project.project import Project
from modular.run.engine import Engine
from modular.run.formatting_differences import (
    TextPair,
    describe_formatting,
    find_formatting_differences,
)
from modular.run.hand_edits import (
    Replacement,
    find_committed_edits,
    find_hand_edits,
)
from modular.run.options import Options
from modular.run.orphans import find_orphans
from modular.run.output_record import OutputRecord
from modular.run.releases import find_other_release
from modular.run.report import (
    FileReport,
    LineCounts,
    Report,
    Status,
    find_blocking_errors,
)
from modular.run.selection import Selection, select
from modular.run.writing import (
    BusyError,
    exclusive,
    read_generated,
    replace_generated,
    write_model,
)
from modular.source.diagnostics import (
    Diagnostic,
    Place,
    Problem,
    by_place,
)
from modular.source.diffs import Diff, compare
from modular.system.reading import open_ordinary


_UP_TO_DATE = (Status.IDENTICAL, Status.UNCHANGED, Status.WRITTEN)
_REFORMATTED = (Status.STALE, Status.WRITTEN)
"""Statuses of files that may differ from their new text in formatting alone."""


@dataclass(frozen=True, slots=True)
class RunScope:
    """The models of a run.

    Attributes:
        selection: The models to convert.
        changed: The paths that limit the selection to the models that they affect;
            None if nothing limits it.
        finds_all_orphans: Whether `check` looks for all orphans of the project, and not
            only for those of the selected models and of changed files.
        has_unknown_targets: Whether a target names nothing.
    """

    selection: Selection
    changed: frozenset[str] | None = None
    finds_all_orphans: bool = False
    has_unknown_targets: bool = False

    def only(self, modulars: Iterable[str]) -> "RunScope":
        """Return the scope, limited to the models of some modular files."""
        return replace(self, selection=self.selection.only(modulars))


def select_scope(
    project: Project, options: Options, targets: Sequence[str]
) -> RunScope:
    """Return the models that targets and options select.

    Args:
        project: The project.
        options: Options of the run.
        targets: Models, modular files or folders; none means the whole project.

    Raises:
        modular.git.repository.GitError: Git cannot say what changed.
    """
    selection = select(project, targets)
    changed = options.changed(project)
    if changed is not None:
        selection = selection.only(affected(project, changed))
    return RunScope(
        selection=selection,
        changed=None if changed is None else frozenset(changed),
        finds_all_orphans=not targets and changed is None,
        has_unknown_targets=bool(targets and selection.problems),
    )


def run_models(
    project: Project,
    options: Options,
    scope: RunScope,
    *,
    write: bool,
    converting: bool,
    keeps_files: bool = False,
) -> Report:
    """Convert models, compare their files with the disk and, if asked, write them.

    Args:
        project: The project.
        options: Options of the run.
        scope: The models.
        write: Whether files that differ are written. No other run writes meanwhile.
        converting: Whether this is `convert`, which may also run without writing
            (`--dry-run`). Otherwise it is `check`, which has other words for a status.
        keeps_files: Whether the results of stale models keep their output files in
            memory. The causes of changes are then found without another conversion.

    Raises:
        modular.settings.settings.SettingsError: The table of model names cannot be
            read.
        modular.system.ruff.FormatterError: The formatter cannot be run.
    """
    run = _Run(project, options, scope, write=write, converting=converting)
    run.engine.keeps_files = keeps_files
    try:
        with exclusive(project.root) if write else nullcontext():
            return run.execute()
    except BusyError as error:
        return Report(
            project=project,
            diagnostics=(error.problem,),
            unaffected_models=scope.selection.unaffected_models,
        )


class _Run:
    """The state of one run."""

    def __init__(
        self,
        project: Project,
        options: Options,
        scope: RunScope,
        *,
        write: bool,
        converting: bool,
    ) -> None:
        """Create an engine for the run, which has read nothing yet.

        With `converting`, this is `convert`, and otherwise `check`. Both can `write`.
        """
        self.project = project
        self.options = options
        self.scope = scope
        self.write = write
        self.converting = converting
        self.engine = Engine(project, options)
        self.problems: list[Diagnostic] = []
        # By path, the content before this run of each generated file that is out of date;
        # None if there was no file.
        self.old_contents: dict[str, bytes | None] = {}
        # By path, what people wrote into such files, which must not be replaced then.
        self.hand_edits: Mapping[str, Sequence[Diagnostic]] = {}
        # The files in `hand_edits` without the banner that each generated file begins
        # with. So the converter has not generated them: people wrote the whole files.
        self.handwritten_files: list[str] = []
        # Paths of files that people may have edited before the last commit: the committed
        # sources generate another text.
        self.committed_edits: Sequence[str] = ()
        # Errors of models whose files were to be written.
        self.blocking_errors: list[Diagnostic] = []

    def execute(self) -> Report:
        """Convert the models, compare their files with the disk, and return the report.

        `self.converting` says whether this is `convert` or `check`. For both,
        `self.write` alone decides whether files that differ are also written. Only
        `check` reports orphans, which are files that no modular file generates any
        longer.
        """
        modulars = self.scope.selection.modulars
        self.engine.run(modulars)

        self.read_old_contents(modulars)
        # A killed run may leave files that this record has, and never others.
        self.record_outputs(modulars)
        # Files are written here. What goes wrong is recorded in `self.problems`.
        files = []
        for modular in modulars:
            files += self.compare_or_write(modular)
        results = {modular: self.engine.results[modular] for modular in modulars}
        if not self.converting:
            self.problems += find_orphans(
                self.project,
                results,
                find_all=self.scope.finds_all_orphans,
                changed=self.scope.changed or (),
            )

        if self.options.require_added:
            self.problems += self.find_unadded(files)

        formatter_note = ""
        if any(file.status in _REFORMATTED for file in files):
            files = self.mark_formatting_differences(files)
            formatter_note = describe_formatting(self.project, files)
        files.sort(key=lambda file: (file.path, file.modular))
        return Report(
            project=self.project,
            files=tuple(files),
            diagnostics=self.find_diagnostics(results.values()),
            lines=count_lines(results, files),
            results=self.engine.results,
            unaffected_models=self.scope.selection.unaffected_models,
            has_unknown_targets=self.scope.has_unknown_targets,
            formatter_note=formatter_note,
            edited_files=tuple(sorted(self.hand_edits)),
            handwritten_files=tuple(sorted(self.handwritten_files)),
            committed_edits=tuple(sorted(self.committed_edits)),
            blocking_errors=tuple(self.blocking_errors),
            uses_cache=self.options.cache,
            stores_results=self.options.store,
        )

    def find_diagnostics(self, results: Iterable[Result]) -> tuple[Diagnostic, ...]:
        """Return the diagnostics of the run that the settings report, sorted by place.

        Args:
            results: The results of the selected models.
        """
        findings = [*self.scope.selection.problems, *self.problems]
        findings += find_other_release(self.project)
        for result in results:
            findings += result.diagnostics
        # The settings say which rules are reported, and at which level.
        levels = self.project.settings.lint
        reported = levels.apply(
            findings, strict=self.options.strict, include_info=self.options.info
        )
        return tuple(by_place(reported))

    def compare_or_write(self, modular: str) -> list[FileReport]:
        """Compare the files of a model with the disk and, if asked, write those that differ.

        A model with an error is never written. `check` still compares its files if the
        error is a lint finding, because then there are texts to compare with.

        Returns:
            The status of each output. If the model has errors, or an output cannot be
            written, see `report_failed`.
        """
        result = self.engine.results[modular]
        errors = find_blocking_errors(self.project, result.diagnostics)
        # A failed result has no texts to compare.
        differing = [] if result.failed else self.find_differing(result)
        would_write = self.write and (result.failed or bool(differing))
        if would_write:
            self.blocking_errors += errors
        # `check` reports the differences of a model with a lint finding, too.
        is_rejected_by_convert = self.converting and bool(errors)
        if result.failed or is_rejected_by_convert:
            return self.report_failed(result)

        obstacles = self.find_obstacles(differing)
        if obstacles:
            self.problems += obstacles
            return self.report_failed(result, obstacles[0])

        # Diffs need the old texts, which are gone after writing.
        diffs = self.make_diffs(differing, result.texts)
        if self.write and not errors:
            status_of_differing = self.write_files(modular, differing)
        else:
            status_of_differing = self.compare_files(differing)

        unchanged = Status.UNCHANGED if self.converting else Status.IDENTICAL
        reports = []
        for path in result.outputs:
            status = status_of_differing.get(path, unchanged)
            diff = diffs.get(path, Diff())
            reports.append(FileReport(path, modular, status, diff))
        return reports

    def find_differing(self, result: Result) -> list[str]:
        """Return the outputs of a model that differ from the disk, sorted by path."""
        differing = []
        for path, output_digest in sorted(result.outputs.items()):
            if self.engine.fingerprints.digest_below_root(path) != output_digest:
                differing.append(path)
        return differing

    def read_old_contents(self, modulars: Iterable[str]) -> None:
        """Read the output files that differ from the disk, and find those with hand edits.

        They are recorded in `old_contents`, `hand_edits` and `handwritten_files`. With the
        option `force`, edits do not matter, and are not searched.

        Args:
            modulars: The modular files, which are converted already.
        """
        replacements: list[Replacement] = []
        for modular in modulars:
            result = self.engine.results[modular]
            if result.failed or find_blocking_errors(self.project, result.diagnostics):
                continue
            for path in self.find_differing(result):
                old_content = read_generated(self.project.root, path)
                self.old_contents[path] = old_content
                if old_content is not None:
                    replacement = Replacement(
                        path, modular, old_content, result.texts[path], result.reads
                    )
                    replacements.append(replacement)
        if self.options.force:
            return
        arguments = self.options.project_arguments()
        self.hand_edits = find_hand_edits(self.project, replacements, arguments)
        for replacement in replacements:
            has_hand_edits = replacement.path in self.hand_edits
            if has_hand_edits and not replacement.has_banner(self.project):
                self.handwritten_files.append(replacement.path)
        if not self.write:
            self.committed_edits = find_committed_edits(self.project, replacements)

    def record_outputs(self, modulars: Iterable[str]) -> None:
        """Remember the texts that are written, and those that are on disk already."""
        digests: set[str] = set()
        for modular in modulars:
            outputs = self.engine.results[modular].outputs
            for path, output_digest in outputs.items():
                on_disk = self.engine.fingerprints.digest_below_root(path)
                if self.write or on_disk == output_digest:
                    digests.add(output_digest)
        OutputRecord(self.project.root).add(digests, in_git=self.write)

    def report_failed(
        self, result: Result, obstacle: Diagnostic | None = None
    ) -> list[FileReport]:
        """Return the status `ERROR` for a model of which no file is written.

        Args:
            result: The result of the model.
            obstacle: Why one of its outputs cannot be written. All outputs have the error
                then, because all of them are written, or none. None if the model itself has
                errors, and so no outputs. Then its modular file has the error.
        """
        # An output outside of the root does not belong to the project.
        if obstacle is None or obstacle.code is Problem.OUTSIDE_ROOT:
            reported_paths = [result.modular]
        else:
            reported_paths = [*result.outputs]
        return [
            FileReport(path, result.modular, Status.ERROR) for path in reported_paths
        ]

    def make_diffs(
        self, paths: Iterable[str], texts: Mapping[str, str]
    ) -> dict[str, Diff]:
        """Return the differences between files on disk and their new texts, by path.

        Without the option `diffs`, a `convert` that writes has no differences, to save
        time. `check` and `convert --dry-run` always show them.

        Args:
            paths: The files.
            texts: The new texts of these and other files.
        """
        is_writing_convert = self.converting and self.write
        if is_writing_convert and not self.options.diffs:
            return {}
        diffs = {}
        for path in paths:
            old = ""
            with suppress(OSError), open_ordinary(self.project.root / path) as file:
                old = file.read(MAX_COMPARED_BYTES).decode(errors="replace")
            diffs[path] = compare(old, texts[path])
        return diffs

    def compare_files(self, differing: Sequence[str]) -> dict[str, Status]:
        """Return `MISSING` or `STALE` for each of the output files that differ."""
        status = {}
        for path in differing:
            is_missing = self.engine.fingerprints.digest_below_root(path) is None
            status[path] = Status.MISSING if is_missing else Status.STALE
        return status

    def mark_formatting_differences(self, files: list[FileReport]) -> list[FileReport]:
        """Return the files, with a mark on each file that differs in formatting alone."""
        pairs = {}
        for file in files:
            if file.status not in _REFORMATTED:
                continue
            old_content = self.old_contents.get(file.path)
            if old_content is None:
                old_content = read_generated(self.project.root, file.path) or b""
            old_text = old_content.decode(errors="replace")
            new_text = self.engine.results[file.modular].texts[file.path]
            pairs[file.path] = TextPair(old_text, new_text)
        reformatted = find_formatting_differences(self.project, pairs)
        return [
            replace(file, differs_only_in_formatting=file.path in reformatted)
            for file in files
        ]

    def write_files(self, modular: str, differing: Sequence[str]) -> dict[str, Status]:
        """Write the output files of a model that differ, and return their status.

        Either all of them are written, or none.
        """
        if not differing:
            return {}
        texts = self.engine.results[modular].texts
        files = {}
        for path in differing:
            files[path] = replace_generated(self.old_contents[path], texts[path])
        problem = write_model(self.project.root, files)
        if problem is None:
            return dict.fromkeys(differing, Status.WRITTEN)
        self.problems.append(problem)
        return dict.fromkeys(differing, Status.ERROR)

    def find_unadded(self, files: Iterable[FileReport]) -> Iterator[Diagnostic]:
        """Yield an error for each generated file that the next commit would lack.

        The modular file is in git's index, but the generated file is not, or only an
        older version of it. Outside of a repository, nothing is yielded.
        """
        untracked: set[str] = set()
        unstaged: set[str] = set()
        with suppress(GitError):
            untracked = untracked_files(self.project.root)
            unstaged = unstaged_files(self.project.root)
        for file in files:
            message = ""
            if file.path in untracked and file.modular not in untracked:
                message = "the file is not in git's index, but its modular file is"
            elif file.path in unstaged and self.is_generated_from_index(file, unstaged):
                message = (
                    "the version of the file in git's index is older than that of its "
                    "modular file or parent files"
                )
            if message:
                yield Diagnostic(
                    Problem.NOT_ADDED,
                    Place(file.path),
                    message=message,
                    hint=f"run `git add {shlex.quote(file.path)}`",
                    related=Place(file.modular),
                )

    def is_generated_from_index(self, file: FileReport, unstaged: Set[str]) -> bool:
        """Return whether a file is up to date, and all its sources are in git's index.

        The sources are its modular file and its parent files. If a parent file is generated
        itself, the sources of this file count in its place.

        Args:
            file: A generated file.
            unstaged: The files that differ from the index.
        """
        if file.status not in _UP_TO_DATE:
            return False
        pending = [file.modular]
        visited: set[str] = set()
        while pending:
            modular = pending.pop()
            visited.add(modular)
            result = self.engine.results.get(modular)
            if result is None or modular in unstaged:
                return False
            for unstaged_source in unstaged & result.reads.keys():
                generator = self.project.generating_modular(unstaged_source)
                if generator is None:
                    # A person writes this source.
                    return False
                if generator not in visited:
                    pending.append(generator)
        return True

    def find_obstacles(self, differing: Sequence[str]) -> list[Diagnostic]:
        """Return why files must not be written; empty if all can be.

        For example, there is a folder at the path of a file, which is one obstacle. If
        files are written, people's edits in them are obstacles, too.
        """
        for path in differing:
            if self.project.points_outside_root(path):
                outside = Diagnostic(
                    Problem.OUTSIDE_ROOT,
                    Place(path),
                    message="the file points outside the project's root",
                    hint="remove the link, or generate into a folder below the root",
                )
                return [outside]
            reason = self.describe_irregular_file(path)
            if not reason:
                reason = self.describe_overwritten_source(path)
            if reason:
                unwritable = Diagnostic(
                    Problem.CANNOT_WRITE,
                    Place(path),
                    message=f"cannot be written: {reason}",
                    hint="no file of this model was written; "
                    "rename or remove what is at this path",
                )
                return [unwritable]

        hand_edits: list[Diagnostic] = []
        if self.write:
            for path in differing:
                hand_edits += self.hand_edits.get(path, ())
        return hand_edits

    def describe_irregular_file(self, path: str) -> str:
        """Return why the file at an output path cannot be compared with its new text.

        The result is empty if the file can be read, or if there is none.
        """
        place = self.project.locate(path)
        # A link is replaced, whatever it points to.
        if os.path.islink(place) or not os.path.exists(place):
            return ""
        if os.path.isdir(place):
            return "the path is a directory"
        if not os.path.isfile(place):
            return "the path is not a regular file"
        try:
            open_ordinary(place).close()
        except OSError as error:
            return f"the file cannot be read: {error.strerror}"
        return ""

    def describe_overwritten_source(self, path: str) -> str:
        """Return why writing an output would overwrite a source file; empty if not.

        For example, sources are read from `models/olmo`, and outputs are written to
        `generated/olmo`. If `models/olmo` is a link to `generated/olmo`, an output
        replaces the source of the same name.
        """
        # Writing follows links to the folder, and replaces a link at the path itself.
        folder, name = os.path.split(path)
        real_folder = os.path.realpath(self.project.root / folder)
        real_path = os.path.join(real_folder, name)

        source = self.linked_sources.get(real_path)
        if source is None:
            return ""
        return f"symlink to the source file `{source}`; writing would overwrite it"

    @cached_property
    def linked_sources(self) -> dict[str, str]:
        """The sources that are read through a link: their paths, by their real paths.

        If `models/olmo` is a link to `generated/olmo`, the path
        `models/olmo/modeling_olmo.py` has the real path
        `/repo/generated/olmo/modeling_olmo.py`.
        """
        sources = set(self.project.modular_files)
        outputs: set[str] = set()
        for result in self.engine.results.values():
            sources.add(result.modular)
            sources.update(result.reads)
            outputs.update(result.outputs)

        linked_sources = {}
        for path in sources - outputs:
            place = self.project.locate(path)
            real_path = os.path.realpath(place)
            is_linked = real_path != str(place)
            if is_linked:
                linked_sources[real_path] = path
        return linked_sources


def count_lines(
    results: Mapping[str, Result], files: Iterable[FileReport]
) -> dict[str, LineCounts]:
    """Return the line counts of the modular files without errors.

    Args:
        results: The results of the models by modular file.
        files: The status of their outputs.
    """
    modulars_with_errors = {
        file.modular for file in files if file.status is Status.ERROR
    }
    counts = {}
    for modular, result in results.items():
        if result.failed or modular in modulars_with_errors:
            continue
        generated_lines = {
            path: text.count("\n") for path, text in result.texts.items()
        }
        counts[modular] = LineCounts(result.source_lines, generated_lines)
    return counts
