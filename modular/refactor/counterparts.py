"""What the classes and functions of a parent are called in the models that inherit from it, and which classes have a method.

A model has the parent's `LlamaMLP` under its own name, `MyModelMLP`: inlined, or defined in its modular file and used by code
that is inlined from the parent. Whoever renames the one renames the other, or the modular file would replace nothing any
more. A child that only inherits from the parent's class keeps its name.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from posixpath import dirname

from modular.flatten.outputs import OutputFile
from modular.refactor.project_files import ProjectFiles
from modular.refactor.references import Name, Renames
from modular.rules.reading.modular_file import ModularFile
from modular.source.code import has_word
from modular.source.definitions import ModuleBinding, definitions
from modular.source.parts import view_definition
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
        for folder in sorted(
            {dirname(path) for path in self.files.importable(counterpart.path)}
        ):
            for file, parent in self._children.get(folder, ()):
                yield from self._in_model(file, parent, counterpart)

    @cached_property
    def _children(self) -> dict[str, list[tuple[ModularFile, str]]]:
        """The modular files that take from the files of a folder, each with the file."""
        children: dict[str, list[tuple[ModularFile, str]]] = {}
        for file in filter(
            None, map(self.files.modular, self.files.project.modular_files)
        ):
            for parent in sorted(file.parent_paths):
                children.setdefault(dirname(parent), []).append((file, parent))
        return children

    def _in_model(
        self, file: ModularFile, parent: str, counterpart: Counterpart
    ) -> Iterator[Counterpart]:
        """Yield what one model has of it; ``parent`` is the parent file, or one beside it that imports from it."""
        modular = file.path
        renamer = self.files.converter.renamer(parent, file)
        name, new = renamer.word(counterpart.name), renamer.word(counterpart.new)
        if not any(
            name in (self.files.text(path) or name)
            for path in self.files.outputs(modular)
        ):
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
    return any(
        piece.code.path == parent and name in piece.code.words() for piece in pieces
    )


@dataclass(frozen=True)
class MethodOwners(Counterparts):
    """Follows inheritance through the hand-written files, and into other models."""

    def of_method(self, path: str, name: str) -> frozenset[Name]:
        """Return a class, all that inherit from it and their counterparts, by all files that have them."""
        return frozenset(walk(self._everywhere(path, name), self._heirs))

    def _heirs(self, owner: Name) -> Iterator[Name]:
        """Yield the classes that inherit from one directly, and their counterparts."""
        for path in self.files.mentioning(owner[1]):
            for name in self._classes(path):
                if owner in self._bases(path, name):
                    yield from self._everywhere(path, name)

    def problem(self, path: str, name: str, renames: Renames) -> str:
        """Say why a method cannot be renamed: it overrides another one, or the new name is taken; else nothing."""
        old, new = renames.method
        if old.startswith("__") and old.endswith("__"):
            return f"`{old}` has its meaning from Python"
        for base_path, base in walk(
            self._bases(path, name), lambda definition: self._bases(*definition)
        ):
            class_ = self._classes(base_path).get(base)
            if class_ and old in {
                member.name
                for member in view_definition(class_.statement).body.statements
            }:
                return f"`{name}.{old}` overrides `{base}.{old}` of `{base_path}`: rename that"
        for owner_path, owner in sorted(renames.owners):
            class_ = self._classes(owner_path).get(owner)
            if class_ and has_word(class_.statement.own.mask, new):
                return f"`{new}` is taken in `{owner}` of `{owner_path}`"
        return ""

    def _everywhere(self, path: str, name: str) -> Iterator[Name]:
        for counterpart in self.all_of(path, name, name):
            yield from (
                (place, counterpart.name)
                for place in self.files.importable(counterpart.path)
            )

    def _classes(self, path: str) -> Mapping[str, ModuleBinding]:
        module = self.files.module(path)
        return {} if module is None else definitions(module).classes

    def _bases(self, path: str, name: str) -> Iterator[Name]:
        """Yield what the bases of a class may be: defined in its file, or imported from another one."""
        class_ = self._classes(path).get(name)
        for base in view_definition(class_.statement).bases if class_ else ():
            yield path, base
            yield from self.files.sources_of(path, base)
