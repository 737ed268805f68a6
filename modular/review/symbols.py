"""Lists the classes and functions of pages, which readers can search for."""

import json
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import NamedTuple

from modular.provenance.outline import read_outline


SYMBOLS = "symbols.js"
"""Path of the list, which a page loads when its search is opened."""


class Symbol(NamedTuple):
    """A class or function of a file: its name, and the line of its header."""

    name: str
    line: int


class FileSymbols(NamedTuple):
    """The classes and functions of a file.

    Attributes:
        path: Path of the file.
        href: Link from the start page to its lines, without a line number.
        symbols: The classes and functions at module level, in order.
    """

    path: str
    href: str
    symbols: tuple[Symbol, ...]


def find_symbols(path: str, text: str) -> tuple[Symbol, ...]:
    """Return the classes and functions at module level of a file."""
    symbols = []
    for statement in read_outline(path, text).block.statements:
        if statement.is_definition:
            code = statement.code
            line = code.line + code.text.count("\n", 0, statement.header_start)
            symbols.append(Symbol(statement.name, line))
    return tuple(symbols)


def symbols_script(files: Iterable[FileSymbols]) -> str:
    """Return a script with the classes and functions of files, in their order.

    Each file is a row such as `["modeling_olmo.py", "olmo.html#L", "OlmoMLP", 12]`: its
    name, the link to its lines, and then a name and a line for each class and function.
    """
    rows = []
    for file in files:
        row: list[str | int] = [PurePosixPath(file.path).name, file.href]
        for symbol in file.symbols:
            row += [symbol.name, symbol.line]
        rows.append(row)
    text = json.dumps(rows, separators=(",", ":"))
    return f'"use strict";\nconst SYMBOLS = {text};\n'
