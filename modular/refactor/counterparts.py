"""What the classes and functions of a parent are called in the models that inherit from it.

A model has the parent's `LlamaMLP` under its own name, `MyModelMLP`: inlined, or defined in its modular file and used by code
that is inlined from the parent. Whoever renames the one renames the other, or the modular file would replace nothing any
more. A child that only inherits from the parent's class keeps its name.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from posixpath import dirname

from modular.cache.inputs import Inputs
from modular.flatten.outputs import OutputFile
from modular.refactor.project_files import ProjectFiles
from modular.source.walking import walk


@dataclass(frozen=True)
class Counterpart:
    """A class or function as one model has it.

    ``path`` is the file that says so: a parent file written by hand, the modular file that defines it or, where it is
    inlined, the generated file. ``new`` is what it will be called.
    """

    path: str
    name: str
    new: str


@dataclass(frozen=True)
class Counterparts:
    """Finds the counterparts of definitions."""

    files: ProjectFiles

    def all_of(self, path: str, name: str, new: str) -> list[Counterpart]:
        """Return a definition and its counterparts in all models that inherit from its file, directly or not."""
        return list(walk([Counterpart(path, name, new)], self._next))

    def _next(self, counterpart: Counterpart) -> Iterator[Counterpart]:
        paths = self.files.importable(counterpart.path)
        for folder in sorted({dirname(path) for path in paths}):
            for modular, parent in self._children.get(folder, ()):
                if parent != modular or parent in paths:
                    yield from self._in_model(modular, parent, counterpart)

    @cached_property
    def _children(self) -> dict[str, list[tuple[str, str]]]:
        """The modular files that take from the files of a folder, each with the file."""
        children: dict[str, list[tuple[str, str]]] = {}
        for modular, parents in Inputs(self.files.project).parents.items():
            for parent in sorted(parents):
                children.setdefault(dirname(parent), []).append((modular, parent))
        return children

    def _in_model(self, modular: str, parent: str, counterpart: Counterpart) -> Iterator[Counterpart]:
        """Yield what one model has of it; ``parent`` is the parent file, or one beside it that imports from it."""
        file = self.files.modular(modular)
        if file is None or parent not in file.parent_paths:
            return
        renamer = self.files.converter.renamer(parent, file)
        name, new = renamer.word(counterpart.name), renamer.word(counterpart.new)
        if not any(name in (self.files.text(path) or name) for path in self.files.outputs(modular)):
            return
        outputs = self.files.converted(modular)
        if name in self.files.defined(modular):
            if any(_takes(output, parent, name) for output in outputs):
                yield Counterpart(modular, name, new)
            return
        for output in outputs:
            if any(code.path == parent for code in output.find(name)):
                yield Counterpart(output.path, name, new)


def _takes(output: OutputFile, parent: str, name: str) -> bool:
    """Whether code that a generated file takes from a parent file refers to a name."""
    pieces = (piece for statement in output.statements for piece in statement.parts)
    return any(piece.code.path == parent and name in piece.code.words() for piece in pieces)
