"""Blame: for each line of a generated file, who wrote it and where to change it."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, overload

from modular.conversion.outputs import OutputFile
from modular.project.opening import find_root, open_project
from modular.project.project import Project, model_name
from modular.rules.drafts import Way
from modular.run.batches import Progress
from modular.run.causes import OriginPlace, Traced
from modular.run.engine import Engine
from modular.run.result import Result
from modular.run.result_cache import Cache, folder
from modular.run.selection import relative_to_root
from modular.source import module as modules
from modular.source.code import Renaming
from modular.source.diagnostics import Diagnostic
from modular.source.module import normalised
from modular.source.outline import Owner, outline
from modular.traceback import kept
from modular.traceback.lines import Blame, BlamedLine, BlameError


if TYPE_CHECKING:
    from modular.traceback.origins import LineOrigin

__all__ = ["Blame", "BlameError", "BlamedLine", "Blamer", "blame", "find_file"]


class Blamer:
    """Blames files of a project. Parent files are taken fresh, as a conversion would take them.

    Everything that was blamed is kept, in the cache as well. Raises what `api.check` raises. Close it when done.
    """

    def __init__(
        self, project: Project, *, cache: bool = True, jobs: int | None = None, progress: Progress | None = None
    ) -> None:
        self.project = project
        self.cache = Cache(folder()) if cache else None
        self.engine = Engine(project, self.cache, jobs, progress)
        self._models: dict[str, dict[str, Blame]] = {}
        self._sources: dict[str, list[str]] = {}
        self._owners: dict[str, list[Owner]] = {}

    def close(self) -> None:
        """Give the cache back; it is opened again when it is needed."""
        if self.cache is not None:
            self.cache.close()

    def silence(self) -> None:
        """Show no progress any more."""
        self.engine.batches.progress = None

    def prepare(self, modulars: Sequence[str]) -> None:
        """Blame the files of several modular files at once: it is quicker than one by one."""
        self.engine.run(modulars)
        new = [modular for modular in modulars if modular not in self._models and not self._take_kept(modular)]
        for done, modular in enumerate(new, start=1):
            self._trace(modular)
            if self.engine.batches.progress is not None:
                self.engine.batches.progress(done, len(new))
        self._keep(new)

    def _take_kept(self, modular: str) -> bool:
        """Take the blame of a modular file's files from the cache, if it is there."""
        entry = self.cache.head(self._key(modular)) if self.cache is not None else None
        if entry is None:
            return False
        found = kept.lines(entry)
        self._models[modular] = {
            path: Blame(path, modular, normalised(self.engine.text(modular, path)), lines)
            for path, lines in found.items()
        }
        return True

    def _keep(self, modulars: Sequence[str]) -> None:
        """Put the blames of modular files without errors into the cache."""
        if self.cache is None:
            return
        settled = self.engine.fingerprints.are_settled
        self.cache.store(
            (self._key(modular), kept.entry({path: blame.lines for path, blame in self._models[modular].items()}), {})
            for modular in modulars
            if self._models[modular] and settled(modular, self._result(modular).reads)
        )

    def _key(self, modular: str) -> str:
        return kept.key(self.engine.fingerprints.key(modular), self._result(modular).reads)

    def all(self, modulars: Sequence[str], *, deep: bool = False) -> Iterator[Blame]:
        """Yield the blame of every file that modular files generate, in the order of their paths."""
        self.prepare(modulars)
        found = {path: blame for modular in modulars for path, blame in self.model(modular).items()}
        for path in sorted(found):
            yield self.deep(found[path]) if deep else found[path]

    def diagnostics(self, modular: str) -> tuple[Diagnostic, ...]:
        """Return what is wrong with a modular file."""
        return self._result(modular).diagnostics

    def model(self, modular: str) -> Mapping[str, Blame]:
        """Return the blame of each file that a modular file generates, by path, as it would be written now.

        There are none for a modular file with errors.
        """
        if modular not in self._models and not self._take_kept(modular):
            self._trace(modular)
            self._keep([modular])
        return self._models[modular]

    def _trace(self, modular: str) -> None:
        outputs = self._result(modular).outputs
        files = self.engine.with_origins(modular).files if outputs else []
        self._models[modular] = {file.path: self._blame(modular, file) for file in files if file.path in outputs}

    def file(self, path: str) -> Blame:
        """Return the blame of a generated file, by its path relative to the root, as it is on disk.

        Raises BlameError for a file that is not generated, or is not what its modular file says.
        """
        found = self.current(path)
        if self.engine.fingerprints.disk(path) != self._result(found.modular).outputs[path]:
            raise BlameError(f"{path} is stale: `modular convert {model_name(found.modular)}` writes it anew")
        return found

    def current(self, path: str) -> Blame:
        """Return the blame of a generated file, by its path relative to the root, as it would be written now.

        Raises BlameError for a file that is not generated.
        """
        modular = self.project.generator(path)
        found = self.model(modular).get(path) if modular is not None else None
        if modular is None or (found is None and not self._result(modular).failed):
            raise BlameError(
                f"{path} is not generated: `modular where {path}:LINE` says what comes from one of its lines"
            )
        if found is None:
            raise BlameError(f"{modular} has errors: `modular check {model_name(modular)}` shows them")
        return found

    def _result(self, modular: str) -> Result:
        if modular not in self.engine.results:
            self.engine.run([modular])
        return self.engine.results[modular]

    def _blame(self, modular: str, file: OutputFile) -> Blame:
        from modular.traceback.origins import origins  # with LibCST behind it; a blame from the cache needs neither

        module = modules.read(file.path, self.engine.text(modular, file.path))
        found = zip(origins(file, module, self.lines), outline(module))
        lines = (_line(number, origin, owner) for number, (origin, owner) in enumerate(found, start=1))
        return Blame(file.path, modular, module.code.text, tuple(lines))

    def lines(self, path: str) -> list[str]:
        """Return the lines of a source file, as conversions see it."""
        if path not in self._sources:
            self._sources[path] = self.engine.source(path).split("\n")
        return self._sources[path]

    def owners(self, path: str) -> list[Owner]:
        """Return what each line of a source file belongs to."""
        if path not in self._owners:
            self._owners[path] = outline(modules.read(path, "\n".join(self.lines(path))))
        return self._owners[path]

    def traced(self, path: str) -> Sequence[Traced]:
        """Return for each line of a generated file what people wrote it in: this is what `causes.causes` asks for."""
        return _TracedLines(self.current(path).lines, self._trace_line)

    def _trace_line(self, line: BlamedLine) -> Traced:
        return Traced(Owner(line.class_, line.member), self._spot(self._followed(line)))

    def _spot(self, line: BlamedLine) -> OriginPlace | None:
        if line.path is None or line.origin_line is None:
            return None
        return OriginPlace(line.path, line.origin_line, self.owners(line.path)[line.origin_line - 1])

    def names(self, path: str) -> set[str]:
        """Return the names that the model of a generated file has in it, prefixes included."""
        found = self.current(path)
        names = {model_name(found.modular), *(line.renamed.new for line in found.lines if line.renamed)}
        return names | {self.project.names.cased(name) for name in names}

    def deep(self, blame: Blame) -> Blame:
        """Return a blame that follows lines through parents that are generated to the first line written by hand."""
        return replace(blame, lines=tuple(map(self._followed, blame.lines)))

    def _followed(self, line: BlamedLine) -> BlamedLine:
        seen = set()
        while line.path is not None and line.origin_line is not None and line.path not in seen:
            seen.add(line.path)
            modular = self.project.generator(line.path)
            found = self.model(modular).get(line.path) if modular is not None else None
            if found is None or line.origin_line > len(found.lines):
                break
            behind = found.lines[line.origin_line - 1]
            if behind.path is None:
                break
            line = replace(line, path=behind.path, origin_line=behind.origin_line, renamed=_joined(behind, line))
        return line


class _TracedLines(Sequence[Traced]):
    """The lines of a file, each followed when it is asked for: only those around a change are."""

    def __init__(self, lines: Sequence[BlamedLine], trace: Callable[[BlamedLine], Traced]) -> None:
        self._lines = lines
        self._trace = trace

    def __len__(self) -> int:
        return len(self._lines)

    @overload
    def __getitem__(self, index: int) -> Traced: ...

    @overload
    def __getitem__(self, index: slice) -> list[Traced]: ...

    def __getitem__(self, index: int | slice) -> Traced | list[Traced]:
        return (
            list(map(self._trace, self._lines[index])) if isinstance(index, slice) else self._trace(self._lines[index])
        )


def _joined(first: BlamedLine, then: BlamedLine) -> Renaming | None:
    """What two renamings, one after the other, come to."""
    if first.renamed is None or then.renamed is None:
        return first.renamed or then.renamed
    return Renaming(first.renamed.old, then.renamed.new)


def _line(number: int, origin: "LineOrigin | None", owner: Owner) -> BlamedLine:
    if origin is None:
        return BlamedLine(number, Way.MADE, None, None, owner.class_, owner.member, None)
    place = origin.path, origin.line
    return BlamedLine(number, origin.way, *place, owner.class_, owner.member, origin.renaming)


def blame(path: str | os.PathLike[str], *, root: str | os.PathLike[str] | None = None, deep: bool = False) -> Blame:
    """Return who wrote each line of a generated file, and where to change it.

    ``path`` is seen from the current folder. ``root`` None: the project around the file. With ``deep``, lines from parents
    that are generated themselves are followed to the first hand-written line. Raises BlameError for a file that is not
    generated, or is not what its modular file says; and what `api.check` raises.
    """
    project, relative = find_file(path, root)
    with closing(Blamer(project)) as blamer:
        found = blamer.file(relative)
        return blamer.deep(found) if deep else found


def find_file(path: str | os.PathLike[str], root: str | os.PathLike[str] | None) -> tuple[Project, str]:
    """Return the project that a file belongs to, and the file's path from its root. Raises BlameError if there is none."""
    if not os.path.isfile(path):
        raise BlameError(f"{path}: no such file")
    project = open_project(root if root is not None else find_root(Path(os.path.abspath(path)).parent))
    relative = relative_to_root(project, os.fspath(path))
    if relative is None:
        raise BlameError(f"{path} is outside the project's root {project.root}")
    return project, relative
