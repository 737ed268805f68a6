"""Blame: the origin of each line of a generated file."""

import itertools
import os
import shlex
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from modular.cache.result_cache import Result
from modular.flatten.outputs import Renaming
from modular.project.project import Project, model_name
from modular.provenance import origin_runs
from modular.provenance.origin_runs import OriginRun, join_lines, join_runs
from modular.provenance.origins import BlamedLine, blamed_lines
from modular.provenance.outline import (
    UNOWNED,
    Owner,
    SourceOwner,
    line_owners,
    read_outline,
)
from modular.run.engine import Engine
from modular.run.options import Options
from modular.run.selection import relative_to_root
from modular.settings.settings import SettingsError
from modular.source import module as modules
from modular.source.diagnostics import Diagnostic
from modular.source.module import normalize_text
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
        runs: The origins of all its lines, or of some, in runs.
    """

    path: str
    modular: str
    text: str
    runs: Sequence[OriginRun]

    @property
    def lines(self) -> tuple[BlamedLine, ...]:
        """The origin of each of the lines.

        The lines are not kept: those of many files would take much more memory than
        `runs`.
        """
        return tuple(itertools.chain.from_iterable(run.lines() for run in self.runs))

    def line(self, number: int) -> BlamedLine:
        """Return the origin of a line of the file (from 1)."""
        run = self.runs[self._run_index(number)]
        return run.line(number - run.first.line)

    def _run_index(self, number: int) -> int:
        """Return the index of the run that has a line of the file (from 1)."""
        # The run is the last one that begins on this line or above it.
        return bisect_right(self.runs, number, key=lambda run: run.first.line) - 1

    def runs_between(self, start: int, end: int) -> Iterator[OriginRun]:
        """Yield the origins of some lines of the file, in runs.

        If the file has runs of lines 40 to 43 and 44 to 60, lines 42 to 45 are yielded
        as two runs: 42 to 43 and 44 to 45.

        Args:
            start: Number of the first line, from 1.
            end: Number after the last line. Lines below the end of the file are left out.
        """
        first_index = self._run_index(start)
        for run in self.runs[first_index:]:
            end_in_run = min(end, run.end)
            if start >= end_in_run:
                # All lines were yielded, or the file has no more.
                return
            yield run.between(start, end_in_run)
            start = end_in_run

    def owners(self) -> dict[int, Owner]:
        """Return the class and member of each line, by its number (from 1).

        Lines outside of all definitions are left out.
        """
        owners: dict[int, Owner] = {}
        for run in self.runs:
            owner = run.first.owner
            if owner != UNOWNED:
                owners |= dict.fromkeys(range(run.first.line, run.end), owner)
        return owners

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The text of each line of the file."""
        return tuple(self.text.split("\n")[:-1])

    def only(self, first: int, last: int) -> "Blame":
        """Return the origins of the lines from ``first`` to ``last`` alone.

        Args:
            first: Number of the first line, from 1.
            last: Number of the last line.

        Raises:
            BlameError: The file has no such lines.
        """
        if not 0 < first <= last <= len(self.texts):
            lines = f"line {first}" if first == last else f"lines {first} to {last}"
            raise BlameError(
                f"{self.path} has no {lines}: its lines are 1 to {len(self.texts)}"
            )
        return replace(self, runs=join_lines(self.lines[first - 1 : last]))


def blame(
    path: str | os.PathLike[str],
    *,
    deep: bool = False,
    options: Options = Options(),
) -> Blame:
    """Return the origin of each line of a generated file.

    Args:
        path: The generated file, absolute or relative to the current folder.
        deep: Whether to follow lines through parents that are generated themselves, to
            the first line that a person wrote.
        options: Options of the run. Without a root, the project is the one around the
            file.

    Raises:
        BlameError: The file is not generated, or is stale.
        modular.settings.settings.SettingsError: The settings cannot be used.
    """
    project, relative_path = find_file(path, options)
    blamer = Blamer(Engine(project, options))
    file_blame = blamer.blame_file_on_disk(relative_path)
    return blamer.trace_blame(file_blame) if deep else file_blame


class Blamer:
    """Blames the generated files of a project, each once.

    Parent files that are stale on disk are read as a conversion would write them.

    Attributes:
        engine: Converts the models.
        project: The engine's project.
    """

    def __init__(self, engine: Engine) -> None:
        """Prepare to find origins of generated lines.

        Args:
            engine: Converts the models.
        """
        self.engine = engine
        # `_find_origins` needs the output files before formatting.
        self.engine.keeps_files = True
        self.project = engine.project
        # By modular file, then by generated file.
        self._blames_by_modular: dict[str, Mapping[str, Blame]] = {}
        self._origins_by_modular: dict[str, Mapping[str, Sequence[OriginRun]]] = {}
        # By source file. The owners are by line number, too.
        self._lines_by_path: dict[str, list[str]] = {}
        self._owners_by_path: dict[str, Mapping[int, Owner]] = {}

    def diagnostics(self, modular: str) -> tuple[Diagnostic, ...]:
        """Return the diagnostics of a modular file."""
        return self._result(modular).diagnostics

    def errors(self, modular: str) -> list[Diagnostic]:
        """Return the errors of a modular file."""
        diagnostics = self.diagnostics(modular)
        return [diagnostic for diagnostic in diagnostics if diagnostic.is_error]

    def blame_model(self, modular: str) -> Mapping[str, Blame]:
        """Return a `Blame` for each file that a modular file generates, by path.

        It has the text of the file and the origins of its lines. The files are taken as a
        conversion would write them now. A modular file with errors generates no files.
        """
        if modular not in self._blames_by_modular:
            texts = self._result(modular).texts
            blames = {}
            for path, runs in self.origins(modular).items():
                text = normalize_text(texts[path])
                blames[path] = Blame(path, modular, text, runs)
            self._blames_by_modular[modular] = blames
        return self._blames_by_modular[modular]

    def origins(self, modular: str) -> Mapping[str, Sequence[OriginRun]]:
        """Return the origins of all lines that a modular file generates, by path.

        A modular file with errors generates nothing, so the mapping is empty. The engine
        keeps the origins with the result of the conversion, as JSON, so that later runs
        find them in the cache.
        """
        if modular not in self._origins_by_modular:
            result = self._result(modular)
            origins = origin_runs.decode(result.origins or "{}")
            if result.texts and not origins:
                # Nobody has asked for the origins since the conversion.
                encoded = origin_runs.encode(self._find_origins(result))
                self.engine.keep_origins(modular, encoded)
                origins = origin_runs.decode(encoded)
            self._origins_by_modular[modular] = origins
        return self._origins_by_modular[modular]

    def _find_origins(self, result: Result) -> dict[str, list[OriginRun]]:
        """Return the origins of all lines that a conversion generates, by path.

        The converter knows the source of each line only before formatting, so the
        formatted lines are compared with the unformatted ones.

        Args:
            result: The result of converting a modular file.
        """
        unformatted_files = result.files
        if not unformatted_files:
            # A result from the cache has only the formatted texts.
            converter = self.engine.batches.local_converter()
            conversion = converter.convert(result.modular, inspects=False)
            unformatted_files = conversion.files

        origins = {}
        for unformatted in unformatted_files:
            path = unformatted.path
            formatted = read_outline(path, normalize_text(result.texts[path]))
            lines = blamed_lines(unformatted, formatted, sources=self.lines)
            origins[path] = join_lines(lines)
        return origins

    def blame_file_on_disk(self, path: str) -> Blame:
        """Return the origins of the lines of a generated file that is up to date on disk.

        Args:
            path: The file, relative to the root.

        Raises:
            BlameError: The file is not generated, or is stale.
        """
        file_blame = self.blame_file(path)
        modular = file_blame.modular
        expected_digest = self._result(modular).outputs[path]
        if self.engine.fingerprints.digest_below_root(path) != expected_digest:
            command = f"modular convert {model_name(modular)}"
            raise BlameError(f"{path} is stale: run `{command}` first")
        return file_blame

    def blame_file(self, path: str) -> Blame:
        """Return the origins of the lines of a generated file.

        The file is taken as a conversion would write it now.

        Args:
            path: The file, relative to the root.

        Raises:
            BlameError: The file is not generated.
        """
        modular = self.project.generating_modular(path)
        if modular is not None:
            file_blame = self.blame_model(modular).get(path)
            if file_blame is not None:
                return file_blame
            if self._result(modular).failed:
                command = f"modular check {model_name(modular)}"
                raise BlameError(f"{modular} has errors: run `{command}` to see them")
        command = shlex.join(["modular", "where", f"{path}:LINE"])
        raise BlameError(
            f"{path} is not generated: `{command}` shows the generated lines that come "
            "from one of its lines"
        )

    def _result(self, modular: str) -> Result:
        """Return the result of a modular file, which is converted if necessary."""
        if modular not in self.engine.results:
            self.engine.run([modular])
        return self.engine.results[modular]

    def lines(self, path: str) -> list[str]:
        """Return the lines of a source file as a conversion reads it."""
        if path not in self._lines_by_path:
            self._lines_by_path[path] = self.engine.source(path).split("\n")
        return self._lines_by_path[path]

    def owner(self, path: str, line: int) -> Owner:
        """Return the class and member of a line (from 1) of a source file."""
        if path not in self._owners_by_path:
            module = modules.read(path, self.engine.source(path))
            self._owners_by_path[path] = line_owners(module)
        return self._owners_by_path[path].get(line, UNOWNED)

    def lineage(self, path: str, line: int) -> list[SourceOwner]:
        """Return the classes and members that a generated line comes from, in steps.

        A line of the generated `OlmoMLP.forward` has two: `OlmoMLP.forward` of the
        modular file, even if that only inherits the method, and its origin
        `LlamaMLP.forward` of the parent file. If a parent is itself generated, its
        modular file comes in between.

        Args:
            path: The generated file, which the engine has converted.
            line: Number of the line, from 1.
        """
        owners: list[SourceOwner] = []
        followed_paths: set[str] = set()
        # Files that inherit from each other would be followed for ever otherwise.
        while path not in followed_paths:
            followed_paths.add(path)
            blame = self._blame_if_generated(path)
            if blame is None or line > len(blame.texts):
                # A person wrote this file.
                owners.append(SourceOwner(path, self.owner(path, line)))
                break
            blamed_line = blame.line(line)
            owners.append(SourceOwner(blame.modular, blamed_line.owner))
            source = blamed_line.place
            if source is None:
                break
            path = source.path
            line = source.line
        return owners

    def trace_blame(self, blame: Blame) -> Blame:
        """Return a blame with the hand-written origin of each line. See `trace_line`."""
        traced_runs: list[OriginRun] = []
        for run in blame.runs:
            traced_runs += self._trace_run(run)
        return replace(blame, runs=join_runs(traced_runs))

    def trace_line(self, line: BlamedLine) -> BlamedLine:
        """Return a line with its hand-written origin.

        If the line comes from a file that is generated itself, it is followed through
        that file to the line that a person wrote.
        """
        return next(self._trace_run(OriginRun(1, line))).first

    def _trace_run(
        self, run: OriginRun, followed_paths: AbstractSet[str] = frozenset()
    ) -> Iterator[OriginRun]:
        """Yield generated lines with their hand-written origins, in runs.

        For example, lines 12 to 15 come from lines 40 to 43 of a source that is generated
        itself. There, lines 40 and 41 come from one hand-written file, and 42 and 43 from
        another. So lines 12 and 13 are yielded as one run, and 14 and 15 as a second.

        Args:
            run: Adjacent generated lines that come from adjacent lines of one source.
            followed_paths: Generated sources through which this source was found.
        """
        source = run.first.place
        # Files that inherit from each other would be followed for ever otherwise.
        if source is None or source.path in followed_paths:
            yield run
            return
        source_blame = self._blame_if_generated(source.path)
        if source_blame is None:
            # The source is hand-written.
            yield run
            return

        start = run.first.line
        source_end = source.line + run.line_count
        for source_run in source_blame.runs_between(source.line, source_end):
            # For lines 40 and 41 of the source, these are lines 12 and 13.
            generated_part = run.between(start, start + source_run.line_count)
            start = generated_part.end
            if source_run.first.path is None:
                # The converter made these source lines, so they come from no other file.
                yield generated_part
            else:
                # The origin of the source lines may be generated, too.
                moved_part = _with_origin_of(generated_part, source_run)
                yield from self._trace_run(moved_part, {*followed_paths, source.path})
        # If the source has become shorter, the last lines cannot be traced.
        if start < run.end:
            yield run.between(start, run.end)

    def _blame_if_generated(self, path: str) -> Blame | None:
        """Return the blame of a file; None if no modular file generates it."""
        modular = self.project.generating_modular(path)
        if modular is None:
            return None
        return self.blame_model(modular).get(path)


def _with_origin_of(run: OriginRun, source_run: OriginRun) -> OriginRun:
    """Return generated lines with the origin of the source lines that they come from.

    Line 12 of `modeling_c.py` comes from line 40 of `modeling_b.py`, which comes from
    line 7 of `modeling_a.py`. In the result, line 12 comes from line 7.

    Args:
        run: The lines of `modeling_c.py`.
        source_run: The same number of lines of `modeling_b.py`, from which they come.
    """
    source = source_run.first
    first = run.first._replace(
        path=source.path,
        origin_line=source.origin_line,
        renamed=_join_renamings(source.renamed, run.first.renamed),
    )
    return OriginRun(run.line_count, first)


def _join_renamings(first: Renaming | None, second: Renaming | None) -> Renaming | None:
    """Return the renaming that has the effect of two renamings, one after the other.

    If `a` is renamed to `b_text`, and then `b` to `c`, then `a` is renamed to `c_text`.
    """
    if first is None or second is None:
        return first or second
    return Renaming(first.old, first.new.replace(second.old, second.new))


def find_file(path: str | os.PathLike[str], options: Options) -> tuple[Project, str]:
    """Return the project that a file belongs to, and the file's path in it.

    Args:
        path: The file, absolute or relative to the current folder.
        options: Options of the run. They can name the root of the project. Without a
            root, this is the project around the current folder if its source library
            has the file, and otherwise the project around the file.

    Raises:
        BlameError: The file does not exist, or is outside of the root.
        modular.settings.settings.SettingsError: The settings cannot be used.
    """
    if not os.path.isfile(path):
        message = f"{path}: no such file"
        # A path with a line, such as `modeling_olmo.py:12`, is not the name of a model.
        is_model_name = ".py" not in os.fspath(path)
        if is_model_name:
            message += "; write the path of a Python file, not the name of a model"
        raise BlameError(message)
    absolute_path = os.path.abspath(path)
    # An installed library can be in any folder, which does not tell the project.
    library_file = _find_library_file(absolute_path, options)
    if library_file is not None:
        return library_file

    project = options.open([absolute_path])
    relative_path = relative_to_root(project, os.fspath(path))
    if relative_path is None:
        raise BlameError(f"{path} is outside the project's root {project.root}")
    return project, relative_path


def _find_library_file(path: str, options: Options) -> tuple[Project, str] | None:
    """Return a file of the source library, with the project that uses the library.

    The source library, such as transformers, is where a project's parent classes come
    from.

    Returns:
        None if the project around the current folder has no source library, or the file is
        not in it.
    """
    try:
        project = options.open()
    except SettingsError:
        # The current folder is in no project, or in one that cannot be used.
        return None
    if project.library is None or not project.modular_files:
        return None
    library_path = project.library.path_of(Path(path))
    if library_path is None:
        return None
    return project, library_path
