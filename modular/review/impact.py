"""What a change does to the generated files, before anything is written: they are compared with the texts of a commit."""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path

from modular.cache.inputs import affected
from modular.git.git import texts_at
from modular.project.project import Project
from modular.provenance.blame import Blamer
from modular.provenance.causes import Cause, causes
from modular.review.broken import Broken, broken
from modular.run.api import Options
from modular.run.engine import Engine
from modular.run.report import FileReport, Status
from modular.run.selection import relative_to_root, select
from modular.run.since import project_at
from modular.source.diagnostics import Diagnostic, by_place
from modular.source.diffs import compare
from modular.source.module import normalised


@dataclass(frozen=True)
class Impact:
    """What changes since a commit: generated files, by cause; what breaks in models; and the errors of those that fail.

    ``left_out`` counts the models that the change cannot affect.
    """

    root: Path
    since: str
    files: tuple[FileReport, ...]
    causes: tuple[Cause, ...]
    broken: tuple[Broken, ...]
    diagnostics: tuple[Diagnostic, ...]
    left_out: int

    @property
    def models(self) -> tuple[str, ...]:
        """The modular files whose generated files change, sorted."""
        return tuple(sorted({file.modular for file in self.files}))

    @property
    def is_harmless(self) -> bool:
        """Whether nothing breaks."""
        return not self.broken and not self.diagnostics


def impact(paths: Sequence[str] = (), *, since: str = "HEAD", options: Options = Options()) -> Impact:
    """Say what the changes since a commit, by default those of the working tree, do to the generated files.

    ``paths`` are files and folders, from the current folder, whose changes count; none means all. Nothing is written.
    Raises what `api.check` raises.
    """
    project = options.open(paths)
    changed = Options(since=since).changed(project) or set()
    if paths:
        given = {inside for path in paths if (inside := relative_to_root(project, path)) is not None}
        changed = {
            path for path in changed if any(path == folder or path.startswith(f"{folder}/") for folder in given)
        }
    selection = select(project, ()).only(affected(project, changed))
    blamer = Blamer(Engine(project, options))
    blamer.engine.run(selection.modulars)
    old = old_texts(blamer, options, since, changed, selection.modulars)
    texts = {modular: generated_texts(blamer.engine, modular) for modular in selection.modulars}
    files = tuple(_files(texts, old))
    blamer.older = old
    grouped = causes(files, blamer)
    problems = [error for modular in selection.modulars for error in blamer.diagnostics(modular) if error.is_error]
    there = (path for path in changed if path in old and (project.root / path).is_file())
    new = {path: blamer.engine.source(path) for path in there}
    for generated in texts.values():
        new |= generated
    breaks = broken(blamer.engine, selection.modulars, old, new)
    return Impact(project.root, since, files, grouped, breaks, tuple(by_place(problems)), selection.left_out)


def _files(texts: Mapping[str, Mapping[str, str]], old: Mapping[str, str]) -> Iterator[FileReport]:
    """The generated files that differ; ``texts`` are those of each modular file, by path."""
    for modular, generated in texts.items():
        for path, text in sorted(generated.items()):
            if difference := compare(old.get(path, ""), text):
                yield FileReport(path, modular, Status.STALE, difference)


def old_texts(
    blamer: Blamer, options: Options, ref: str, changed: AbstractSet[str], modulars: Sequence[str]
) -> dict[str, str]:
    """Return the texts that files had in a commit: modular files, all that they generate, and files that changed.

    A file that was not there had none. Where what is generated is not committed, the commit's project is converted.
    """
    generated = {path for modular in modulars for path in blamer.engine.results[modular].outputs}
    wanted = sorted({path for path in changed if path.endswith(".py")} | generated)
    texts = texts_at(blamer.project.root, ref, wanted)
    same = {path: "\n".join(blamer.lines(path)) for path in modulars if path not in changed}
    if generated.isdisjoint(texts) and (same or not texts.keys().isdisjoint(modulars)):
        texts |= _generated_at(blamer.project, options, ref)
    return {**same, **dict.fromkeys(wanted, ""), **texts}


def _generated_at(project: Project, options: Options, ref: str) -> dict[str, str]:
    """What modular files generated in a commit."""
    with project_at(project, ref, options) as earlier:
        engine = Engine(earlier, options)
        engine.run(earlier.modular_files)
        texts = {path: text for modular in engine.results for path, text in generated_texts(engine, modular).items()}
    return texts


def generated_texts(engine: Engine, modular: str) -> dict[str, str]:
    """Return the texts that a modular file generates now, by path."""
    return {path: normalised(text) for path, text in engine.results[modular].texts.items()}


def is_touched(blamer: Blamer, modular: str, old: Mapping[str, str]) -> bool:
    """Whether a modular file or anything generated from it differs from the older texts, or it has errors."""
    texts = {**generated_texts(blamer.engine, modular), modular: "\n".join(blamer.lines(modular))}
    return blamer.engine.results[modular].failed or any(old.get(path, "") != text for path, text in texts.items())
