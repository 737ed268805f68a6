"""Packs output files before formatting: what `modular.conversion.runs` unpacks."""

from collections.abc import Iterable
from typing import Any

from modular.conversion.outputs import OutputFile, OutputStatement
from modular.conversion.runs import Packed
from modular.rules.drafts import Piece, Way
from modular.rules.files.deprecated_names import GETATTR
from modular.rules.files.exports import ALL
from modular.source.code import Renaming


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
    for statement in statements:
        for piece in statement.parts:
            lines, line, origin = piece.code.text.count("\n"), piece.code.line, _origin(piece, statement.name)
            last = found[-1] if found else None
            if last is not None and last[1] + last[0] == line and last[2:] == origin and piece.beside is None:
                last[0] += lines
            elif lines:
                found.append([lines, line, *origin])
    return found


def _origin(piece: Piece, name: str) -> list[Any]:
    code, beside = piece.code, piece.beside
    is_rewritten = piece.way is Way.IMPORT or name in _REWRITTEN
    parent = None if beside is None else [beside.text, beside.line, beside.path, _pair(beside.renaming)]
    return [piece.way.value, code.path, _pair(code.renaming), is_rewritten, parent]


def _pair(renaming: Renaming | None) -> list[str] | None:
    return None if renaming is None else [renaming.old, renaming.new]
