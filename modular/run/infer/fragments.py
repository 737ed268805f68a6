"""The classes, functions and methods of a file as sets of token 4-grams, in which the model's names do not count."""

import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from zlib import crc32

from modular.rules.classes.methods import methods
from modular.source.blocks import Kind, Statement
from modular.source.module import Module


_TOKEN = re.compile(r"\w+|\"+|'+|[^\w\s]")
_STAND_IN = "X"
"""What the model's name is in a word."""

_WIDTH = 4
_MODULUS = 0xFFFFFFFF
_FACTORS = (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D)


@dataclass(frozen=True, slots=True)
class Fragment:
    """A class, function or method. ``name`` is dotted for a method; ``line`` (from 1) is where it begins.

    ``grams`` are the hashes of its 4-grams, each once. Two fragments with one ``digest`` are equal, names aside.
    """

    name: str
    kind: str
    line: int
    grams: "array[int]"
    digest: str


def fragments(module: Module, model: str, cased: str) -> Iterator[Fragment]:
    """Yield the classes and functions of a file, each followed by its methods."""
    reader = _Reader(model, cased)
    for statement in module.block.statements:
        if statement.kind is Kind.FUNCTION:
            yield reader.fragment(statement, statement.name, "function")
        elif statement.kind is Kind.CLASS:
            yield reader.fragment(statement, statement.name, "class")
            for key, parts in methods(statement.parts.body.statements).items():
                yield reader.fragment(parts.statement, f"{statement.name}.{key}", "method")


class _Reader:
    """Reads the fragments of one model's file."""

    def __init__(self, model: str, cased: str) -> None:
        names = {model, cased, model.replace("_", "")}
        listed = "|".join(re.escape(name) for name in sorted(names, key=lambda name: (-len(name), name)) if name)
        self._own = re.compile(listed or r"(?!)", re.IGNORECASE)
        self._words: dict[str, int] = {}

    def fragment(self, statement: Statement, name: str, kind: str) -> Fragment:
        """Return one statement as a fragment. Its own name, the words of its strings and its comments do not count."""
        hashes = [self._hash(token) for token in _TOKEN.findall(statement.own.mask)]
        digest = blake2b(array("I", _without_name(hashes, self._hash(statement.name))).tobytes(), digest_size=8)
        return Fragment(name, kind, statement.line, array("I", sorted(_grams(hashes))), digest.hexdigest())

    def _hash(self, token: str) -> int:
        found = self._words.get(token)
        if found is None:
            found = self._words[token] = crc32(self._own.sub(_STAND_IN, token).encode())
        return found


def _without_name(hashes: list[int], name: int) -> list[int]:
    """Leave out the first mention of a name, which is its definition."""
    if name not in hashes:
        return hashes
    at = hashes.index(name)
    return [*hashes[:at], *hashes[at + 1 :]]


def _grams(hashes: list[int]) -> set[int]:
    one, two, three = _FACTORS
    runs = zip(hashes, hashes[1:], hashes[2:], hashes[3:], strict=False)
    if len(hashes) < _WIDTH:
        return {sum(hashes) & _MODULUS}
    return {(a * one + b * two + c * three + d) & _MODULUS for a, b, c, d in runs}
