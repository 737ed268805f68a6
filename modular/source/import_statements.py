"""Import statements as values."""

import re
from dataclasses import dataclass
from functools import lru_cache

from modular.source.blocks import Statement
from modular.source.code import Code


_FROM = re.compile(r"from\b([. ]*+)([\w. ]*?)\bimport\b[ (]*+(.*)\Z")
_IMPORT = "import "
_ALIAS = re.compile(r"([\w.]+|\*)(?: as (\w+))?\Z")


@dataclass(frozen=True, slots=True)
class Alias:
    """One name of an import: ``name`` as written, ``alias`` if it has one."""

    name: str
    alias: str | None

    @property
    def bound(self) -> str:
        """The name as the file knows it; dotted for ``import a.b``."""
        return self.alias or self.name

    def __str__(self) -> str:
        return f"{self.name} as {self.alias}" if self.alias else self.name


@dataclass(frozen=True, slots=True)
class Import:
    """An import statement. ``level`` counts the leading dots; ``module`` is None for a plain ``import``."""

    level: int
    module: str | None
    names: tuple[Alias, ...]
    statement: Statement

    @property
    def source(self) -> str:
        """The module as written, dots included."""
        return "." * self.level + (self.module or "")

    def render(self, names: tuple[Alias, ...]) -> Code:
        """Return the statement with only these names, what stands above it and behind it kept."""
        listed = ", ".join(str(name) for name in names)
        own = self.statement.own
        blank = len(own.text) - len(own.text.lstrip(" \t"))
        end = len(own.mask.rstrip())
        text = f"import {listed}" if self.module is None else f"from {self.source} import {listed}"
        start = self.statement.start
        return self.statement.code.replace([(start + blank, start + end, text)])


@lru_cache(maxsize=16384)
def parse(statement: Statement) -> Import | None:
    """Read an import statement; None if it is none that can be read."""
    text = " ".join(statement.own.mask.split())
    if found := _FROM.match(text):
        level, module = found.group(1).count("."), found.group(2).replace(" ", "")
        names = _names(found.group(3).rstrip(" ,)"))
        return Import(level, module, names, statement) if names else None
    if text.startswith(_IMPORT):
        names = _names(text.removeprefix(_IMPORT))
        return Import(0, None, names, statement) if names else None
    return None


def _names(listed: str) -> tuple[Alias, ...]:
    found = (_ALIAS.match(part.strip()) for part in listed.split(","))
    return tuple(Alias(match.group(1), match.group(2)) for match in found if match)
