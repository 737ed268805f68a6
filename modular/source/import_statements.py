"""Import statements as values."""

import ast
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from modular.source.blocks import Kind, Statement
from modular.source.scan import count_leading_blanks
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
        """Return the name as an import statement writes it."""
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
    def bound_names(self) -> frozenset[str]:
        """The names that the statement binds; `a.b` for `import a.b`."""
        return frozenset(alias.bound for alias in self.names)

    @property
    def source(self) -> str:
        """The module as written, dots included."""
        return "." * self.level + (self.module or "")

    def render(self, *, keeps_layout: bool = False) -> SourceSlice:
        """Return the statement's code, with its comments, after a change of names.

        Args:
            keeps_layout: Whether unchanged code keeps its lines. By default, all names are
                on one line, as upstream's converter has them.
        """
        if keeps_layout:
            original = import_of(self.statement)
            if original == self:
                return self.statement.code
        names = ", ".join(map(str, self.names))
        if self.module is None:
            text = f"import {names}"
        else:
            text = f"from {self.source} import {names}"
        return self.statement.with_bare_code(text)


class LocatedImport(NamedTuple):
    """An import statement at any depth: its span, and the fields of `Import`."""

    start: int
    end: int
    level: int
    module: str | None
    names: tuple[Alias, ...]


def module_span(masked_text: str, start: int) -> tuple[int, int]:
    """Return the span of `..llama.modeling` in `from ..llama.modeling import X`.

    Args:
        masked_text: The code with strings and comments overwritten (`scan.mask_text`).
        start: The offset of the `from`.

    Returns:
        The offset at which the module begins, and the offset after it.
    """
    from_end = start + len("from")
    import_start = next(find_word(masked_text, "import", from_end))
    # For `from ..llama.modeling import X`, this is ` ..llama.modeling `.
    text_between = masked_text[from_end:import_start]
    module_start = from_end + count_leading_blanks(text_between)
    module_end = from_end + len(text_between.rstrip())
    return module_start, module_end


def plain_imports(statements: Iterable[Statement]) -> tuple[Import, ...]:
    """Return the import statements among some statements.

    Imports inside `if` and `try` are not among them.
    """
    imports = []
    for statement in statements:
        import_ = import_of(statement) if statement.kind is Kind.IMPORT else None
        if import_ is not None:
            imports.append(import_)
    return tuple(imports)


def import_of(statement: Statement) -> Import | None:
    """Return an import statement as a value; None if it is not Python."""
    return statement.memoized(_read_import)


def relative_stem(path: str, level: int, module: str) -> str | None:
    """Return the path without `.py` of a module that a relative import names.

    For `from ..llama.modeling_llama` in `models/new/modular_new.py` this is
    `models/llama/modeling_llama`.

    Args:
        path: The file with the import, relative to the root.
        level: The number of leading dots.
        module: The module after the dots.

    Returns:
        The path, or None if there are no dots, or if they lead out of the root.
    """
    folders = [part for part in path.split("/")[:-1] if part != "."]
    levels_up = level - 1
    if not 0 <= levels_up <= len(folders):
        return None
    parts = folders[: len(folders) - levels_up]
    parts += [part for part in module.split(".") if part]
    return "/".join(parts) or "."


def imported_names(statement: Statement) -> frozenset[str]:
    """Return the names that an import statement binds; `a.b` for `import a.b`."""
    import_ = import_of(statement)
    if import_ is None:
        return frozenset()
    return import_.bound_names


def _read_import(statement: Statement) -> Import | None:
    """Return the import of an import statement, or None for another statement."""
    fields = _parse(statement.bare_code.masked_text)
    return None if fields is None else Import(*fields, statement)


def find_imports(masked_text: str) -> Iterator[LocatedImport]:
    """Yield the import statements in some code, also those inside other statements.

    Args:
        masked_text: The code with strings and comments overwritten (`scan.mask_text`).
    """
    search_start = 0
    while True:
        # Searching for the keyword first is much faster than for the pattern alone.
        keyword = masked_text.find("import", search_start)
        if keyword < 0:
            return
        # The statement `from x import y` begins before its `import`, on the same line. If
        # `import` is a part of another word, the next statement of the file is found.
        line_start = masked_text.rfind("\n", 0, keyword) + 1
        match = _STATEMENT.search(masked_text, max(search_start, line_start))
        if match is None:
            return
        search_start = match.end()
        # The end of the line can be a comment, which is blank in the masked text.
        statement = match[0].rstrip()
        # Other code looks similar: `yield from import_all()`. Parsing it fails.
        fields = _parse(statement)
        if fields is not None:
            start = match.start()
            yield LocatedImport(start, start + len(statement), *fields)


def mentioned_modules(text: str) -> set[tuple[int, str]]:
    """Return the modules that a text may import from: their dots and their names.

    For `from ..llama import x` this is `(2, "llama")`. The answer is cheap: it may have
    too many modules, from strings and comments, but never too few.
    """
    return {(len(dots), module) for dots, module in _MENTIONED.findall(text)}


def absolute_modules(text: str) -> set[str]:
    """Return the modules that a source text imports without leading dots.

    This is a fast estimate, made line by line. It also has the words `as` and `b` of
    `import a as b`, and the words of a docstring's line that looks like an import. It
    lacks an import after a semicolon.
    """
    words_after_keyword: set[str] = set()
    for line in text.split("\n"):
        if "import" not in line:
            continue
        keyword, *words = line.replace(",", " ").split()
        if keyword == "import":
            words_after_keyword.update(words)
        elif keyword == "from":
            # The other words are `import` and names.
            words_after_keyword.update(words[:1])
    modules = set()
    for word in words_after_keyword:
        is_dotted_name = word.replace(".", "_").isidentifier()
        if is_dotted_name and not word.startswith("."):
            modules.add(word)
    return modules


class _ImportFields(NamedTuple):
    """The level, the module and the names of an import statement."""

    level: int
    module: str | None
    names: tuple[Alias, ...]


def _parse(masked_text: str) -> _ImportFields | None:
    """Return the fields of a masked import statement; None if it is broken."""
    return _parse_line(" ".join(masked_text.split()))


@lru_cache(maxsize=16384)
def _parse_line(line: str) -> _ImportFields | None:
    """Return the fields of an import statement on one line; None if it is broken."""
    try:
        node = ast.parse(line).body[0]
    except SyntaxError:
        return None
    if not isinstance(node, ast.Import | ast.ImportFrom):
        return None
    names = tuple(Alias(alias.name, alias.asname) for alias in node.names)
    if isinstance(node, ast.Import):
        return _ImportFields(0, None, names)
    return _ImportFields(node.level, node.module or "", names)
