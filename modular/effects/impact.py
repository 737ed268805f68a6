"""Compares what models generate now with a commit, before anything is written."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from modular.cache.fingerprints import Fingerprints
from modular.cache.inputs import affected
from modular.effects.breakage import Breakage, PlacedSentence, report_breakages
from modular.effects.breakages import find_breakages
from modular.effects.causes import Cause, find_causes
from modular.effects.changes import OldRecord
from modular.effects.edits import edited_sources, find_edits
from modular.effects.model_changes import ModelChanges, find_model_changes
from modular.effects.overrides import (
    DriftedOverride,
    Override,
    find_drifted_overrides,
    find_overrides,
    group_unreached,
)
from modular.effects.parent_changes import ParentChanges
from modular.format.formatter_config import CONFIGS
from modular.git.repository import read_texts_at
from modular.project.project import Project
from modular.provenance.blame import Blamer
from modular.run.api import Options
from modular.run.baseline import FindingKey, key_of, remove_if_known
from modular.run.engine import Engine
from modular.run.report import FileReport, Status, join_parent_problems
from modular.run.selection import (
    as_targets,
    outside_root,
    relative_to_root,
    select,
    unknown_target,
)
from modular.source.diagnostics import Diagnostic, by_place
from modular.source.diffs import compare
from modular.source.module import normalize_text
from modular.system.printable import counted


@dataclass(frozen=True)
class Impact:
    """The effects of the changes since a commit.

    Attributes:
        root: Root of the project.
        since: The commit.
        files: Generated files that change.
        causes: The changes of these files, grouped by cause.
        breakages: Places in modular files that rely on what their parents lost.
        unreached: Overrides that still have lines which the changes replace in their
            parents' methods.
        model_changes: New and deleted models, and generated files edited by hand.
        diagnostics: Errors of the models, or of the paths if any is unknown.
        unaffected_models: Number of models that the changes cannot affect.
        has_unknown_paths: Whether some of the given paths do not exist.
    """

    root: Path
    since: str
    files: tuple[FileReport, ...] = ()
    causes: tuple[Cause, ...] = ()
    breakages: tuple[Breakage, ...] = ()
    unreached: tuple[DriftedOverride, ...] = ()
    model_changes: ModelChanges = ModelChanges()
    diagnostics: tuple[Diagnostic, ...] = ()
    unaffected_models: int = 0
    has_unknown_paths: bool = False

    @property
    def models(self) -> tuple[str, ...]:
        """The modular files whose generated files change, sorted."""
        return tuple(sorted({file.modular for file in self.files}))

    @property
    def is_harmless(self) -> bool:
        """Whether nothing breaks."""
        return not self.breakages and not self.diagnostics

    def __str__(self) -> str:
        """Return the report as a terminal shows it.

        It has what breaks, new and deleted models, the diffs of the generated files by
        cause, the overrides that lack a change of their parents' methods, and a summary.
        """
        lines: list[str] = []
        for problem in self.problems():
            lines += problem.lines()
        lines += self.model_changes.sentences()
        if lines:
            lines.append("")
        for cause in self.causes:
            lines += cause.report()
        for group in group_unreached(self.unreached):
            for missed in group.sentences():
                lines += missed.lines("does not reach ")
            lines += [*group.lines, ""]
        lines.append(self.summary())
        return "\n".join(lines)

    def problems(self) -> Iterator[PlacedSentence]:
        """Yield a sentence about each place that breaks, and about each error."""
        yield from report_breakages(self.breakages)
        for diagnostic in join_parent_problems(self.diagnostics):
            sentence = f"{diagnostic.code.id} {diagnostic.message}"
            yield PlacedSentence(diagnostic.place, sentence)

    def summary(self) -> str:
        """Return one line such as `2 files of 1 model would change: +3 -1, 1 cause`.

        If places break or overrides keep old lines, their numbers follow.
        """
        if self.files:
            files = counted(len(self.files), "file")
            models = counted(len(self.models), "model")
            added = sum(file.difference.added for file in self.files)
            removed = sum(file.difference.removed for file in self.files)
            causes = counted(len(self.causes), "cause")
            summary = f"{files} of {models} would change: +{added} -{removed}, {causes}"
        elif self.model_changes.new:
            summary = counted(len(self.model_changes.new), "new model")
        else:
            summary = "no generated file changes"

        breakage_count = len(self.breakages) + len(self.diagnostics)
        if breakage_count == 1:
            summary += "; 1 place breaks"
        elif breakage_count > 1:
            summary += f"; {breakage_count} places break"
        if self.unreached:
            copies = counted(len(self.unreached), "copied override")
            verb = "keeps" if len(self.unreached) == 1 else "keep"
            summary += f"; {copies} {verb} the old lines"
        return summary


def impact(
    paths: str | Sequence[str] = (),
    *,
    since: str = "HEAD",
    options: Options = Options(),
) -> Impact:
    """Return the effects that changes since a commit have on generated files.

    The models are converted in memory. Nothing is written.

    Args:
        paths: Names of models, files or folders, relative to the current folder, whose
            changes count; none for all changes.
        since: The commit; by default the changes of the working tree count.
        options: Options of the run.

    Raises:
        modular.ModularError: The project, the commit or the formatter cannot be used,
            as in `modular.check`.
    """
    paths = as_targets(paths)
    project = options.open(paths)
    changed_paths = Options(since=since).changed(project) or set()
    if paths:
        unknown = []
        selected_paths: set[str] = set()
        for path in paths:
            target = _resolve_target(project, path, changed_paths)
            if isinstance(target, Diagnostic):
                unknown.append(target)
            else:
                selected_paths |= target
        if unknown:
            return Impact(
                root=project.root,
                since=since,
                diagnostics=tuple(unknown),
                has_unknown_paths=True,
            )
        changed_paths = selected_paths

    # Only models that the changed files can affect are converted.
    selection = select(project, ()).only(affected(project, changed_paths))
    blamer = Blamer(Engine(project, options))
    comparison = compare_with_commit(
        blamer, options, since, changed_paths, selection.modulars
    )
    errors = find_new_errors(blamer, comparison.old_record.blamer, selection.modulars)
    modular_effects = find_modular_effects(
        blamer.engine, selection.modulars, changed_paths, comparison.old_texts
    )
    return Impact(
        root=project.root,
        since=since,
        files=comparison.files,
        causes=find_causes(
            comparison.files, blamer, comparison.old_record, options.progress
        ),
        breakages=modular_effects.breakages,
        unreached=modular_effects.unreached,
        model_changes=comparison.model_changes,
        diagnostics=tuple(by_place(errors)),
        unaffected_models=selection.unaffected_models,
    )


@dataclass(frozen=True)
class Comparison:
    """A comparison of what models generate now and what they generated before.

    Attributes:
        old_texts: Texts of modular, generated and changed files before, by path.
        old_record: The edits, and the origins of the lines that were generated before.
        files: The generated files of older models that change.
        model_changes: New and deleted models, and generated files edited by hand.
    """

    old_texts: Mapping[str, str]
    old_record: OldRecord
    files: tuple[FileReport, ...]
    model_changes: ModelChanges


def compare_with_commit(
    blamer: Blamer,
    options: Options,
    commit: str,
    changed_paths: AbstractSet[str],
    modular_paths: Sequence[str],
) -> Comparison:
    """Convert models as they are and as they were, and compare what they generate.

    Args:
        blamer: Blamer of the project with the changes.
        options: Options of the run.
        commit: Name of the commit.
        changed_paths: Paths of the files that changed since.
        modular_paths: Paths of the modular files that the changes can affect.

    Raises:
        modular.git.repository.GitError: Git cannot read the commit.
    """
    project = blamer.project
    engine = blamer.engine
    # Models whose generated files were edited by hand are converted, too.
    edited = project.generating_modulars(changed_paths)
    engine.run(sorted(edited.union(modular_paths)))
    old_texts = _read_old_texts(blamer, commit, changed_paths, modular_paths)
    # A generated file can have been stale in the commit, which is not an effect of the
    # changes. So the models whose files differ are also converted from their old sources.
    differing_models = set()
    for modular_path in modular_paths:
        if _differs(generated_texts(engine, modular_path), old_texts):
            differing_models.add(modular_path)
    # The errors of a model count only if it did not have them before.
    failed_models = {path for path in modular_paths if engine.results[path].failed}
    old_blamer = _convert_before(
        project,
        engine.fingerprints,
        options,
        changed_paths,
        old_texts,
        differing_models | failed_models,
    )
    # Old settings, unlike old sources, cannot be read from memory.
    has_old_settings = not any(
        os.path.basename(path) in CONFIGS for path in changed_paths
    )
    for old_modular in old_blamer.engine.results:
        old_generated_texts = generated_texts(old_blamer.engine, old_modular)
        for path, text in old_generated_texts.items():
            # A project need not commit what it generates.
            if has_old_settings or not old_texts.get(path):
                old_texts[path] = text

    new_modulars = set()
    for modular_path in differing_models:
        generated_paths = engine.results[modular_path].outputs
        paths = [modular_path, *generated_paths]
        if not any(old_texts.get(path) for path in paths):
            new_modulars.add(modular_path)
    files = []
    for file in _changed_files(engine, modular_paths, old_texts):
        if file.modular not in new_modulars:
            files.append(file)

    sources = edited_sources(blamer, changed_paths, modular_paths) - new_modulars
    new_texts = _read_new_texts(engine, (), sources)
    edits = find_edits(
        {path: old_texts.get(path, "") for path in sources},
        {path: new_texts.get(path, "") for path in sources},
    )
    return Comparison(
        old_texts=old_texts,
        old_record=OldRecord(edits, old_blamer if has_old_settings else None),
        files=tuple(files),
        model_changes=find_model_changes(blamer, new_modulars, changed_paths),
    )


def find_new_errors(
    blamer: Blamer, old_blamer: Blamer | None, modular_paths: Iterable[str]
) -> list[Diagnostic]:
    """Return the errors of models that these did not have before the changes.

    Args:
        blamer: Blamer of the project with the changes.
        old_blamer: Blamer of the project without them, which has converted the models
            that differ. None if the old project cannot be converted.
        modular_paths: Paths of the modular files.
    """
    old_error_counts: Counter[FindingKey] = Counter()
    if old_blamer is not None:
        for modular_path in old_blamer.engine.results:
            old_error_counts.update(map(key_of, old_blamer.errors(modular_path)))
    new_errors = []
    for modular_path in modular_paths:
        for error in blamer.errors(modular_path):
            # Each old error accounts for one equal error.
            if not remove_if_known(key_of(error), old_error_counts):
                new_errors.append(error)
    return new_errors


class ModularEffects(NamedTuple):
    """What a change of parent files means for modular files.

    Attributes:
        breakages: Places in modular files that rely on what their parents lost.
        unreached: Overrides that still have lines which the change replaces.
    """

    breakages: tuple[Breakage, ...] = ()
    unreached: tuple[DriftedOverride, ...] = ()


def find_modular_effects(
    engine: Engine,
    modular_paths: Sequence[str],
    changed_paths: AbstractSet[str],
    old_texts: Mapping[str, str],
) -> ModularEffects:
    """Return the effects of a change of parent files on code in modular files.

    1. The change breaks code, such as a call to a method that is gone.
    2. The change does not reach an override that was copied from the parent's method. If
       the change replaces `x + 1` with `x + 2` there, the override still has `x + 1`.

    Args:
        engine: Engine that has converted the modular files.
        modular_paths: Paths of the modular files.
        changed_paths: Paths of the changed files.
        old_texts: Texts of changed and of generated files before the change, by path.
            Parent files are among them, written by hand or generated.
    """
    new_texts = _read_new_texts(engine, modular_paths, changed_paths & old_texts.keys())
    changes = ParentChanges(old_texts, new_texts)
    breakages = find_breakages(engine, modular_paths, old_texts, new_texts, changes)

    # Only overrides of methods in the changed parent files can be unreached.
    overrides: list[Override] = []
    for modular_path in modular_paths:
        source_paths = engine.results[modular_path].reads
        if changes.files_with_changed_names(source_paths):
            converter = engine.batches.local_converter()
            overrides += find_overrides(converter, modular_path, changes)
    unreached = tuple(find_drifted_overrides(overrides, old_texts, new_texts))
    return ModularEffects(breakages, unreached)


def _read_new_texts(
    engine: Engine, modular_paths: Iterable[str], changed_paths: Iterable[str]
) -> dict[str, str]:
    """Return the texts of changed and of generated files after a change, by path.

    Args:
        engine: Engine that has converted the modular files.
        modular_paths: Paths of the modular files. What they generate counts, not the
            generated files on disk.
        changed_paths: Paths of the changed files. Deleted files have no text.
    """
    texts = {}
    for path in changed_paths:
        if (engine.project.root / path).is_file():
            texts[path] = engine.source(path)
    for modular_path in modular_paths:
        texts |= generated_texts(engine, modular_path)
    return texts


def _resolve_target(
    project: Project, target: str, changed_paths: AbstractSet[str]
) -> set[str] | Diagnostic:
    """Return the changed files that a target of the command line means.

    Args:
        project: The project.
        target: Name of a model, or path of a folder or file, which may be deleted.
        changed_paths: Paths of all changed files.

    Returns:
        The paths, or a diagnostic if the target is unknown.
    """
    # A name such as `llama` can be a model and a file of the current folder.
    target_paths = []
    for folder in project.models:
        if folder.name == target:
            target_paths.append(folder.relative_to(project.root).as_posix())
    is_model = bool(target_paths)
    path_in_project = relative_to_root(project, target)
    if path_in_project is not None:
        target_paths.append(path_in_project)

    selected = set()
    for target_path in target_paths:
        selected |= _select_paths(changed_paths, target_path)
    # A target that exists is valid, even if none of its files changed.
    if selected or is_model:
        return selected
    if path_in_project is None:
        return outside_root(project, target)
    if os.path.exists(target):
        return selected
    return unknown_target(project, target)


def _select_paths(paths: Iterable[str], target_path: str) -> set[str]:
    """Return the target itself if it is among some paths, and those below it.

    All paths are below `.`, the root of the project.
    """
    selected = set()
    for path in paths:
        is_root_or_file = target_path in (".", path)
        if is_root_or_file or path.startswith(f"{target_path}/"):
            selected.add(path)
    return selected


def _changed_files(
    engine: Engine, modular_paths: Iterable[str], old_texts: Mapping[str, str]
) -> Iterator[FileReport]:
    """Yield the generated files that differ from their old texts, with the differences.

    Args:
        engine: Engine that has converted the modular files.
        modular_paths: Paths of the modular files.
        old_texts: Old texts by path. A file without an old text counts as new.
    """
    for modular_path in modular_paths:
        for path, text in sorted(generated_texts(engine, modular_path).items()):
            old_text = old_texts.get(path, "")
            if old_text != text:
                difference = compare(old_text, text)
                yield FileReport(path, modular_path, Status.STALE, difference)


def _convert_before(
    project: Project,
    fingerprints: Fingerprints,
    options: Options,
    changed_paths: AbstractSet[str],
    old_texts: Mapping[str, str],
    modular_paths: AbstractSet[str],
) -> Blamer:
    """Convert modular files as they were without the changes.

    A committed generated file may be older than its modular file. A comparison with the
    committed text would show differences that the changes have not caused.

    Args:
        project: The project with the changes.
        fingerprints: The digests of its files.
        options: Options of the run.
        changed_paths: Paths of the files whose changes count.
        old_texts: Texts of files before the changes. The text of a new file is empty.
        modular_paths: Paths of the modular files. New ones are left out.

    Returns:
        A blamer of the older project, whose engine has converted the files.
    """
    reverted_texts = {}
    for path in changed_paths:
        if path.endswith(".py") and old_texts.get(path):
            reverted_texts[path] = old_texts[path]
    # Unsaved texts count instead of the files on disk.
    old_project = replace(project, unsaved={**project.unsaved, **reverted_texts})
    blamer = Blamer(Engine(old_project, options))
    blamer.engine.fingerprints.share_digests(fingerprints)
    existing_before = sorted(path for path in modular_paths if old_texts.get(path))
    blamer.engine.run(existing_before)
    return blamer


def _read_old_texts(
    blamer: Blamer,
    commit: str,
    changed_paths: AbstractSet[str],
    modular_paths: Sequence[str],
) -> dict[str, str]:
    """Return the texts of modular, generated and changed files in a commit, by path.

    Files that the commit lacks have an empty text.

    Args:
        blamer: Blamer whose engine has converted the modular files.
        commit: Name of the commit.
        changed_paths: Paths of the files that changed since.
        modular_paths: Paths of the modular files.

    Raises:
        modular.git.repository.GitError: Git cannot read the commit.
    """
    old_texts: dict[str, str] = {}
    generated_paths: set[str] = set()
    for modular_path in modular_paths:
        generated_paths |= blamer.engine.results[modular_path].outputs.keys()
        if modular_path not in changed_paths:
            # The file on disk is that of the commit, and the blamer has read it.
            old_texts[modular_path] = "\n".join(blamer.lines(modular_path))

    changed_sources = {path for path in changed_paths if path.endswith(".py")}
    paths_to_read = sorted(changed_sources | generated_paths)
    old_texts |= read_texts_at(blamer.project.root, commit, paths_to_read)
    for path in paths_to_read:
        old_texts.setdefault(path, "")
    return old_texts


def generated_texts(engine: Engine, modular_path: str) -> dict[str, str]:
    """Return the texts that a converted modular file generates, by path."""
    texts = {}
    for path, text in engine.results[modular_path].texts.items():
        texts[path] = normalize_text(text)
    return texts


def is_changed(blamer: Blamer, modular_path: str, old_texts: Mapping[str, str]) -> bool:
    """Return whether a model has errors or differs from its old texts."""
    if blamer.engine.results[modular_path].failed:
        return True
    texts = generated_texts(blamer.engine, modular_path)
    texts[modular_path] = "\n".join(blamer.lines(modular_path))
    return _differs(texts, old_texts)


def _differs(texts: Mapping[str, str], old_texts: Mapping[str, str]) -> bool:
    """Return whether a text differs from the old one of its path; a new one does."""
    return any(old_texts.get(path, "") != text for path, text in texts.items())
