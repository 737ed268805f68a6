"""Where: the generated lines, in all models, that come from one source line."""

import os
import shlex
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter
from typing import NamedTuple

from modular.provenance.blame import Blame, BlamedLine, BlameError, Blamer, find_file
from modular.run.engine import Engine
from modular.run.options import Options
from modular.source.diagnostics import Diagnostic


class GeneratedLine(NamedTuple):
    """A line of a generated file, with the blame of that file."""

    file: Blame
    line: BlamedLine


@dataclass(frozen=True)
class Where:
    """The generated lines that come from one source line.

    Attributes:
        path: The source file, relative to the root.
        line: The line in it, from 1.
        text: The text of the line.
        generated_lines: The generated lines, sorted by file and line. The origin that
            each of them names is the direct one, which may be a line of a generated
            parent.
        failures: The errors of models that depend on the file and could not be
            converted. They may have the line, too.
    """

    path: str
    line: int
    text: str
    generated_lines: tuple[GeneratedLine, ...]
    failures: tuple[Diagnostic, ...] = ()

    @property
    def files(self) -> tuple[str, ...]:
        """The generated files that have the line, sorted."""
        return tuple(
            dict.fromkeys(generated.file.path for generated in self.generated_lines)
        )


def where(
    path: str | os.PathLike[str],
    line: int,
    *,
    options: Options = Options(),
) -> Where:
    """Return the generated lines, in all models, that come from one source line.

    Generated files are taken as a conversion would write them now.

    Args:
        path: A modular file, or a parent file that a person wrote, absolute or relative
            to the current folder.
        line: The line, from 1.
        options: Options of the run. Without a root, the project is the one around the
            file or, for a file of the source library, around the current folder.

    Raises:
        BlameError: The file cannot be read, is generated, or has no such line.
        modular.settings.settings.SettingsError: The settings cannot be used.
    """
    project, relative_path = find_file(path, options)
    loaded = project.load(relative_path, {})
    if loaded.problem is not None:
        raise BlameError(f"{path}: {loaded.problem.message}")
    lines = loaded.text.split("\n")[:-1]
    if not 0 < line <= len(lines):
        raise BlameError(
            f"{relative_path} has no line {line}: its lines are 1 to {len(lines)}"
        )

    blamer = Blamer(Engine(project, options))
    modular = project.generating_modular(relative_path)
    is_generated = modular is not None and relative_path in blamer.origins(modular)
    if is_generated:
        command = shlex.join(["modular", "blame", f"{relative_path}:{line}"])
        raise BlameError(
            f"{relative_path} is generated: run `{command}` to see the line it comes from"
        )
    search = _Search(blamer)
    search.run(relative_path, line)
    search.generated_lines.sort(key=attrgetter("file.path", "line.line"))
    failures = chain.from_iterable(search.errors_by_model.values())
    return Where(
        path=relative_path,
        line=line,
        text=lines[line - 1],
        generated_lines=tuple(search.generated_lines),
        failures=tuple(failures),
    )


class _Search:
    """Searches the models of a project for the lines that come from a source line.

    Attributes:
        generated_lines: The lines that were found.
        errors_by_model: The errors of each searched model, by its modular file.
    """

    def __init__(self, blamer: Blamer) -> None:
        """Create a search that has found nothing yet."""
        self._blamer = blamer
        self.generated_lines: list[GeneratedLine] = []
        self.errors_by_model: dict[str, list[Diagnostic]] = {}

    def run(self, path: str, line: int) -> None:
        """Find all generated lines that come from a source line, also indirectly.

        A generated file can be the parent of another model. So the lines that one round
        finds are the source lines of the next round, until a round finds none.

        Args:
            path: The source file.
            line: The line in it, from 1.
        """
        # The numbers of the lines, by the path of their file.
        source_lines: Mapping[str, Collection[int]] = {path: {line}}
        while source_lines:
            found_lines: dict[str, set[int]] = defaultdict(set)
            modular_files = self._convert_dependents(source_lines)
            progress = self._blamer.engine.batches.progress
            for number, modular in enumerate(modular_files):
                if progress is not None:
                    progress("tracing lines", number, len(modular_files))
                self.errors_by_model[modular] = self._blamer.errors(modular)
                for generated in self._find_direct_lines(modular, source_lines):
                    self.generated_lines.append(generated)
                    found_lines[generated.file.path].add(generated.line.line)
            source_lines = found_lines

    def _convert_dependents(self, paths: Collection[str]) -> list[str]:
        """Convert the models that are generated from some files or inherit from them.

        Returns:
            Their modular files: those among the given files, and those that have one of
            the given files as a parent.
        """
        engine = self._blamer.engine
        parents_by_modular = engine.fingerprints.inputs.parents
        modular_files = []
        for modular, parents in parents_by_modular.items():
            has_given_parent = not parents.isdisjoint(paths)
            if modular in paths or has_given_parent:
                modular_files.append(modular)
        engine.run(modular_files)
        return modular_files

    def _find_direct_lines(
        self, modular: str, source_lines: Mapping[str, Collection[int]]
    ) -> Iterator[GeneratedLine]:
        """Yield the generated lines of a model that come directly from source lines.

        Args:
            modular: The modular file of the model.
            source_lines: The numbers of the source lines, by path.
        """
        for generated_path, runs in self._blamer.origins(modular).items():
            # A run is adjacent generated lines that come from adjacent lines of one
            # source file.
            for run in runs:
                source_path = run.first.path
                # The converter wrote these lines itself.
                if source_path is None:
                    continue
                numbers = source_lines.get(source_path, ())
                for line in run.lines_from(numbers):
                    blame = self._blamer.blame_file(generated_path)
                    yield GeneratedLine(blame, line)
