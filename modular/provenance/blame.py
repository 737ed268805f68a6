"""Blame: for each line of a generated file, who wrote it and where to change it."""

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from modular.cache.result_cache import Result
from modular.flatten.outputs import OutputFile
from modular.project.opening import find_root, open_project
from modular.project.project import Project, model_name
from modular.provenance.lines import Blame, BlamedLine, BlameError
from modular.provenance.origins import LineOrigin, line_origins
from modular.provenance.outline import Outline, Owner
from modular.rules.drafts import Provenance
from modular.rules.settings import SettingsError
from modular.run.engine import Engine
from modular.run.selection import relative_to_root
from modular.source import module as modules
from modular.source.code import Renaming
from modular.source.diagnostics import Diagnostic
from modular.source.module import normalised


__all__ = ["Blame", "BlameError", "BlamedLine", "Blamer", "blame", "find_file"]


class Blamer:
    """Blames the files of an engine's project. Parent files are taken fresh, as a conversion would take them.

    What was found out is kept. ``older`` are the texts that source files had before a change, where they are known. Raises
    what `api.check` raises.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.project = engine.project
        self.older: Mapping[str, str] = {}
        self._models: dict[str, dict[str, Blame]] = {}
        self._sources: dict[str, list[str]] = {}
        self._outlines: dict[str, Outline] = {}
        self._older_owners: dict[str, set[Owner]] = {}

    def silence(self) -> None:
        """Show no progress any more."""
        self.engine.batches.progress = None

    def diagnostics(self, modular: str) -> tuple[Diagnostic, ...]:
        """Return what is wrong with a modular file."""
        return self._result(modular).diagnostics

    def model(self, modular: str) -> Mapping[str, Blame]:
        """Return the blame of each file that a modular file generates, by path, as it would be written now.

        There are none for a modular file with errors.
        """
        if modular not in self._models:
            files = self.engine.unformatted(modular) if self._result(modular).outputs else ()
            self._models[modular] = {file.path: self._blame(modular, file) for file in files}
        return self._models[modular]

    def _blame(self, modular: str, file: OutputFile) -> Blame:
        text = normalised(self.engine.text(modular, file.path))
        module = modules.read(file.path, text)
        outline = Outline(module)
        origins = enumerate(line_origins(file, module, self.lines), 1)
        lines = (_blamed(number, origin, outline.owner(number)) for number, origin in origins)
        return Blame(file.path, modular, text, tuple(lines))

    def file(self, path: str) -> Blame:
        """Return the blame of a generated file, by its path relative to the root, as it is on disk.

        Raises BlameError for a file that is not generated, or is not what its modular file says.
        """
        current = self.current(path)
        if self.engine.fingerprints.disk(path) != self._result(current.modular).outputs[path]:
            raise BlameError(f"{path} is stale: `modular convert {model_name(current.modular)}` writes it anew")
        return current

    def current(self, path: str) -> Blame:
        """Return the blame of a generated file, by its path relative to the root, as it would be written now.

        Raises BlameError for a file that is not generated.
        """
        modular = self.project.generator(path)
        current = self.model(modular).get(path) if modular is not None else None
        if modular is None or (current is None and not self._result(modular).failed):
            raise BlameError(
                f"{path} is not generated: `modular where {path}:LINE` says what comes from one of its lines"
            )
        if current is None:
            raise BlameError(f"{modular} has errors: `modular check {model_name(modular)}` shows them")
        return current

    def _result(self, modular: str) -> Result:
        if modular not in self.engine.results:
            self.engine.run([modular])
        return self.engine.results[modular]

    def lines(self, path: str) -> list[str]:
        """Return the lines of a source file, as conversions see it."""
        if path not in self._sources:
            self._sources[path] = self.engine.source(path).split("\n")
        return self._sources[path]

    def owner(self, path: str, line: int) -> Owner:
        """Return what a line (from 1) of a source file belongs to."""
        return self._outline(path).owner(line)

    def has_lost(self, path: str, owner: Owner) -> bool:
        """Whether a source file had a member that it does not have any more, as far as its older text is known."""
        if path not in self.older:
            return False
        if path not in self._older_owners:
            self._older_owners[path] = set(Outline(modules.read(path, self.older[path])).owners())
        return owner in self._older_owners[path] and owner not in self._outline(path).owners()

    def _outline(self, path: str) -> Outline:
        if path not in self._outlines:
            self._outlines[path] = Outline(modules.read(path, "\n".join(self.lines(path))))
        return self._outlines[path]

    def names(self, path: str) -> set[str]:
        """Return the names that the model of a generated file has in it, prefixes included."""
        current = self.current(path)
        renamings = {line.renamed for line in current.lines if line.renamed is not None}
        names = {model_name(current.modular), *(renaming.new for renaming in renamings)}
        return names | {self.project.names.cased(name) for name in names}

    def deep(self, blame: Blame) -> Blame:
        """Return a blame that follows lines through parents that are generated to the first line written by hand."""
        return replace(blame, lines=tuple(map(self.followed, blame.lines)))

    def followed(self, line: BlamedLine) -> BlamedLine:
        """Return a line with the first hand-written one that it comes from."""
        seen = set()
        while line.path is not None and line.origin_line is not None and line.path not in seen:
            seen.add(line.path)
            modular = self.project.generator(line.path)
            parent = self.model(modular).get(line.path) if modular is not None else None
            if parent is None or line.origin_line > len(parent.lines):
                break
            source = parent.lines[line.origin_line - 1]
            if source.path is None:
                break
            line = replace(line, path=source.path, origin_line=source.origin_line, renamed=_joined(source, line))
        return line


def _blamed(number: int, origin: LineOrigin | None, owner: Owner) -> BlamedLine:
    if origin is None:
        return BlamedLine(number, Provenance.MADE, None, None, owner.class_, owner.member, None)
    return BlamedLine(number, origin.way, origin.path, origin.line, owner.class_, owner.member, origin.renaming)


def _joined(first: BlamedLine, then: BlamedLine) -> Renaming | None:
    """What two renamings, one after the other, come to."""
    if first.renamed is None or then.renamed is None:
        return first.renamed or then.renamed
    return Renaming(first.renamed.old, then.renamed.new)


def blame(path: str | os.PathLike[str], *, root: str | os.PathLike[str] | None = None, deep: bool = False) -> Blame:
    """Return who wrote each line of a generated file, and where to change it.

    ``path`` is seen from the current folder. ``root`` None: the project around the file. With ``deep``, lines from parents
    that are generated themselves are followed to the first hand-written line. Raises BlameError for a file that is not
    generated, or is not what its modular file says; and what `api.check` raises.
    """
    project, relative = find_file(path, root)
    blamer = Blamer(Engine(project))
    current = blamer.file(relative)
    return blamer.deep(current) if deep else current


def find_file(path: str | os.PathLike[str], root: str | os.PathLike[str] | None) -> tuple[Project, str]:
    """Return the project that a file belongs to, and what the file is called there. Raises BlameError if there is none.

    ``root`` None: a file of the source library belongs to the project around the current folder, any other one to the
    project around the file.
    """
    if not os.path.isfile(path):
        raise BlameError(f"{path}: no such file")
    place = Path(os.path.abspath(path))
    with suppress(SettingsError):
        here = open_project(root if root is not None else find_root(Path.cwd()))
        if here.modular_files and here.library is not None and (inside := here.library.path_of(place)) is not None:
            return here, inside
    project = open_project(root if root is not None else find_root(place.parent))
    relative = relative_to_root(project, os.fspath(path))
    if relative is None:
        raise BlameError(f"{path} is outside the project's root {project.root}")
    return project, relative
