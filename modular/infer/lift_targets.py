"""Finds the texts that a modular file must generate after edits of generated files."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from modular.conversion.conversion import Conversion
from modular.git.repository import GitError, merge_files, read_texts_at
from modular.infer.proof import format_texts
from modular.project.project import Project
from modular.run.hand_edits import are_sources_changed
from modular.run.output_record import OutputRecord
from modular.source.diagnostics import Diagnostic, Place, Problem
from modular.source.loading import syntax_problem
from modular.source.module import normalize_text


@dataclass(frozen=True)
class LiftTargets:
    """The wanted texts of the generated files of one model, or why there are none.

    Attributes:
        texts: The texts by path.
        problem: The reason why the edits cannot be told from other changes.
    """

    texts: Mapping[str, str]
    problem: Diagnostic | None = None


def find_lift_targets(
    project: Project, conversion: Conversion, record: OutputRecord
) -> LiftTargets:
    """Return the texts that a modular file must generate.

    Usually, these are the files on disk. If the modular file or a parent changed since
    the files were generated, they are merged with what is generated now, as git merges
    branches. The committed files tell what was generated before.

    Args:
        project: The project.
        conversion: What the modular file generates now.
        record: The record of the project's outputs.
    """
    modular = conversion.modular
    generated = format_texts(project, conversion.texts)
    parents = set(conversion.reads)
    committed: Mapping[str, str] = {}
    with suppress(GitError):
        paths = [modular, *parents, *generated]
        committed = read_texts_at(project.root, "HEAD", paths)
    sources = parents - generated.keys()
    has_changed_sources = are_sources_changed(project, modular, sources, committed)

    texts = {}
    for path, new_text in generated.items():
        loaded = project.load(path, {})
        if loaded.problem is not None:
            # A file that does not exist was not edited.
            continue
        text = normalize_text(loaded.text)
        problem = syntax_problem(text, path)
        if problem is not None:
            return LiftTargets({}, problem)

        versions = _Versions(text, new_text, committed.get(path))
        if versions.is_unedited(record, has_changed_sources):
            # The file waits for the next conversion.
            continue
        if versions.has_only_edits(record):
            texts[path] = text
            continue
        merged = _merge(ours=new_text, base=versions.committed or "", theirs=text)
        if merged is None:
            return LiftTargets({}, _describe_conflict(modular, path))
        texts[path] = merged
    return LiftTargets(texts)


class _Versions(NamedTuple):
    """The versions of a generated file.

    Attributes:
        on_disk: The text on disk.
        generated: The text that is generated now.
        committed: The text in the last commit; None if it has no such file.
    """

    on_disk: str
    generated: str
    committed: str | None

    def is_unedited(self, record: OutputRecord, has_changed_sources: bool) -> bool:
        """Return whether nobody edited the file since it was generated.

        A file is unedited in two cases:

        - It is as it was committed, and its sources have changed since, or it is an output
          of this tool.
        - It was never committed, and is an older output of this tool.

        Args:
            record: The record of the project's outputs.
            has_changed_sources: Whether the sources of the file changed since the commit.
        """
        is_output = self.on_disk in record
        if self.committed is None:
            is_older = self.on_disk != self.generated
            return is_output and is_older
        is_as_committed = self.on_disk == self.committed
        return is_as_committed and (has_changed_sources or is_output)

    def has_only_edits(self, record: OutputRecord) -> bool:
        """Return whether the text on disk is what the modular file should generate.

        If the modular file has also changed since the file was generated, the two changes
        must be merged first. This is impossible without the text from before both.
        """
        has_no_older_text = self.committed in (None, self.on_disk)
        if has_no_older_text:
            return True
        is_modular_file_unchanged = (
            self.generated == self.committed or self.generated in record
        )
        return is_modular_file_unchanged


def _merge(*, ours: str, base: str, theirs: str) -> str | None:
    """Return a text with the changes that two texts make to a third, as git merges.

    The result is None if the changes conflict, or if git cannot be run.

    Args:
        ours: The text with the first changes.
        base: The text before all changes.
        theirs: The text with the second changes.
    """
    with TemporaryDirectory(prefix="modular-") as temporary:
        paths = []
        for name, text in (("ours", ours), ("base", base), ("theirs", theirs)):
            path = Path(temporary, name)
            path.write_text(text, encoding="utf-8", newline="")
            paths.append(path)
        try:
            merge = merge_files(*paths)
        except GitError:
            return None
    return None if merge.has_conflicts else merge.content.decode()


def _describe_conflict(modular: str, path: str) -> Diagnostic:
    """Return the error for an edit that conflicts with a change of the modular file.

    Since the last commit, the modular file has changed what it generates for these lines.

    Args:
        modular: The modular file.
        path: The edited generated file.
    """
    return Diagnostic(
        Problem.HAND_EDITED,
        Place(path),
        message=f"edited in lines that `{modular}` has changed since the last commit",
        hint="edit the modular file yourself, then run `modular convert`",
        related=Place(modular),
    )
