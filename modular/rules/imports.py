"""Imports: those whose name a file uses and does not define, each name once, from the first statement that offers it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from modular.rules.used_names import UsedNames
from modular.source import imports as import_statements
from modular.source.blocks import Kind, Statement, split
from modular.source.code import Code, generated
from modular.source.imports import Alias, Import

_BRANCH = re.compile(r"^[ \t]*(?:else|elif|except|finally)\b", re.MULTILINE)
_IMPORTS = re.compile(r"^[ \t]*(?:from|import)\b(?:[^(\n]*\([^)]*\)|[^\n]*)", re.MULTILINE)
_WORD = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True, slots=True)
class Guard:
    """A module-level `if` or `try` with imports: its first line, the statements below it, and its other branches."""

    head: Code
    statements: tuple[Statement, ...]
    tail: Code | None

    def words(self) -> set[str]:
        """The identifiers in its conditions and, imports aside, in its other branches."""
        tail = _WORD.findall(_IMPORTS.sub("", self.tail.mask)) if self.tail is not None else []
        return self.head.words().union(tail)


@dataclass(frozen=True, slots=True)
class Chosen:
    """An import statement with those of its names that a file takes from it."""

    statement: Import
    names: tuple[Alias, ...]

    def render(self) -> Code:
        """The statement with these names only."""
        return self.statement.render(self.names)


@dataclass(frozen=True, slots=True)
class ChosenGuard:
    """A guard with what a file takes from it."""

    guard: Guard
    imports: tuple[Chosen, ...]

    def render(self) -> Code:
        """The guard with these imports only; its other branches stay as they are."""
        tail = [] if self.guard.tail is None else [self.guard.tail]
        return joined([self.guard.head, *(each.render() for each in self.imports), *tail])


@dataclass
class NeededImports:
    """Collects the imports of one output file from the statements that are offered, in the order in which they are."""

    used: UsedNames
    plain: list[Chosen] = field(default_factory=list)
    guarded: list[ChosenGuard] = field(default_factory=list)
    _taken: set[str] = field(default_factory=set)

    def offer(self, statement: Statement) -> None:
        """Take what is needed from an import statement or a guard."""
        guard = read_guard(statement)
        if guard is not None:
            self._offer_guard(guard)
        elif (found := import_statements.parse(statement)) is not None:
            self.plain += self._take(found)

    def _take(self, found: Import) -> list[Chosen]:
        names = tuple(name for name in found.names if self._needs(name.bound))
        self._taken.update(name.bound for name in names)
        return [Chosen(found, names)] if names else []

    def _needs(self, bound: str) -> bool:
        return bound not in self._taken and (bound == "*" or bound.partition(".")[0] in self.used)

    def _offer_guard(self, guard: Guard) -> None:
        found = (import_statements.parse(each) for each in guard.statements)
        chosen = [chosen for each in found if each is not None for chosen in self._take(each)]
        if chosen:
            self.guarded.append(ChosenGuard(guard, tuple(chosen)))


def needed_imports(statements: Sequence[Statement], used: UsedNames) -> NeededImports:
    """Choose the imports of a file that uses some names.

    What the guards themselves use counts as used, also where nothing is taken from a guard: the formatter removes it.
    """
    guards = [guard for guard in map(read_guard, statements) if guard is not None]
    needed = NeededImports(used.also(frozenset(word for guard in guards for word in guard.words())))
    for statement in statements:
        needed.offer(statement)
    return needed


@lru_cache(maxsize=4096)
def read_guard(statement: Statement) -> Guard | None:
    """Take a guard apart; None if it is none, or if there is no import in it."""
    if statement.kind is not Kind.GUARD:
        return None
    code = statement.code
    end = code.mask.find("\n", statement.start) + 1
    rest = code.cut(end)
    depth = len(statement.own.text) - len(statement.own.text.lstrip())
    branch = next((match.start() for match in _BRANCH.finditer(rest.mask) if _depth(match.group()) == depth), None)
    body = rest if branch is None else rest.cut(0, branch)
    statements = split(body).statements
    if not any(each.kind is Kind.IMPORT for each in statements):
        return None
    return Guard(code.cut(0, end), statements, None if branch is None else rest.cut(branch))


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def joined(codes: Sequence[Code]) -> Code:
    """Return several runs of code as one, at the place of the first."""
    first = codes[0]
    text = "".join(code.text for code in codes)
    return Code(text, "".join(code.mask for code in codes), first.path, first.line, first.renaming)


def import_statement(source: str, name: str, path: str) -> Statement:
    """Return an import that no source holds."""
    return split(generated(f"from {source} import {name}\n", path, 1)).statements[0]
