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
"""The bound keeps hostile sources from taking quadratic time."""


class Alias(NamedTuple):
    """A name of an import statement, and the name after `as`, if any."""

    name: str
    alias: str | None

    @property
    def bound(self) -> str:
        """The name that the statement binds; `a.b` for `import a.b`."""
        return self.alias or self.name

    def __str__(self) -> str:
        return f"{self.name} as {self.alias}" if self.alias else self.name


class Import(NamedTuple):
    """An import statement.

    Attributes:
        level: The number of leading dots.
        module: The module after the dots; None for a plain `import`.
        names: The imported names.
        statement: The statement.
    """

    level: int
    module: str | None
    names: tuple[Alias, ...]
    statement: Statement

    @property
    def source(self) -> str:
        """The module as written, dots included."""
        return "." * self.level + (self.module or "")

    def render(self) -> SourceSlice:
        """Return the statement's code, with its comments, after a change of names."""
        text = f"import {', '.join(str(alias) for alias in self.names)}"
        if self.module is not None:
            text = f"from {self.source} {text}"
        return self.statement.with_bare_code(text)


class LocatedImport(NamedTuple):
    """An import statement at any depth: its span, and the fields of `Import`."""

    start: int
    end: int
    level: int
    module: str | None
    names: tuple[Alias, ...]


def module_span(mask: str, start: int) -> tuple[int, int]:
    """Return the span of the module, with its dots, in a `from` import."""
    between_start = start + len("from")
    between_end = next(find_word(mask, "import", between_start))
    between = mask[between_start:between_end]
    module_start = between_end - len(between.lstrip())
    module_end = between_start + len(between.rstrip())
    return module_start, module_end


def plain_imports(statements: Iterable[Statement]) -> tuple[Import, ...]:
    """Return the imports among some statements, without those inside `if` and `try`."""
    imports = []
    for statement in statements:
        if statement.kind is Kind.IMPORT:
            import_ = import_of(statement)
            if import_ is not None:
                imports.append(import_)
    return tuple(imports)


def import_of(statement: Statement) -> Import | None:
    """Return an import statement as a value; None if it is not Python."""
    return statement.memoized(_read_import)


def relative_stem(path: str, level: int, module: str) -> str | None:
    """Return the path without `.py` of a module that a relative import names.

    Args:
        path: The file with the import, relative to the root.
        level: The number of leading dots.
        module: The module after the dots.

    Returns:
        None if there are no dots, or if they lead out of the root.
    """
    folders = [part for part in path.split("/")[:-1] if part != "."]
    if not 0 < level <= len(folders) + 1:
        return None
    parts = folders[: len(folders) + 1 - level]
    parts += [part for part in module.split(".") if part]
    return "/".join(parts) or "."


def imported_names(statement: Statement) -> frozenset[str]:
    """Return the names that an import statement binds; `a.b` for `import a.b`."""
    import_ = import_of(statement)
    if import_ is None:
        return frozenset()
    return frozenset(alias.bound for alias in import_.names)


def _read_import(statement: Statement) -> Import | None:
    parts = _read(" ".join(statement.bare_code.mask.split()))
    return Import(*parts, statement) if parts else None


def find_imports(mask: str) -> Iterator[LocatedImport]:
    """Yield the import statements at any depth of some code, given its mask."""
    done = 0
    while (keyword := mask.find("import", done)) >= 0:
        match = _STATEMENT.search(mask, max(done, mask.rfind("\n", 0, keyword) + 1))
        if match is None:
            return
        start, done = match.span()
        if parts := _read(" ".join(match[0].split())):
            yield LocatedImport(start, start + len(match[0].rstrip()), *parts)


def mentioned_modules(text: str) -> set[tuple[int, str]]:
    """Return the dots and the name of each module that a text may import from.

    The answer is cheap. It may have too many modules, from strings and comments, but
    never too few.
    """
    return {(len(dots), module) for dots, module in _MENTIONED.findall(text)}


def absolute_modules(text: str) -> set[str]:
    """Return the modules that lines of a text import without leading dots.

    The answer is cheap. Lines of docstrings that look like an import count, too, and an
    import after a semicolon does not.
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
    """Return the level, the module and the names of an import on one line."""
    try:
        node = ast.parse(text).body[0]
    except SyntaxError:
        return None
    if not isinstance(node, ast.Import | ast.ImportFrom):
        return None
    names = tuple(Alias(alias.name, alias.asname) for alias in node.names)
    if isinstance(node, ast.Import):
        return 0, None, names
    return node.level, node.module or "", names
