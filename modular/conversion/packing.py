"""Packs output files before formatting: what `modular.conversion.runs` unpacks."""

from collections.abc import Iterable
from typing import Any

from modular.conversion.runs import Packed
from modular.flatten.outputs import OutputFile, OutputStatement
from modular.rules.drafts import Way
from modular.rules.files.deprecated_names import GETATTR
from modular.rules.files.exports import ALL
from modular.source.code import Code, Renaming


_REWRITTEN = (ALL, GETATTR)
"""Statements that are put together anew."""


def pack(file: OutputFile) -> Packed:
    """Return the runs of an output file's lines."""
    named = next((index for index, each in enumerate(file.statements) if each.name), len(file.statements))
    parts = (file.statements[:2], file.statements[2:named], file.statements[named:])
    return [_packed(each) for each in parts]


def _packed(statements: Iterable[OutputStatement]) -> list[list[Any]]:
    """The runs of statements. What follows in the output and in its source, and came in the same way, is one run."""
    found: list[list[Any]] = []
    ahead: tuple[object, int] = (None, 0)
    for statement in statements:
        is_anew = statement.name in _REWRITTEN
        for piece in statement.parts:
            code, lines = piece.code, piece.code.text.count("\n")
            origin = None if piece.beside is not None else (piece.way, code.path, code.renaming, is_anew)
            if origin is not None and ahead == (origin, code.line):
                found[-1][0] += lines
            elif lines:
                is_rewritten = is_anew or piece.way is Way.IMPORT
                place = (code.line, piece.way.value, code.path, _pair(code.renaming))
                found.append([lines, *place, is_rewritten, _header(piece.beside)])
            else:
                continue
            ahead = (origin, code.line + lines)
    return found


def _header(beside: Code | None) -> list[Any] | None:
    return None if beside is None else [beside.text, beside.line, beside.path, _pair(beside.renaming)]


def _pair(renaming: Renaming | None) -> list[str] | None:
    return None if renaming is None else [renaming.old, renaming.new]
