"""Drift: changes of parents' methods that did not reach copied overrides.

An override that began as a copy of its parent's method does not get later changes of
that method. The history tells when both were in step: before the commit that last
changed the override. What the parent changed in that commit or since, in lines that the
override still has, is drift.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from modular.conversion.converter import Converter
from modular.effects.overrides import (
    COPIED_SHARE,
    CodeLine,
    DriftedOverride,
    MissedHunk,
    Override,
    find_missed_hunks,
    find_overrides,
    lines_of_method,
    shared_part,
)
from modular.git.history import Commit, History
from modular.project.project import Project
from modular.refactor.checked_change import check_change
from modular.refactor.updated_file import UpdatedFile, write_updated_files
from modular.run.options import Options
from modular.run.run import run_models, select_scope
from modular.run.selection import select
from modular.source import ignore_comments
from modular.source import module as modules
from modular.source.diagnostics import Diagnostic, Edit, Place, Problem
from modular.source.edits import EditError, apply_edits
from modular.source.ignore_comments import DRIFT, IgnoreComment
from modular.source.module import Module, normalize_text


_MAX_VERSIONS = 1_000
"""Number of commits of a file that are read."""

_MAX_FILES_IN_MEMORY = 4
"""Number of files whose versions are kept, such as a parent and a modular file."""


_ChangeKey = tuple[int, tuple[str, ...]]


@dataclass(frozen=True)
class ParentChange:
    """A change of a parent's method that did not reach overrides.

    Attributes:
        commit: The commit; None if the change is not committed.
        path: Path of the parent file.
        class_: Name of the parent's class.
        method: Key of the method.
        overrides: The overrides that lack the change.
    """

    commit: Commit | None
    path: str
    class_: str
    method: str
    overrides: tuple[DriftedOverride, ...]


@dataclass(frozen=True)
class Drift:
    """The drift of some models.

    Attributes:
        project: The project.
        changes: The changes of parents' methods, the newest first.
        problems: Targets that are unknown.
        override_count: How many overrides were compared.
    """

    project: Project
    changes: tuple[ParentChange, ...]
    problems: tuple[Diagnostic, ...]
    override_count: int


def find_drift(project: Project, targets: Sequence[str]) -> Drift:
    """Find overrides that missed a later change of the method they were copied from.

    For example, a child overrides `forward` with a copy that prints more. Later, somebody
    fixes the parent's `forward`. The copy misses this fix.

    Args:
        project: A project in a git repository.
        targets: Names of models, modular files or folders; none means all models.

    Raises:
        modular.git.repository.GitError: The project is in no repository, the clone is
            shallow, or git failed.
    """
    selection = select(project, targets)
    converter = Converter(project, {})
    overrides: list[Override] = []
    for modular in selection.modulars:
        overrides += _overrides_to_compare(converter, modular)
    # Sorted like this, the versions of each parent are read once.
    overrides.sort(
        key=lambda override: (override.parent_path, override.modular, override.line)
    )

    paths = {override.modular for override in overrides}
    paths |= {override.parent_path for override in overrides}
    comparison = _Comparison(converter, History(project.root, paths))
    missed_changes: list[_MissedChange] = []
    for override in overrides:
        missed_changes += comparison.find_missed_changes(override)
    return Drift(
        project=project,
        changes=tuple(_group_by_change(missed_changes)),
        problems=tuple(selection.problems),
        override_count=len(overrides),
    )


def _overrides_to_compare(converter: Converter, modular: str) -> Iterator[Override]:
    """Yield the overrides of a modular file that can have missed a change.

    An override that an ignore comment accepts is left out. So is one whose parent is in
    an installed library, because the history of the library is not in this repository.
    """
    project = converter.project
    comments = ignore_comments.read(modular, project.load(modular, {}).text).comments
    for override in find_overrides(converter, modular):
        is_in_library = project.library_of(override.parent_path) is not None
        if not is_in_library and not _is_accepted(override, comments):
            yield override


def _is_accepted(override: Override, comments: Iterable[IgnoreComment]) -> bool:
    """Return whether an ignore comment for an override, or for its file, accepts drift."""
    for comment in comments:
        if DRIFT in comment.codes and comment.line in (None, override.line):
            return True
    return False


class _MissedChange(NamedTuple):
    """A commit that changed a parent's method, and an override that lacks the change.

    Attributes:
        commit: The commit; None if the change is not committed.
        drifted: The override, with the hunks of this commit that it lacks.
    """

    commit: Commit | None
    drifted: DriftedOverride


class _Version(NamedTuple):
    """The statements that a file had in a commit; none if it did not exist."""

    commit: Commit
    module: Module


class _LastChange(NamedTuple):
    """The last commit that changed the lines of an override.

    Attributes:
        commit: The commit.
        is_new: Whether the commit added the override.
    """

    commit: Commit
    is_new: bool


class _Comparison:
    """Compares overrides with the history of their parents' methods."""

    def __init__(self, converter: Converter, history: History) -> None:
        self._converter = converter
        self._history = history
        cached = lru_cache(_MAX_FILES_IN_MEMORY)
        self._versions = cached(self._read_versions)

    def find_missed_changes(self, override: Override) -> Iterator[_MissedChange]:
        """Yield the changes of the parent's method that an override lacks, commit by commit.

        If an override was copied from its parent's method, and two commits have changed
        that method since, this yields two changes.
        """
        last_change = self._last_change(override)
        # Lines that are not committed can be based on any version of the parent's method.
        if last_change is None:
            return
        # The base is the parent's method at the time when the override was written.
        base = self._base_lines(override, last_change)
        share = shared_part(base, override.lines)
        # The override is not a copy: it was written on its own.
        if share <= COPIED_SHARE:
            return
        parent = self._converter.parent(override.parent_path).module
        parent_lines = override.parent_lines(parent)
        # The parent's method is still the same, so no commit need be searched.
        if _texts(base) == _texts(parent_lines):
            return

        hunks = find_missed_hunks(base, override.lines, parent_lines)
        hunks_by_commit = self._group_by_commit(
            hunks, override, last_change.commit, base
        )
        for commit, commit_hunks in hunks_by_commit.items():
            drifted = DriftedOverride(
                override=override, share=share, hunks=tuple(commit_hunks)
            )
            yield _MissedChange(commit, drifted)

    def _last_change(self, override: Override) -> _LastChange | None:
        """Return the commit in which an override got its present lines.

        Returns:
            The commit, and whether it added the override. None if the present lines are
            not committed.
        """
        present_texts = _texts(override.lines)
        commit = None
        versions_from_new_to_old = self._versions(override.modular)
        for version in versions_from_new_to_old:
            lines = lines_of_method(version.module, override.class_, override.key)
            if _texts(lines) == present_texts:
                commit = version.commit
            elif commit is None:
                # Even the newest version has other lines.
                return None
            else:
                # This is the last version with other lines, so the next newer commit made
                # the change. If this version has no lines, that commit added the override.
                return _LastChange(commit, is_new=not lines)
        # All versions have the present lines, so the oldest commit added the override.
        return None if commit is None else _LastChange(commit, is_new=True)

    def _base_lines(
        self, override: Override, last_change: _LastChange
    ) -> tuple[CodeLine, ...]:
        """Return the version of the parent's method that an override was made from.

        An author who adds an override copies the method as it is in the same commit. An
        author who changes an override knows the method as it was before this commit.

        Args:
            override: The override.
            last_change: The commit that added or last changed it.

        Returns:
            The lines of the method, renamed like generated code.
        """
        # The age of a commit is the number of newer commits. So the commit before that
        # of the last change has an age that is higher by one.
        min_age = last_change.commit.age
        if not last_change.is_new:
            min_age += 1
        versions_from_new_to_old = self._versions(override.parent_path)
        for version in versions_from_new_to_old:
            if version.commit.age >= min_age:
                return override.parent_lines(version.module)
        return ()

    def _group_by_commit(
        self,
        hunks: Iterable[MissedHunk],
        override: Override,
        last_change: Commit,
        base: tuple[CodeLine, ...],
    ) -> Mapping[Commit | None, list[MissedHunk]]:
        """Return the changes of a parent's method by the commit that made them.

        Changes that are not committed are under None.

        Args:
            hunks: The changes. Each replaces some lines of `base`.
            override: The override that lacks the changes.
            last_change: The commit in which the override got its present lines.
            base: The lines that the parent's method had in that commit.
        """
        commits = self._find_commits(override, last_change, base)
        hunks_by_commit: dict[Commit | None, list[MissedHunk]] = defaultdict(list)
        for hunk in hunks:
            hunks_by_commit[commits.get(_identify(hunk))].append(hunk)
        return hunks_by_commit

    def _find_commits(
        self, override: Override, last_change: Commit, base: tuple[CodeLine, ...]
    ) -> Mapping[_ChangeKey, Commit]:
        """Return the commit of each change of a parent's method, by `_identify(hunk)`.

        Args:
            override: The override of the method.
            last_change: The commit in which the override got its present lines.
            base: The lines that the parent's method had in that commit.
        """
        commits: dict[_ChangeKey, Commit] = {}
        versions_from_new_to_old = self._versions(override.parent_path)
        for version in versions_from_new_to_old:
            # This version and all that follow are older than the present override.
            if version.commit.age > last_change.age:
                break
            lines = override.parent_lines(version.module)
            for hunk in find_missed_hunks(base, override.lines, lines):
                # Versions after a change have the change, too. The oldest of them made the
                # change, and comes last, so its commit overwrites the commits of the others.
                commits[_identify(hunk)] = version.commit
        return commits

    def _read_versions(self, path: str) -> list[_Version]:
        """Return the versions of a file in the history, the newest first."""
        commits = self._history.commits(path)[:_MAX_VERSIONS]
        texts = self._history.texts(path, commits)
        versions = []
        for commit, text in zip(commits, texts, strict=True):
            versions.append(_Version(commit, modules.read(path, text or "")))
        return versions


def _identify(hunk: MissedHunk) -> _ChangeKey:
    """Return a key of a change: its place in the base method, and the new lines."""
    return hunk.first_base_line, hunk.new


def _texts(lines: Iterable[CodeLine]) -> list[str]:
    return [line.text for line in lines]


def _group_by_change(missed_changes: Iterable[_MissedChange]) -> list[ParentChange]:
    """Return the changes of parents' methods, each with all overrides that lack it.

    If a commit changed `LlamaMLP.forward`, and the copies of it in two models lack the
    change, this is one change with two overrides.
    """
    # The keys are the changes, still without overrides.
    overrides_by_change: dict[ParentChange, list[DriftedOverride]] = defaultdict(list)
    for commit, drifted in missed_changes:
        override = drifted.override
        change = ParentChange(
            commit=commit,
            path=override.parent_path,
            class_=override.parent_class,
            method=override.key,
            overrides=(),
        )
        overrides_by_change[change].append(drifted)

    changes = []
    for change, overrides in overrides_by_change.items():
        changes.append(replace(change, overrides=tuple(overrides)))
    return sorted(changes, key=_sort_key)


def _sort_key(change: ParentChange) -> tuple[int, str, str, str]:
    """Sort the newest change first, before it those that are not committed."""
    age = -1 if change.commit is None else change.commit.age
    return age, change.path, change.class_, change.method


@dataclass(frozen=True)
class Update:
    """The result of `write_missed`.

    Attributes:
        files: The modular files that were written or, without writing, would be.
        problems: Why others were not.
        left_count: How many hunks were not applied because they call `super()`, which
            means something else in the child.
    """

    files: tuple[UpdatedFile, ...]
    problems: tuple[Diagnostic, ...]
    left_count: int


def write_missed(drift: Drift, options: Options, *, dry_run: bool = False) -> Update:
    """Apply the missed changes to the modular files, and convert these files.

    A file in which they cause an error is not written. Changes that call `super()` are
    left to a person.

    Args:
        drift: The drift.
        options: Options of the conversion.
        dry_run: Whether nothing is written.
    """
    hunks_by_override, left_count = _hunks_to_write(drift)
    edits: dict[str, list[Edit]] = {}
    updated: dict[str, UpdatedFile] = {}
    problems: list[Diagnostic] = []
    # The hunks of an override are applied together or, if they do not fit, not at all.
    for override, hunks in hunks_by_override.items():
        path = override.modular
        source = drift.project.load(path, {}).source
        all_edits = [*edits.get(path, ()), *_edits(path, source, hunks)]
        try:
            new_source = apply_edits(source, all_edits)
        except EditError as error:
            problems.append(_not_applied(override, error))
        else:
            edits[path] = all_edits
            updated[path] = UpdatedFile(path, source, new_source)

    # Only files that can be converted as well as before are written.
    valid_files = []
    for path, file in sorted(updated.items()):
        errors = check_change(
            drift.project, {path: file.new_source}, options, is_planned=False
        ).errors
        if errors:
            problems += errors
        else:
            valid_files.append(file)

    write_problems = {}
    if not dry_run:
        write_problems = write_updated_files(drift.project.root, valid_files)
    written = tuple(file for file in valid_files if file.path not in write_problems)
    if written and not dry_run:
        scope = select_scope(drift.project, options, ())
        scope = scope.only([file.path for file in written])
        report = run_models(drift.project, options, scope, write=True, converting=True)
        problems += [problem for problem in report.diagnostics if problem.is_error]
    return Update(
        files=written,
        # Several files can have the same problem, such as a full disk.
        problems=(*problems, *dict.fromkeys(write_problems.values())),
        left_count=left_count,
    )


def _hunks_to_write(drift: Drift) -> tuple[dict[Override, list[MissedHunk]], int]:
    """Return the hunks to apply, by override, and the number of those left to a person.

    A hunk whose new lines call `super()` is left: in the parent's method, this calls a
    method of the grandparent, but in the override it would call the parent's method.
    """
    missed_hunks: list[tuple[Override, MissedHunk]] = []
    for change in drift.changes:
        for drifted in change.overrides:
            missed_hunks += [(drifted.override, hunk) for hunk in drifted.hunks]

    hunks_by_override: dict[Override, list[MissedHunk]] = defaultdict(list)
    left_count = 0
    for override, hunk in missed_hunks:
        # The word alone may be in a comment, but a person can tell better.
        may_call_super = any("super" in line for line in hunk.new)
        if may_call_super:
            left_count += 1
        else:
            hunks_by_override[override].append(hunk)
    return hunks_by_override, left_count


def _not_applied(override: Override, error: EditError) -> Diagnostic:
    """Return the error that changes of a parent's method cannot be applied to an override.

    For example, the modular file would not be valid Python with them.

    Args:
        override: The override.
        error: Why they cannot be applied.
    """
    return Diagnostic(
        code=Problem.CANNOT_WRITE,
        place=Place(override.modular, override.line),
        message=f"the changes of `{override.class_}.{override.key}` do not fit: {error}",
        hint="apply them by hand",
    )


def _edits(path: str, source: str, hunks: Iterable[MissedHunk]) -> Iterator[Edit]:
    """Yield the edits of a modular file that replace old lines of its overrides.

    Args:
        path: The modular file.
        source: Its text.
        hunks: The old lines in the file, and the lines that replace them.
    """
    lines = normalize_text(source).split("\n")
    for hunk in hunks:
        old_lines = lines[hunk.line - 1 : hunk.end_line - 1]
        yield Edit(
            path=path,
            line=hunk.line,
            column=1,
            end_line=hunk.end_line,
            end_column=1,
            text="".join(f"{line}\n" for line in hunk.new),
            old="".join(f"{line}\n" for line in old_lines),
        )
