"""Flat files as they are to come out again: their statements, and what of them no modular file can say."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath

from modular.infer.normal import normal
from modular.project.project import Project
from modular.rules.drafts import ALL, GETATTR
from modular.rules.files import file_types
from modular.rules.files.exports import exported
from modular.rules.files.imports import read_guard
from modular.rules.settings import MODELING
from modular.source import module as modules
from modular.source.assignments import owner
from modular.source.blocks import Kind, Statement
from modular.source.import_statements import Import, imported_names
from modular.source.module import Module
from modular.source.walking import walk


DEFINING = (Kind.CLASS, Kind.FUNCTION, Kind.ASSIGNMENT)
"""The kinds of statements that define a name."""


@dataclass(frozen=True)
class FlatFile:
    """One flat file of a model. ``text`` has no banner.

    ``origins`` are the lines of comments that were taken off it: they say what is a copy of what.
    """

    path: str
    file_type: str
    module: Module
    text: str
    origins: tuple[int, ...] = ()

    @cached_property
    def heading(self) -> str:
        """The comments that head the file, its licence in general."""
        return self.module.header.text

    @cached_property
    def docstring(self) -> Statement | None:
        """The docstring of the file."""
        return next((statement for statement in self.module.block.statements if statement.kind is Kind.STRING), None)

    @cached_property
    def named(self) -> dict[str, Statement]:
        """What the file defines, by name, in its order; an assignment to an item by its text."""
        return {
            _key(statement): statement
            for statement in self.module.block.statements
            if _defines(statement) and statement.name not in (ALL, GETATTR)
        }

    @cached_property
    def normals(self) -> dict[str, str]:
        """The normal form of each of these."""
        return {name: normal(each.code) for name, each in self.named.items()}

    @cached_property
    def classes(self) -> tuple[Statement, ...]:
        """The classes, in the order of the file."""
        return tuple(each for each in self.named.values() if each.kind is Kind.CLASS)

    @cached_property
    def imports(self) -> tuple[Import, ...]:
        """The plain imports."""
        return self.module.imports

    @cached_property
    def guards(self) -> tuple[Statement, ...]:
        """The guards at module level."""
        return tuple(statement for statement in self.module.block.statements if statement.kind is Kind.GUARD)

    def special(self, name: str) -> Statement | None:
        """The statement that assigns `__all__` or `__getattr__`."""
        found = [
            statement
            for statement in self.module.block.statements
            if statement.name == name and statement.kind is Kind.ASSIGNMENT
        ]
        return found[-1] if found else None

    @cached_property
    def exports(self) -> frozenset[str]:
        """The names that the file exports."""
        statement = self.special(ALL)
        return frozenset(exported(statement)) if statement is not None else frozenset()

    @cached_property
    def words(self) -> dict[str, frozenset[str]]:
        """The identifiers of each definition."""
        return {name: frozenset(each.code.words()) for name, each in self.named.items()}

    def reached(self, names: Iterable[str]) -> set[str]:
        """Return these names of definitions, those that the file exports, and all that they use, directly or not."""
        starts = [name for name in (*names, *sorted(self.exports)) if name in self.named]
        return set(walk(starts, lambda name: self._uses[name]))

    @cached_property
    def used(self) -> set[str]:
        """The classes, and the definitions that a class or the list of exports needs: nothing else is generated."""
        return self.reached(statement.name for statement in self.classes)

    @cached_property
    def _uses(self) -> dict[str, list[str]]:
        """What each definition uses: the others that it mentions, and the assignments to items of what it defines."""
        found = {name: sorted(words & self.named.keys()) for name, words in self.words.items()}
        for name, statement in self.named.items():
            if statement.kind is Kind.OTHER and owner(statement) in found:
                found[owner(statement)].append(name)
        return found

    @cached_property
    def lines(self) -> int:
        """How many lines the file has, the banner aside."""
        return self.text.count("\n") + len(self.origins)

    def line(self, statement: Statement) -> int:
        """The line (from 1) of a statement in the file as it stands, the banner aside."""
        line = statement.line
        for origin in self.origins:
            line += origin <= line
        return line

    def less(self, lines: Collection[int]) -> "FlatFile":
        """Return the file without some lines, each with a comment that says what is a copy."""
        kept = (line for number, line in enumerate(self.text.split("\n"), start=1) if number not in lines)
        text = "\n".join(kept)
        return FlatFile(self.path, self.file_type, modules.read(self.path, text), text, tuple(sorted(lines)))


def _defines(statement: Statement) -> bool:
    return statement.kind in DEFINING or (statement.kind is Kind.OTHER and bool(owner(statement)))


def _key(statement: Statement) -> str:
    return statement.own.text if statement.kind is Kind.OTHER else statement.name


@dataclass(frozen=True, slots=True)
class Aside:
    """A file, or a part of one, that does not come out of the modular file: where it is, and why."""

    path: str
    line: int
    what: str


@dataclass
class FlatModel:
    """The flat files of a model that a modular file can stand for, and what it cannot."""

    model: str
    cased: str
    modular: str
    files: tuple[FlatFile, ...]
    by_hand: list[Aside] = field(default_factory=list)

    @cached_property
    def by_type(self) -> dict[str, FlatFile]:
        """The files by their types."""
        return {file.file_type: file for file in self.files}

    @cached_property
    def names(self) -> dict[str, Statement]:
        """Every definition by name: a class that stands in two files is the same in both."""
        return {name: each for file in reversed(self.files) for name, each in file.named.items()}

    @cached_property
    def ambiguous(self) -> frozenset[str]:
        """The names of functions and assignments that are different ones in different files: none can be written out."""
        found: dict[str, set[str]] = {}
        for file in self.files:
            for name, each in file.normals.items():
                found.setdefault(name, set()).add(each)
        return frozenset(name for name, forms in found.items() if len(forms) > 1)

    def normal(self, name: str, file_type: str) -> str | None:
        """The normal form of a definition, in the file of this type if that has it; None if there is none."""
        file = self.by_type.get(file_type)
        found = file.normals.get(name) if file is not None else None
        return found if found is not None else self.normals.get(name)

    @cached_property
    def normals(self) -> dict[str, str]:
        """The normal forms of all definitions."""
        return {name: each for file in reversed(self.files) for name, each in file.normals.items()}

    @cached_property
    def lines(self) -> int:
        """How many lines the files have together."""
        return sum(file.lines for file in self.files)


def read_flat(project: Project, path: str, text: str) -> FlatFile:
    """Read a flat file. One whose name is no model file's is read as a modeling file."""
    file_type = file_types.of_file(PurePosixPath(path).stem, project.settings) or MODELING
    text = _without_banner(modules.normalised(text), project, path)
    return FlatFile(path, file_type, modules.read(path, text), text)


def _without_banner(text: str, project: Project, path: str) -> str:
    """Take the banner off, whichever modular file it names."""
    lines = project.settings.banner.splitlines(keepends=True)
    own = text.splitlines(keepends=True)
    if not lines or len(own) < len(lines):
        return text
    same = all(_begins_alike(expected, line) for expected, line in zip(lines, own, strict=False))
    return "".join(own[len(lines) :]) if same else text


def _begins_alike(expected: str, line: str) -> bool:
    fixed = expected.partition("{")[0].rstrip("\n")
    return line.startswith(fixed) if fixed.strip() else not line.strip()


def exports_of(model: FlatModel) -> list[str]:
    """The names that the files export, file by file."""
    statements = (file.special(ALL) for file in model.files)
    return [name for statement in statements if statement is not None for name in exported(statement)]


def deprecated_of(model: FlatModel) -> list[Statement]:
    """The `__getattr__` of each file that has one."""
    found = (file.special(GETATTR) for file in model.files)
    return [each for each in found if each is not None]


def guarded_names(statement: Statement) -> set[str]:
    """The names that a guard imports."""
    guard = read_guard(statement)
    inside = (*guard.statements, *guard.lasting) if guard is not None else ()
    return set[str]().union(*(imported_names(each) for each in inside if each.kind is Kind.IMPORT))
