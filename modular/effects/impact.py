"""What a change does to the generated files, before anything is written: they are compared with the texts of a commit."""

import os
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path

from modular.cache.inputs import affected
from modular.effects.breakages import Broken, broken
from modular.effects.causes import Cause, causes
from modular.git.repository import read_texts_at
from modular.project.project import Project, model_name
from modular.provenance.blame import Blamer
from modular.run.api import Options
from modular.run.engine import Engine
from modular.run.report import FileReport, Status, join_parent_problems
from modular.run.selection import (
    as_targets,
    outside_root,
    relative_to_root,
    select,
    unknown_target,
)
from modular.run.since import project_at
from modular.source.diagnostics import Diagnostic, by_place
from modular.source.diffs import compare
from modular.source.module import normalised
from modular.system.terminal import counted


_MODELS = 10
"""Models that are named for one cause."""


@dataclass(frozen=True)
class Impact:
    """What changes since a commit: generated files, by cause; what breaks in models; and the errors of those that fail.

    ``left_out`` counts the models that the change cannot affect. ``has_unknown_paths``: some paths name nothing, and the
    diagnostics say which.
    """

    root: Path
    since: str
    files: tuple[FileReport, ...]
    causes: tuple[Cause, ...]
    broken: tuple[Broken, ...]
    diagnostics: tuple[Diagnostic, ...]
    left_out: int
    has_unknown_paths: bool = False

    @property
    def models(self) -> tuple[str, ...]:
        """The modular files whose generated files change, sorted."""
        return tuple(sorted({file.modular for file in self.files}))

    @property
    def is_harmless(self) -> bool:
        """Whether nothing breaks."""
        return not self.broken and not self.diagnostics

    def __str__(self) -> str:
        """What a terminal shows of it."""
        causes = (line for cause in self.causes for line in cause.lines())
        return "\n".join([*causes, *self.problems(), self.summary()])

    def problems(self) -> Iterator[str]:
        """Yield what breaks: what is the same in several models once, as a check says it."""
        same: dict[str, list[Broken]] = {}
        for breakage in self.broken:
            same.setdefault(breakage.message, []).append(breakage)
        for first, *others in same.values():
            models = sorted(
                {model_name(breakage.place.path) for breakage in (first, *others)}
            )
            more = (
                f"; the same in {counted(len(models), 'model')}: {listed(models)}"
                if len(models) > 1
                else ""
            )
            yield f"{first.place.path}:{first.place.line}: `{first.class_}` {first.message}{more}"
        for diagnostic in join_parent_problems(self.diagnostics):
            place = diagnostic.place
            yield f"{place.path}:{place.line}: {diagnostic.code.id} {diagnostic.message}"

    def summary(self) -> str:
        """Return in one line how many files change, of how many models, and how much breaks."""
        if not self.files:
            return (
                "no generated file changes"
                if self.is_harmless
                else "no generated file changes, but something breaks"
            )
        added = sum(file.difference.added for file in self.files)
        removed = sum(file.difference.removed for file in self.files)
        files, models = (
            counted(len(self.files), "file"),
            counted(len(self.models), "model"),
        )
        number = len(self.broken) + len(self.diagnostics)
        breaks = (
            f"; {counted(number, 'place')} {'breaks' if number == 1 else 'break'}"
            if number
            else ""
        )
        return f"{files} of {models} would change: +{added} -{removed}, {counted(len(self.causes), 'cause')}{breaks}"


def listed(models: Sequence[str]) -> str:
    """Return the names of models, of many only the first."""
    more = f" and {len(models) - _MODELS} more" if len(models) > _MODELS else ""
    return ", ".join(models[:_MODELS]) + more


def impact(
    paths: str | Sequence[str] = (),
    *,
    since: str = "HEAD",
    options: Options = Options(),
) -> Impact:
    """Say what the changes since a commit, by default those of the working tree, do to the generated files.

    ``paths`` are models' names, and files and folders from the current folder, or one of these, whose changes count; none
    means all. Nothing is written. Raises what `api.check` raises.
    """
    paths = as_targets(paths)
    project = options.open(paths)
    changed = Options(since=since).changed(project) or set()
    if paths:
        meant = [_meant(project, path, changed) for path in paths]
        if unknown := tuple(
            problem for problem in meant if isinstance(problem, Diagnostic)
        ):
            return Impact(
                project.root, since, (), (), (), unknown, 0, has_unknown_paths=True
            )
        changed = {path for path in changed if any(path in files for files in meant)}
    selection = select(project, ()).only(affected(project, changed))
    blamer = Blamer(Engine(project, options))
    blamer.engine.run(selection.modulars)
    old = old_texts(blamer, options, since, changed, selection.modulars)
    texts = {
        modular: generated_texts(blamer.engine, modular)
        for modular in selection.modulars
    }
    files = tuple(_files(texts, old))
    blamer.older = old
    grouped = causes(files, blamer)
    problems = [
        error
        for modular in selection.modulars
        for error in blamer.diagnostics(modular)
        if error.is_error
    ]
    there = (
        path for path in changed if path in old and (project.root / path).is_file()
    )
    new = {path: blamer.engine.source(path) for path in there}
    for generated in texts.values():
        new |= generated
    breaks = broken(blamer.engine, selection.modulars, old, new)
    return Impact(
        project.root,
        since,
        files,
        grouped,
        breaks,
        tuple(by_place(problems)),
        selection.unaffected_models,
    )


def _meant(
    project: Project, target: str, changed: AbstractSet[str]
) -> set[str] | Diagnostic:
    """The changed files that a target means: those of a model, in a folder, or a file, which may be deleted now."""
    folders = [
        place.relative_to(project.root).as_posix()
        for place in project.model_folders
        if place.name == target
    ]
    inside = relative_to_root(project, target)
    given = folders if inside is None else [inside, *folders]
    files = {
        path
        for path in changed
        if any(place in (path, ".") or path.startswith(f"{place}/") for place in given)
    }
    if files or folders or (inside is not None and os.path.exists(target)):
        return files
    return (
        outside_root(project, target)
        if inside is None
        else unknown_target(project, target)
    )


def _files(
    texts: Mapping[str, Mapping[str, str]], old: Mapping[str, str]
) -> Iterator[FileReport]:
    """The generated files that differ; ``texts`` are those of each modular file, by path."""
    for modular, generated in texts.items():
        for path, text in sorted(generated.items()):
            if difference := compare(old.get(path, ""), text):
                yield FileReport(path, modular, Status.STALE, difference)


def old_texts(
    blamer: Blamer,
    options: Options,
    ref: str,
    changed: AbstractSet[str],
    modulars: Sequence[str],
) -> dict[str, str]:
    """Return the texts that files had in a commit: modular files, all that they generate, and files that changed.

    A file that was not there had none. Where what is generated is not committed, the commit's project is converted.
    """
    generated = {
        path for modular in modulars for path in blamer.engine.results[modular].outputs
    }
    wanted = sorted({path for path in changed if path.endswith(".py")} | generated)
    texts = read_texts_at(blamer.project.root, ref, wanted)
    same = {
        path: "\n".join(blamer.lines(path)) for path in modulars if path not in changed
    }
    if generated.isdisjoint(texts) and (same or not texts.keys().isdisjoint(modulars)):
        texts |= _generated_at(blamer.project, options, ref)
    return {**same, **dict.fromkeys(wanted, ""), **texts}


def _generated_at(project: Project, options: Options, ref: str) -> dict[str, str]:
    """What modular files generated in a commit."""
    with project_at(project, ref, options) as earlier:
        engine = Engine(earlier, options)
        engine.run(earlier.modular_files)
        texts = {
            path: text
            for modular in engine.results
            for path, text in generated_texts(engine, modular).items()
        }
    return texts


def generated_texts(engine: Engine, modular: str) -> dict[str, str]:
    """Return the texts that a modular file generates now, by path."""
    return {
        path: normalised(text) for path, text in engine.results[modular].texts.items()
    }


def is_touched(blamer: Blamer, modular: str, old: Mapping[str, str]) -> bool:
    """Whether a modular file or anything generated from it differs from the older texts, or it has errors."""
    texts = {
        **generated_texts(blamer.engine, modular),
        modular: "\n".join(blamer.lines(modular)),
    }
    return blamer.engine.results[modular].failed or any(
        old.get(path, "") != text for path, text in texts.items()
    )
