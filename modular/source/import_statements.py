"""Import statements as values."""

import ast
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from modular.source.blocks import Kind, Statement
from modular.source.source_slice import SourceSlice, find_word


_STATEMENT = re.compile(r"(?:from|import)\b(?:[^\n;()]*+\([^()]*+\)|[^\n;]*+)")
_MENTIONED = re.compile(r"from[\s\\]*+(\.*+)[\s\\]*+(\w[\w.]{1,500}+)[\s\\]++import\b")
"""With a bound for sources that are made to take forever."""


class Alias(NamedTuple):
    """One name of an import: ``name`` as written, ``alias`` if it has one."""

    name: str
    alias: str | None

    @property
    def bound(self) -> str:
        """The name as the file knows it; dotted for ``import a.b``."""
        return self.alias or self.name

    def __str__(self) -> str:
        return f"{self.name} as {self.alias}" if self.alias else self.name


class Import(NamedTuple):
    """An import statement. ``level`` counts the leading dots; ``module`` is None for a plain ``import``."""

    level: int
    module: str | None
    names: tuple[Alias, ...]
    statement: Statement

    @property
    def source(self) -> str:
        """The module as written, dots included."""
        return "." * self.level + (self.module or "")

    def render(self) -> SourceSlice:
        """Return the statement with these names only, which may be fewer; what is above it and beside it is kept."""
        listed = ", ".join(map(str, self.names))
        return self.statement.with_own(
            f"import {listed}"
            if self.module is None
            else f"from {self.source} import {listed}"
        )


class Found(NamedTuple):
    """An import statement somewhere in some code, from its keyword on. The fields are those of `Import`."""

    start: int
    end: int
    level: int
    module: str | None
    names: tuple[Alias, ...]


def module_span(mask: str, start: int) -> tuple[int, int]:
    """Return where a `from` import that begins at ``start`` names its module, dots included: all between its two keywords."""
    begin = start + len("from")
    written = mask[begin : next(find_word(mask, "import", begin))]
    return begin + len(written) - len(written.lstrip()), begin + len(written.rstrip())


def plain_imports(statements: Iterable[Statement]) -> tuple[Import, ...]:
    """Return the imports among some statements; those of guards are not among them."""
    imports = (
        import_of(statement)
        for statement in statements
        if statement.kind is Kind.IMPORT
    )
    return tuple(import_ for import_ in imports if import_ is not None)


def import_of(statement: Statement) -> Import | None:
    """Return what an import statement imports, read once; None if it cannot be read as one."""
    return statement.memoized(_import)


def relative_stem(path: str, level: int, module: str) -> str | None:
    """Return the path, without its ending, of the module that an import with leading dots names in a file.

    None without dots, and where they lead out of the root, which all paths begin at.
    """
    folder = [part for part in path.split("/")[:-1] if part != "."]
    if not 0 < level <= len(folder) + 1:
        return None
    return (
        "/".join([*folder[: len(folder) + 1 - level], *filter(None, module.split("."))])
        or "."
    )


def imported_names(statement: Statement) -> frozenset[str]:
    """Return the names that an import statement binds; dotted ones for `import a.b`."""
    imported = import_of(statement)
    return frozenset(name.bound for name in imported.names) if imported else frozenset()


def _import(statement: Statement) -> Import | None:
    parts = _read(" ".join(statement.own.mask.split()))
    return Import(*parts, statement) if parts else None


def find(mask: str) -> Iterator[Found]:
    """Yield the import statements at any depth of code with this mask. The keyword, which all have, says where to look."""
    done = 0
    while (keyword := mask.find("import", done)) >= 0:
        match = _STATEMENT.search(mask, max(done, mask.rfind("\n", 0, keyword) + 1))
        if match is None:
            return
        start, done = match.span()
        if parts := _read(" ".join(match[0].split())):
            yield Found(start, start + len(match[0].rstrip()), *parts)


def mentioned(text: str) -> set[tuple[int, str]]:
    """Return the modules, with their leading dots, that a text may import from.

    It is told cheaply, and what only looks like an import is among them: one too many does no harm, one too few would.
    """
    return {(len(dots), module) for dots, module in _MENTIONED.findall(text)}


def absolute_modules(text: str) -> set[str]:
    """Return the modules that lines of a text import without leading dots.

    No parser is needed, so words of a docstring that look like an import count too, and an import after a semicolon does not.
    """
    modules = set()
    for line in text.split("\n"):
        if "import" not in line:
            continue
        keyword, *words = line.replace(",", " ").split()
        if keyword == "from":
            modules.update(words[:1])
        elif keyword == "import":
            modules.update(words)
    return {
        module
        for module in modules
        if module.replace(".", "_").isidentifier() and module[0] != "."
    }


@lru_cache(maxsize=16384)
def _read(text: str) -> tuple[int, str | None, tuple[Alias, ...]] | None:
    """Read an import on one line: its level, module and names. Python's own parser does, which every command has at hand."""
    try:
        node = ast.parse(text).body[0]
    except SyntaxError:
        return None
    match node:
        case ast.Import(names=names):
            return 0, None, tuple(Alias(alias.name, alias.asname) for alias in names)
        case ast.ImportFrom(names=names):
            return (
                node.level,
                node.module or "",
                tuple(Alias(alias.name, alias.asname) for alias in names),
            )
    return None
