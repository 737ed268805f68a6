"""The other direction: which generated lines, in all models, come from one line."""

import os
from collections.abc import Iterator
from dataclasses import dataclass

from modular.cache.inputs import Inputs, affected
from modular.provenance.blame import Blame, BlamedLine, BlameError, Blamer, find_file
from modular.run.batch_converter import Progress
from modular.run.engine import Engine
from modular.run.options import Options
from modular.source.diagnostics import Diagnostic


@dataclass(frozen=True)
class Where:
    """A line (from 1) of a file, by its path relative to the root, its text, and the generated lines that have it.

    These come with their files, sorted. ``failures`` are the errors of models that could not be converted: they may have it, too. They say where they come from directly: where parents are generated themselves, that
    may be a line of one of them.
    """

    path: str
    line: int
    text: str
    found: tuple[tuple[Blame, BlamedLine], ...]
    failures: tuple[Diagnostic, ...] = ()

    @property
    def files(self) -> tuple[str, ...]:
        """The generated files that have it, sorted."""
        return tuple(dict.fromkeys(file.path for file, _ in self.found))


def where(
    path: str | os.PathLike[str],
    line: int,
    *,
    root: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Where:
    """Return the generated lines, in all models, that come from a line of a modular file or of one written by hand.

    ``path`` is seen from the current folder; the line counts from 1. ``root`` None: the project around the file or, for a file
    of the source library, around the current folder. Generated lines are those that would be written now. Raises BlameError for a file that is generated itself, and for a line that
    the file does not have; and what `api.check` raises.
    """
    project, relative = find_file(path, root)
    loaded = project.load(relative, {})
    if loaded.problem is not None:
        raise BlameError(f"{path}: {loaded.problem.message}")
    lines = loaded.text.split("\n")[:-1]
    if not 0 < line <= len(lines):
        raise BlameError(
            f"{relative} has no line {line}: its lines are 1 to {len(lines)}"
        )
    blamer = Blamer(Engine(project, Options(progress=progress)))
    if (
        modular := project.generator(relative)
    ) is not None and relative in blamer.model(modular):
        raise BlameError(
            f"{relative} is generated: `modular blame {relative}:{line}` says which line it comes from"
        )
    origins = sorted(
        _lines_from(blamer, relative, line),
        key=lambda pair: (pair[0].path, pair[1].line),
    )
    failures: list[Diagnostic] = []
    for modular in affected(blamer.project, [relative]):
        result = blamer.engine.results.get(modular)
        if result is not None:
            failures += [finding for finding in result.diagnostics if finding.is_error]
    return Where(relative, line, lines[line - 1], tuple(origins), tuple(failures))


def _lines_from(
    blamer: Blamer, path: str, number: int
) -> Iterator[tuple[Blame, BlamedLine]]:
    """Follow a line through parents and children. Only models that depend on where it was found are looked at."""
    parents = Inputs(blamer.project).parents
    lines = {path: {number}}
    while lines:
        modulars = [
            modular
            for modular in blamer.project.modular_files
            if modular in lines or parents[modular] & lines.keys()
        ]
        blamer.engine.run(modulars)
        following: dict[str, set[int]] = {}
        for blame in (
            blame for modular in modulars for blame in blamer.model(modular).values()
        ):
            for line in blame.lines:
                if line.origin_line in lines.get(line.path or "", ()):
                    following.setdefault(blame.path, set()).add(line.line)
                    yield blame, line
        lines = following
