"""Where: the generated lines, in all models, that come from one source line."""

import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple

from modular.cache.inputs import Inputs, affected
from modular.provenance.blame import Blame, BlamedLine, BlameError, Blamer, find_file
from modular.run.engine import Engine
from modular.run.options import Options, Progress
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
        generated_lines: The generated lines, sorted by file and line. The origin that each of
            them names is the direct one, which may be a line of a generated parent.
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
    root: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Where:
    """Return the generated lines, in all models, that come from one source line.

    Generated files are taken as they would be written now.

    Args:
        path: A modular file, or a parent file that a person wrote, absolute or relative
            to the current folder.
        line: The line, from 1.
        root: The project's root; by default that of the project around the file or, for
            a file of the source library, around the current folder.
        progress: Is told how many models are converted.

    Raises:
        BlameError: The file cannot be read, is generated, or has no such line.
        modular.settings.settings.SettingsError: The settings cannot be used.
    """
    project, relative_path = find_file(path, root)
    loaded = project.load(relative_path, {})
    if loaded.problem is not None:
        raise BlameError(f"{path}: {loaded.problem.message}")
    lines = loaded.text.split("\n")[:-1]
    if not 0 < line <= len(lines):
        raise BlameError(
            f"{relative_path} has no line {line}: its lines are 1 to {len(lines)}"
        )

    blamer = Blamer(Engine(project, Options(progress=progress)))
    generator = project.generator(relative_path)
    if generator is not None and relative_path in blamer.blame_model(generator):
        raise BlameError(
            f"{relative_path} is generated: run `modular blame {relative_path}:{line}` "
            "to see the line it comes from"
        )
    generated_lines = list(_generated_lines(blamer, relative_path, line))
    generated_lines.sort(key=attrgetter("file.path", "line.line"))
    return Where(
        path=relative_path,
        line=line,
        text=lines[line - 1],
        generated_lines=tuple(generated_lines),
        failures=tuple(_failures(blamer, relative_path)),
    )


def _generated_lines(blamer: Blamer, path: str, line: int) -> Iterator[GeneratedLine]:
    """Yield the generated lines of a source line, also through generated parents."""
    source_lines: Mapping[str, Collection[int]] = {path: {line}}
    while source_lines:
        next_lines: dict[str, set[int]] = {}
        for generated in _direct_lines(blamer, source_lines):
            next_lines.setdefault(generated.file.path, set()).add(generated.line.line)
            yield generated
        source_lines = next_lines


def _direct_lines(
    blamer: Blamer, source_lines: Mapping[str, Collection[int]]
) -> Iterator[GeneratedLine]:
    """Yield the generated lines whose direct origin is among some source lines.

    Only models that depend on these files are converted.
    """
    parents = Inputs(blamer.project).parents
    modular_files = [
        modular
        for modular in blamer.project.modular_files
        if modular in source_lines or parents[modular] & source_lines.keys()
    ]
    blamer.engine.run(modular_files)
    for modular in modular_files:
        for file in blamer.blame_model(modular).values():
            for line in file.lines:
                if line.origin_line in source_lines.get(line.path or "", ()):
                    yield GeneratedLine(file, line)


def _failures(blamer: Blamer, path: str) -> Iterator[Diagnostic]:
    """Yield the errors of the models that depend on a file."""
    for modular in affected(blamer.project, [path]):
        result = blamer.engine.results.get(modular)
        if result is not None:
            for diagnostic in result.diagnostics:
                if diagnostic.is_error:
                    yield diagnostic
