"""Flat files as they are to come out again: their statements, and what of them no modular file can say."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath

from modular.infer.forms import normal
from modular.project.project import Project
from modular.rules.files import file_types
from modular.rules.files.drafts import ALL, GETATTR
from modular.rules.files.exports import exported_names
from modular.settings.settings import MODELING
from modular.source import module as modules
from modular.source.assignments import owner
from modular.source.blocks import Kind, Statement
from modular.source.module import Module
from modular.source.walking import walk


DEFINING = (Kind.CLASS, Kind.FUNCTION, Kind.ASSIGNMENT)
"""The kinds of statements that define a name."""


@dataclass(frozen=True)
class FlatFile:
    """One flat file of a model. ``text`` has no banner; ``whole`` is what the file is a part of."""

    path: str
    file_type: str
    module: Module
    text: str
    whole: Module | None = None

    @cached_property
    def docstring(self) -> Statement | None:
        """The docstring of the file."""
        return next(
            (
                statement
                for statement in self.module.block.statements
                if statement.kind is Kind.STRING
            ),
            None,
        )

    @cached_property
    def named(self) -> dict[str, Statement]:
        """What the file defines, by name, in its order; an assignment to an item by its text."""
        return {
            _key(statement): statement
            for statement in self.module.block.statements
            if _defines(statement)
        }

    @cached_property
    def other_statements(self) -> tuple[Statement, ...]:
        """The statements that neither define nor import anything by themselves: guards, lists of exports, and the like."""
        return tuple(
            statement
            for statement in self.module.block.statements
            if not _defines(statement)
            and statement.kind not in (Kind.IMPORT, Kind.STRING)
        )

    @cached_property
    def normals(self) -> dict[str, str]:
        """The normal form of each of these."""
        return {name: normal(statement.code) for name, statement in self.named.items()}

    @cached_property
    def classes(self) -> tuple[Statement, ...]:
        """The classes, in the order of the file."""
        return tuple(
            statement
            for statement in self.named.values()
            if statement.kind is Kind.CLASS
        )

    def line_of(self, statement: Statement) -> int:
        """Return the line (from 1) in which a statement begins: of the whole that the file is a part of, if it is one."""
        lines = {
            other.own.text: other.line
            for other in (self.whole or self.module).block.statements
        }
        return lines.get(statement.own.text, statement.line)

    def special(self, name: str) -> Statement | None:
        """The statement that assigns `__all__` or `__getattr__`."""
        assigned = (
            one
            for one in reversed(self.other_statements)
            if one.kind is Kind.ASSIGNMENT
        )
        return next(
            (statement for statement in assigned if statement.name == name), None
        )

    @cached_property
    def exports(self) -> tuple[str, ...]:
        """The names that the file exports."""
        statement = self.special(ALL)
        return tuple(exported_names(statement)) if statement is not None else ()

    def reached(self, names: Iterable[str]) -> set[str]:
        """Return these names of definitions, those that the file exports, and all that they use, directly or not."""
        starts = [name for name in (*names, *self.exports) if name in self.named]
        return set(walk(starts, lambda name: self._uses[name]))

    @cached_property
    def used(self) -> set[str]:
        """The classes, and the definitions that a class or the list of exports needs: nothing else is generated."""
        return self.reached(statement.name for statement in self.classes)

    @cached_property
    def _uses(self) -> dict[str, list[str]]:
        """What each definition uses: the others that it mentions, and the assignments to items of what it defines."""
        uses = {
            name: sorted(statement.words & self.named.keys())
            for name, statement in self.named.items()
        }
        for name, statement in self.named.items():
            if statement.kind is Kind.OTHER and owner(statement) in uses:
                uses[owner(statement)].append(name)
        return uses

    def only_used_by(self, names: Collection[str]) -> set[str]:
        """Return the words that no other definition has."""
        words, others = set[str](), set[str]()
        for name, statement in self.named.items():
            (words if name in names else others).update(statement.words)
        return words - others

    @cached_property
    def lines(self) -> int:
        """How many lines the file has, the banner aside."""
        return self.text.count("\n")


def _defines(statement: Statement) -> bool:
    is_defining = statement.kind in DEFINING and statement.name not in (ALL, GETATTR)
    return is_defining or (statement.kind is Kind.OTHER and bool(owner(statement)))


def _key(statement: Statement) -> str:
    return statement.own.text if statement.kind is Kind.OTHER else statement.name


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file, or a part of one, that does not come out of the modular file: where it is, and why."""

    path: str
    line: int
    what: str


@dataclass
class FlatModel:
    """The flat files of a model that a modular file can refer to, and what it cannot."""

    model: str
    cased: str
    modular: str
    files: tuple[FlatFile, ...]
    by_hand: list[Skipped] = field(default_factory=list)

    @cached_property
    def names(self) -> dict[str, Statement]:
        """Every definition by name, in order: a class that is in two files is the same in both."""
        names: dict[str, Statement] = {}
        for file in self.files:
            for name, statement in file.named.items():
                names.setdefault(name, statement)
        return names

    @cached_property
    def lines(self) -> int:
        """How many lines the files have together."""
        return sum(file.lines for file in self.files)


def read_flat(project: Project, path: str, text: str) -> FlatFile:
    """Read a flat file, without its banner. One whose name is no model file's is read as a modeling file."""
    file_type = (
        file_types.of_file(PurePosixPath(path).stem, project.settings) or MODELING
    )
    placeholder = r"[^\n]*"
    banner = (
        re.escape(project.settings.banner)
        .replace(r"\{path\}", placeholder)
        .replace(r"\{name\}", placeholder)
    )
    text = re.sub(rf"\A{banner}", "", modules.normalised(text))
    return FlatFile(path, file_type, modules.read(path, text), text)
