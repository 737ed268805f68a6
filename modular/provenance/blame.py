"""Blame: for each line of a generated file, who wrote it and where to change it."""

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from modular.cache.result_cache import Result
from modular.flatten.outputs import OutputFile
from modular.project.opening import find_root, open_project
from modular.project.project import Project, model_name
from modular.provenance.origins import BlamedLine, blamed_lines
from modular.provenance.outline import UNOWNED, Owner, line_owners
from modular.run.engine import Engine
from modular.run.selection import relative_to_root
from modular.settings.settings import SettingsError
from modular.source import module as modules
from modular.source.diagnostics import Diagnostic
from modular.source.module import normalised
from modular.source.source_slice import Renaming
from modular.system.errors import ModularError


__all__ = ["Blame", "BlameError", "BlamedLine", "Blamer", "blame", "find_file"]


class BlameError(ModularError):
    """A line or file cannot be blamed. The message says why and what to do."""


@dataclass(frozen=True)
class Blame:
    """A generated file and its modular file, by paths relative to the root, its text, and what is known of its lines.

    These are all lines, or those that were asked for.
    """

    path: str
    modular: str
    text: str
    lines: tuple[BlamedLine, ...]

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """What is on each line of the file."""
        return tuple(self.text.split("\n")[:-1])

    def only(self, first: int, last: int) -> "Blame":
        """Return this with the lines from ``first`` to ``last`` alone. Raises BlameError if the file has no such lines."""
        if not 0 < first <= last <= len(self.texts):
            shown = f"line {first}" if first == last else f"lines {first} to {last}"
            raise BlameError(
                f"{self.path} has no {shown}: its lines are 1 to {len(self.texts)}"
            )
        return replace(self, lines=self.lines[first - 1 : last])


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
        self._owners: dict[str, dict[int, Owner]] = {}

    def diagnostics(self, modular: str) -> tuple[Diagnostic, ...]:
        """Return what is wrong with a modular file."""
        return self._result(modular).diagnostics

    def model(self, modular: str) -> Mapping[str, Blame]:
        """Return the blame of each file that a modular file generates, by path, as it would be written now.

        There are none for a modular file with errors.
        """
        if modular not in self._models:
            blames = {}
            if self._result(modular).outputs:
                # The run above says which parent files this converter reads.
                converter = self.engine.batches.local_converter()
                for file in converter.convert(modular, inspects=False).files:
                    blames[file.path] = self._blame(modular, file)
            self._models[modular] = blames
        return self._models[modular]

    def _blame(self, modular: str, file: OutputFile) -> Blame:
        text = normalised(self._result(modular).texts[file.path])
        return Blame(
            file.path,
            modular,
            text,
            tuple(blamed_lines(file, modules.read(file.path, text), self.lines)),
        )

    def file(self, path: str) -> Blame:
        """Return the blame of a generated file, by its path relative to the root, as it is on disk.

        Raises BlameError for a file that is not generated, or is not what its modular file says.
        """
        current = self.current(path)
        if (
            self.engine.fingerprints.disk(path)
            != self._result(current.modular).outputs[path]
        ):
            raise BlameError(
                f"{path} is stale: `modular convert {model_name(current.modular)}` writes it anew"
            )
        return current

    def current(self, path: str) -> Blame:
        """Return the blame of a generated file, by its path relative to the root, as it would be written now.

        Raises BlameError for a file that is not generated.
        """
        modular = self.project.generator(path)
        current = self.model(modular).get(path) if modular is not None else None
        if current is not None:
            return current
        if modular is not None and self._result(modular).failed:
            raise BlameError(
                f"{modular} has errors: `modular check {model_name(modular)}` shows them"
            )
        raise BlameError(
            f"{path} is not generated: `modular where {path}:LINE` says what comes from one of its lines"
        )

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
        return self._owners_in(path).get(line, UNOWNED)

    def has_lost(self, path: str, owner: Owner) -> bool:
        """Whether a source file had a member that it does not have any more, as far as its older text is known."""
        older = line_owners(modules.read(path, self.older.get(path, "")))
        return owner in older.values() and owner not in self._owners_in(path).values()

    def _owners_in(self, path: str) -> Mapping[int, Owner]:
        if path not in self._owners:
            self._owners[path] = line_owners(
                modules.read(path, self.engine.source(path))
            )
        return self._owners[path]

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
        while (
            line.path is not None
            and line.origin_line is not None
            and line.path not in seen
        ):
            seen.add(line.path)
            modular = self.project.generator(line.path)
            parent = self.model(modular).get(line.path) if modular is not None else None
            if parent is None or line.origin_line > len(parent.lines):
                break
            source = parent.lines[line.origin_line - 1]
            if source.path is None:
                break
            line = replace(
                line,
                path=source.path,
                origin_line=source.origin_line,
                renamed=_joined(source, line),
            )
        return line


def _joined(first: BlamedLine, then: BlamedLine) -> Renaming | None:
    """What two renamings, one after the other, come to."""
    if first.renamed is None or then.renamed is None:
        return first.renamed or then.renamed
    return Renaming(first.renamed.old, then.renamed.new)


def blame(
    path: str | os.PathLike[str],
    *,
    root: str | os.PathLike[str] | None = None,
    deep: bool = False,
) -> Blame:
    """Return who wrote each line of a generated file, and where to change it.

    ``path`` is seen from the current folder. ``root`` None: the project around the file. With ``deep``, lines from parents
    that are generated themselves are followed to the first hand-written line. Raises BlameError for a file that is not
    generated, or is not what its modular file says; and what `api.check` raises.
    """
    project, relative = find_file(path, root)
    blamer = Blamer(Engine(project))
    current = blamer.file(relative)
    return blamer.deep(current) if deep else current


def find_file(
    path: str | os.PathLike[str], root: str | os.PathLike[str] | None
) -> tuple[Project, str]:
    """Return the project that a file belongs to, and what the file is called there. Raises BlameError if there is none.

    ``root`` None: a file of the source library belongs to the project around the current folder, any other one to the
    project around the file.
    """
    if not os.path.isfile(path):
        raise BlameError(f"{path}: no such file")
    place = Path(os.path.abspath(path))
    with suppress(SettingsError):
        here = open_project(root if root is not None else find_root(Path.cwd()))
        if (
            here.modular_files
            and here.library is not None
            and (inside := here.library.path_of(place)) is not None
        ):
            return here, inside
    project = open_project(root if root is not None else find_root(place.parent))
    relative = relative_to_root(project, os.fspath(path))
    if relative is None:
        raise BlameError(f"{path} is outside the project's root {project.root}")
    return project, relative
