"""Drift: changes of parents' methods that did not reach copied overrides.

An override that began as a copy of its parent's method does not get later changes of
that method. The history tells when both were in step: before the commit that last
changed the override. What the parent changed in that commit or since, in lines that the
override still has, is drift.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
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
    read_module,
    shared_part,
)
from modular.git.history import Commit, History
from modular.project.project import Project
from modular.refactor.checked_change import check_change
from modular.run.options import Options
from modular.run.run import run_models, select_scope
from modular.run.selection import select
from modular.run.writing import write_alone
from modular.source import ignore_comments
from modular.source.diagnostics import Diagnostic, Edit
from modular.source.diffs import compare
from modular.source.edits import EditError, apply_edits
from modular.source.ignore_comments import DRIFT, IgnoreComment
from modular.source.module import Module, normalize_text


_MAX_VERSIONS = 1_000
"""Number of commits of a file that are read."""


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

    @property
    def root(self) -> Path:
        """The root of the project."""
        return self.project.root


def find_drift(project: Project, targets: Sequence[str]) -> Drift:
    """Find the changes of parents' methods that overrides lack.

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
        comments = ignore_comments.read(modular, project.load(modular, {}).text)
        for override in find_overrides(converter, modular):
            is_accepted = _is_accepted(override, comments.comments)
            if not is_accepted and project.library_of(override.parent_path) is None:
                overrides.append(override)
    overrides.sort(key=lambda override: (override.modular, override.line))

    paths = {override.modular for override in overrides}
    paths |= {override.parent_path for override in overrides}
    comparison = _Comparison(converter, History(project.root, paths))
    changes = _group_by_change(comparison.find_all(overrides))
    return Drift(
        project=project,
        changes=tuple(changes),
        problems=tuple(selection.problems),
        override_count=len(overrides),
    )


def _is_accepted(override: Override, comments: Iterable[IgnoreComment]) -> bool:
    """Tell whether a comment at the header, or for the file, accepts the difference."""
    for comment in comments:
        if DRIFT in comment.codes and comment.line in (None, override.line):
            return True
    return False


@dataclass(frozen=True)
class _MissedChange:
    """A hunk that an override lacks, and the commit that made the change.

    Attributes:
        override: The override.
        share: Share of the override's lines, from 0 to 1, that are its parent's.
        hunk: The lines that the parent's method has changed.
        commit: The commit; None if the change is not committed.
    """

    override: Override
    share: float
    hunk: MissedHunk
    commit: Commit | None


class _Comparison:
    """Compares overrides with the history of their parents' methods."""

    def __init__(self, converter: Converter, history: History) -> None:
        self._converter = converter
        self._history = history
        self._versions: dict[str, list[tuple[Commit, Module | None]]] = {}

    def find_all(self, overrides: Sequence[Override]) -> Iterator[_MissedChange]:
        """Yield the hunks that overrides lack.

        Args:
            overrides: The overrides, sorted by modular file.
        """
        previous_path = ""
        for override in overrides:
            if override.modular != previous_path:
                # The texts of a file are not needed after its last override.
                self._versions.pop(previous_path, None)
                previous_path = override.modular
            yield from self._find(override)

    def _find(self, override: Override) -> Iterator[_MissedChange]:
        """Yield the hunks that one override lacks; none if it is no copy of its parent's method."""
        parent = self._converter.parent(override.parent_path).module
        parent_lines = override.parent_lines(parent)
        last_change = self._last_change(override)
        if last_change is None:
            return
        base = self._base_lines(override, last_change)
        share = shared_part(base, override.lines)
        if share <= COPIED_SHARE or _texts(base) == _texts(parent_lines):
            return

        hunks = find_missed_hunks(base, override.lines, parent_lines)
        commits = self._changing_commits(override, last_change, base, hunks)
        for hunk in hunks:
            commit = commits.get(hunk.first_base_line)
            yield _MissedChange(override, share, hunk, commit)

    def _last_change(self, override: Override) -> Commit | None:
        """Return the commit that gave an override its lines.

        Returns:
            None if no commit has these lines, because they are not committed.
        """
        oldest_with_lines = None
        for commit, module in self._read_versions(override.modular):
            lines: tuple[CodeLine, ...] = ()
            if module is not None:
                lines = lines_of_method(module, override.class_, override.key)
            if _texts(lines) != _texts(override.lines):
                break
            oldest_with_lines = commit
        return oldest_with_lines

    def _base_lines(self, override: Override, commit: Commit) -> tuple[CodeLine, ...]:
        """Return the parent's method as the author of a commit knew it, renamed.

        If the commit added the override, that is the method in the commit itself. Otherwise
        it is the method in the last commit before it.
        """
        is_new = self._is_added_in(override, commit)
        for version, module in self._read_versions(override.parent_path):
            is_in_commit = version.age == commit.age
            is_earlier = version.age > commit.age
            if is_earlier or (is_new and is_in_commit):
                return () if module is None else override.parent_lines(module)
        return ()

    def _is_added_in(self, override: Override, commit: Commit) -> bool:
        """Tell whether a commit added the class and method of an override."""
        for version, module in self._read_versions(override.modular):
            if version.age > commit.age:
                if module is None:
                    return True
                return not lines_of_method(module, override.class_, override.key)
        return True

    def _changing_commits(
        self,
        override: Override,
        last_change: Commit,
        base: tuple[CodeLine, ...],
        hunks: Iterable[MissedHunk],
    ) -> Mapping[int, Commit]:
        """Return the commit that made each change of a parent's method.

        Args:
            override: The override that lacks the changes.
            last_change: The commit that gave the override its lines.
            base: The lines of the parent's method at that time.
            hunks: The changes.

        Returns:
            The first commit after `last_change` that has a hunk, by the first base line of
            the hunk. Changes that are not committed are missing.
        """
        new_lines = {hunk.first_base_line: hunk.new for hunk in hunks}
        commits: dict[int, Commit] = {}
        for commit, module in self._read_versions(override.parent_path):
            if commit.age > last_change.age:
                break
            if module is None:
                continue
            lines = override.parent_lines(module)
            for hunk in find_missed_hunks(base, override.lines, lines):
                if new_lines.get(hunk.first_base_line) == hunk.new:
                    # The versions are sorted from new to old, so the first commit is kept.
                    commits[hunk.first_base_line] = commit
        return commits

    def _read_versions(self, path: str) -> list[tuple[Commit, Module | None]]:
        """Return the commits of a file with its statements, the newest first."""
        if path not in self._versions:
            commits = self._history.commits(path)[:_MAX_VERSIONS]
            versions = []
            texts = self._history.texts(path, commits)
            for commit, text in zip(commits, texts, strict=True):
                versions.append((commit, read_module(path, text)))
            self._versions[path] = versions
        return self._versions[path]


def _texts(lines: Iterable[CodeLine]) -> list[str]:
    return [line.text for line in lines]


class _ChangeKey(NamedTuple):
    """What the hunks of one change of a parent's method have in common."""

    commit: Commit | None
    path: str
    class_: str
    method: str


def _group_by_change(missed_changes: Iterable[_MissedChange]) -> list[ParentChange]:
    """Return the changes of parents' methods, each with all overrides that lack it."""
    groups: dict[_ChangeKey, dict[Override, list[_MissedChange]]] = {}
    for missed in missed_changes:
        override = missed.override
        key = _ChangeKey(
            commit=missed.commit,
            path=override.parent_path,
            class_=override.parent_class,
            method=override.key,
        )
        missed_by_override = groups.setdefault(key, {})
        missed_by_override.setdefault(override, []).append(missed)

    changes = []
    for key, missed_by_override in groups.items():
        drifted_overrides = []
        for override, missed_by_it in missed_by_override.items():
            share = missed_by_it[0].share
            hunks = tuple(missed.hunk for missed in missed_by_it)
            drifted_overrides.append(DriftedOverride(override, share, hunks))
        change = ParentChange(
            commit=key.commit,
            path=key.path,
            class_=key.class_,
            method=key.method,
            overrides=tuple(drifted_overrides),
        )
        changes.append(change)
    return sorted(changes, key=_sort_key)


def _sort_key(change: ParentChange) -> tuple[int, str, str, str]:
    """Sort the newest change first, before it those that are not committed."""
    age = -1 if change.commit is None else change.commit.age
    return age, change.path, change.class_, change.method


@dataclass(frozen=True)
class UpdatedFile:
    """A modular file with the changes that its overrides lacked.

    Attributes:
        path: The file, relative to the root.
        old_source: Its text before, with its line ends.
        new_source: Its text afterwards.
    """

    path: str
    old_source: str
    new_source: str

    @property
    def diff(self) -> str:
        """The unified diff."""
        old, new = normalize_text(self.old_source), normalize_text(self.new_source)
        return compare(old, new).text(f"a/{self.path}", f"b/{self.path}")


@dataclass(frozen=True)
class Update:
    """The result of `write_missed`.

    Attributes:
        files: The modular files that were written.
        problems: Why others were not.
        left_count: How many hunks were not applied because they call `super()`, which
            means something else in the child.
    """

    files: tuple[UpdatedFile, ...]
    problems: tuple[Diagnostic, ...]
    left_count: int


def write_missed(drift: Drift, options: Options) -> Update:
    """Apply the missed changes to the modular files, and convert these.

    A file to which they add an error is not written.

    Args:
        drift: The drift.
        options: Options of the conversion.
    """
    edits: dict[str, list[Edit]] = {}
    left_count = 0
    for change in drift.changes:
        for drifted in change.overrides:
            path = drifted.override.modular
            lines = normalize_text(drift.project.load(path, {}).source).split("\n")
            for hunk in drifted.hunks:
                if any("super" in line for line in hunk.new):
                    left_count += 1
                    continue
                edits.setdefault(path, []).append(_edit(path, lines, hunk))

    files: list[UpdatedFile] = []
    problems: list[Diagnostic] = []
    for path, file_edits in sorted(edits.items()):
        source = drift.project.load(path, {}).source
        try:
            new_source = apply_edits(source, file_edits)
        except EditError:
            continue
        errors = check_change(drift.project, {path: new_source}, options).errors
        if errors:
            problems += errors
        else:
            files.append(UpdatedFile(path, source, new_source))

    new_sources = {file.path: {file.path: file.new_source} for file in files}
    old_sources = {file.path: file.old_source for file in files}
    write_problems = write_alone(drift.root, new_sources, old_sources)
    written = tuple(file for file in files if file.path not in write_problems)
    if written:
        scope = select_scope(drift.project, options, ())
        scope = scope.only([file.path for file in written])
        report = run_models(drift.project, options, scope, write=True, converting=True)
        problems += [problem for problem in report.diagnostics if problem.is_error]
    return Update(
        files=written,
        problems=(*problems, *dict.fromkeys(write_problems.values())),
        left_count=left_count,
    )


def _edit(path: str, lines: Sequence[str], hunk: MissedHunk) -> Edit:
    """Return the edit of a modular file that applies a hunk."""
    old = "".join(f"{line}\n" for line in lines[hunk.line - 1 : hunk.end_line - 1])
    return Edit(
        path=path,
        line=hunk.line,
        column=1,
        end_line=hunk.end_line,
        end_column=1,
        text="".join(f"{line}\n" for line in hunk.new),
        old=old,
    )
