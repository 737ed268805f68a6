"""Blame: the origin of each line of a generated file."""

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
from modular.source.module import normalize_text
from modular.source.source_slice import Renaming
from modular.system.errors import ModularError


__all__ = ["Blame", "BlameError", "BlamedLine", "Blamer", "blame", "find_file"]


class BlameError(ModularError):
    """A line or file cannot be blamed. The message says why and what to do."""


@dataclass(frozen=True)
class Blame:
    """The origins of the lines of a generated file.

    Attributes:
        path: The generated file, relative to the root.
        modular: Its modular file, relative to the root.
        text: The text of the generated file.
        lines: The origins of all its lines, or of some.
    """

    path: str
    modular: str
    text: str
    lines: tuple[BlamedLine, ...]

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The text of each line of the file."""
        return tuple(self.text.split("\n")[:-1])

    def only(self, first: int, last: int) -> "Blame":
        """Return the blame of the lines from ``first`` to ``last`` alone.

        Raises:
            BlameError: The file has no such lines.
        """
        if not 0 < first <= last <= len(self.texts):
            lines = f"line {first}" if first == last else f"lines {first} to {last}"
            raise BlameError(
                f"{self.path} has no {lines}: its lines are 1 to {len(self.texts)}"
            )
        return replace(self, lines=self.lines[first - 1 : last])


def blame(
    path: str | os.PathLike[str],
    *,
    root: str | os.PathLike[str] | None = None,
    deep: bool = False,
) -> Blame:
    """Return the origin of each line of a generated file.

    Args:
        path: The generated file, absolute or relative to the current folder.
        root: The project's root; by default that of the project around the file.
        deep: Whether to follow lines through parents that are generated themselves, to
            the first line that a person wrote.

    Raises:
        BlameError: The file is not generated, or is stale.
        modular.settings.settings.SettingsError: The settings cannot be used.
    """
    project, relative_path = find_file(path, root)
    blamer = Blamer(Engine(project))
    file_blame = blamer.blame_file_on_disk(relative_path)
    return blamer.trace_blame(file_blame) if deep else file_blame


class Blamer:
    """Blames the generated files of a project, each once.

    Parent files that are stale on disk are read as a conversion would write them.

    Attributes:
        engine: Converts the models.
        project: The engine's project.
        old_texts: Texts that source files had before a change, by path.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.project = engine.project
        self.old_texts: Mapping[str, str] = {}
        self._models: dict[str, dict[str, Blame]] = {}
        self._sources: dict[str, list[str]] = {}
        self._owners: dict[str, dict[int, Owner]] = {}
        self._names: dict[str, set[str]] = {}

    def diagnostics(self, modular: str) -> tuple[Diagnostic, ...]:
        """Return the diagnostics of a modular file."""
        return self._result(modular).diagnostics

    def blame_model(self, modular: str) -> Mapping[str, Blame]:
        """Return the blame of each file that a modular file generates, by path.

        The files are blamed as a conversion would write them now. A modular file with
        errors generates none.
        """
        if modular not in self._models:
            blames = {}
            if self._result(modular).outputs:
                # `_result` has determined which parent files this converter reads.
                converter = self.engine.batches.local_converter()
                for file in converter.convert(modular, inspects=False).files:
                    blames[file.path] = self._blame_output(modular, file)
            self._models[modular] = blames
        return self._models[modular]

    def _blame_output(self, modular: str, file: OutputFile) -> Blame:
        """Return the blame of a file that a conversion has just written."""
        text = normalize_text(self._result(modular).texts[file.path])
        formatted = modules.read(file.path, text)
        lines = tuple(blamed_lines(file, formatted, self.lines))
        return Blame(file.path, modular, text, lines)

    def blame_file_on_disk(self, path: str) -> Blame:
        """Return the blame of a generated file that is up to date on disk.

        Args:
            path: The file, relative to the root.

        Raises:
            BlameError: The file is not generated, or is stale.
        """
        file_blame = self.blame_file(path)
        modular = file_blame.modular
        expected_digest = self._result(modular).outputs[path]
        if self.engine.fingerprints.digest_on_disk(path) != expected_digest:
            command = f"modular convert {model_name(modular)}"
            raise BlameError(f"{path} is stale: run `{command}` first")
        return file_blame

    def blame_file(self, path: str) -> Blame:
        """Return the blame of a generated file as a conversion would write it now.

        Args:
            path: The file, relative to the root.

        Raises:
            BlameError: The file is not generated.
        """
        modular = self.project.generator(path)
        if modular is not None:
            file_blame = self.blame_model(modular).get(path)
            if file_blame is not None:
                return file_blame
            if self._result(modular).failed:
                command = f"modular check {model_name(modular)}"
                raise BlameError(f"{modular} has errors: run `{command}` to see them")
        raise BlameError(
            f"{path} is not generated: `modular where {path}:LINE` shows the generated "
            "lines that come from one of its lines"
        )

    def _result(self, modular: str) -> Result:
        """Return the result of a modular file, which is converted if necessary."""
        if modular not in self.engine.results:
            self.engine.run([modular])
        return self.engine.results[modular]

    def lines(self, path: str) -> list[str]:
        """Return the lines of a source file as a conversion reads it."""
        if path not in self._sources:
            self._sources[path] = self.engine.source(path).split("\n")
        return self._sources[path]

    def owner(self, path: str, line: int) -> Owner:
        """Return the class and member of a line (from 1) of a source file."""
        return self._line_owners(path).get(line, UNOWNED)

    def _line_owners(self, path: str) -> Mapping[int, Owner]:
        if path not in self._owners:
            module = modules.read(path, self.engine.source(path))
            self._owners[path] = line_owners(module)
        return self._owners[path]

    def model_names(self, path: str) -> set[str]:
        """Return the names of the model of a generated file, prefixes included."""
        lower_names = {model_name(self.blame_file(path).modular)}
        lower_names |= self._renamed_names(path)
        cased_names = {self.project.names.cased(name) for name in lower_names}
        return lower_names | cased_names

    def _renamed_names(self, path: str) -> set[str]:
        """Return the names that lines of a file, or of its generated parents, were given.

        If a parent's lines were renamed to `gemma_text`, and those of its child from
        `gemma` to `olmo`, the child's names are `olmo` and `olmo_text`.
        """
        if path in self._names:
            return self._names[path]
        names: set[str] = set()
        self._names[path] = names
        modular = self.project.generator(path)
        file_blame = None if modular is None else self.blame_model(modular).get(path)
        if file_blame is None:
            return names
        renamings = {(line.path, line.renamed) for line in file_blame.lines}
        for source_path, renamed in renamings:
            if source_path is not None and renamed is not None:
                names.add(renamed.new)
                for name in self._renamed_names(source_path):
                    names.add(name.replace(renamed.old, renamed.new))
        return names

    def trace_blame(self, blame: Blame) -> Blame:
        """Return a blame with the hand-written origin of each line. See `trace_line`."""
        return replace(blame, lines=tuple(map(self.trace_line, blame.lines)))

    def trace_line(self, line: BlamedLine) -> BlamedLine:
        """Return a line with its first hand-written origin.

        If the source is generated itself, the line is followed through it.
        """
        followed_paths = set()
        while line.path is not None and line.path not in followed_paths:
            followed_paths.add(line.path)
            parent_line = self._blamed_origin(line)
            if parent_line is None or parent_line.path is None:
                break
            line = replace(
                line,
                path=parent_line.path,
                origin_line=parent_line.origin_line,
                renamed=_joined_renaming(parent_line.renamed, line.renamed),
            )
        return line

    def _blamed_origin(self, line: BlamedLine) -> BlamedLine | None:
        """Return the blame of the line that a line comes from, if that is generated."""
        if line.path is None or line.origin_line is None:
            return None
        modular = self.project.generator(line.path)
        if modular is None:
            return None
        parent_blame = self.blame_model(modular).get(line.path)
        if parent_blame is None or line.origin_line > len(parent_blame.lines):
            return None
        return parent_blame.lines[line.origin_line - 1]


def _joined_renaming(
    first: Renaming | None, second: Renaming | None
) -> Renaming | None:
    """Join two renamings: `a` to `b` and then `b` to `c` is `a` to `c`."""
    if first is None or second is None:
        return first or second
    return Renaming(first.old, second.new)


def find_file(
    path: str | os.PathLike[str], root: str | os.PathLike[str] | None
) -> tuple[Project, str]:
    """Return the project that a file belongs to, and the file's path in it.

    Args:
        path: The file, absolute or relative to the current folder.
        root: The project's root. By default, a file of the source library belongs to
            the project around the current folder, any other to the one around itself.

    Raises:
        BlameError: The file does not exist, or is outside of the root.
        modular.settings.settings.SettingsError: The settings cannot be used.
    """
    if not os.path.isfile(path):
        raise BlameError(f"{path}: no such file")
    absolute_path = Path(os.path.abspath(path))
    with suppress(SettingsError):
        current_root = find_root(Path.cwd()) if root is None else root
        project = open_project(current_root)
        if project.modular_files and project.library is not None:
            library_path = project.library.path_of(absolute_path)
            if library_path is not None:
                return project, library_path

    file_root = find_root(absolute_path.parent) if root is None else root
    project = open_project(file_root)
    relative_path = relative_to_root(project, os.fspath(path))
    if relative_path is None:
        raise BlameError(f"{path} is outside the project's root {project.root}")
    return project, relative_path
