"""The classes that have a method: those that inherit it, and those that replace them in other models."""

from collections.abc import Iterator
from dataclasses import dataclass

from modular.refactor.counterparts import Counterparts
from modular.refactor.project_files import ProjectFiles
from modular.refactor.references import Name, Renames
from modular.source.blocks import Kind, Statement
from modular.source.code import find_word
from modular.source.parts import parts_of
from modular.source.walking import walk


@dataclass(frozen=True)
class Owners:
    """Follows inheritance through the hand-written files, and into other models."""

    files: ProjectFiles
    counterparts: Counterparts

    def of_method(self, path: str, name: str) -> frozenset[Name]:
        """Return a class, all that inherit from it and their counterparts, by all files that have them."""
        return frozenset(walk(self._everywhere(path, name), self._heirs))

    def _heirs(self, owner: Name) -> Iterator[Name]:
        """Yield the classes that inherit from one directly, and their counterparts."""
        for path in self.files.mentioning(owner[1]):
            for statement in self._classes(path):
                if owner in self._bases(path, statement):
                    yield from self._everywhere(path, statement.name)

    def problem(self, path: str, name: str, renames: Renames) -> str:
        """Say why a method cannot be renamed: it overrides another one, or the new name is taken; else nothing."""
        old, new = renames.method
        if old.startswith("__") and old.endswith("__"):
            return f"`{old}` has its meaning from Python"
        for base_path, base in walk(self._parents(path, name), lambda definition: self._parents(*definition)):
            if old in self._members(base_path, base):
                return f"`{name}.{old}` overrides `{base}.{old}` of `{base_path}`: rename that"
        for owner_path, owner in sorted(renames.owners):
            statement = self._class(owner_path, owner)
            if statement is not None and any(True for _ in find_word(statement.own.mask, new)):
                return f"`{new}` is taken in `{owner}` of `{owner_path}`"
        return ""

    def _everywhere(self, path: str, name: str) -> Iterator[Name]:
        for counterpart in self.counterparts.all_of(path, name, name):
            yield from ((place, counterpart.name) for place in self.files.importable(counterpart.path))

    def _classes(self, path: str) -> Iterator[Statement]:
        module = self.files.module(path)
        return (
            statement
            for statement in (module.block.statements if module is not None else ())
            if statement.kind is Kind.CLASS
        )

    def _class(self, path: str, name: str) -> Statement | None:
        return next((class_ for class_ in self._classes(path) if class_.name == name), None)

    def _members(self, path: str, name: str) -> set[str]:
        statement = self._class(path, name)
        return {member.name for member in parts_of(statement).body.statements} if statement is not None else set()

    def _parents(self, path: str, name: str) -> list[Name]:
        statement = self._class(path, name)
        return [] if statement is None else list(self._bases(path, statement))

    def _bases(self, path: str, statement: Statement) -> Iterator[Name]:
        """Yield what the bases of a class may be: defined in its file, or imported from another one."""
        for base in parts_of(statement).bases:
            yield path, base
            for imported in self.files.imports(path):
                for alias in imported.names:
                    if alias.bound == base:
                        module = imported.module or ""
                        for source in self.files.imported_files(path, imported.level, module):
                            yield source, alias.name
