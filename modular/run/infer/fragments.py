"""The classes, functions and methods of a file as sets of token 4-grams, in which the model's names do not count."""

import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from zlib import crc32

from modular.rules.classes.methods import methods
from modular.source.blocks import Kind, Statement
from modular.source.code import Code
from modular.source.module import Module


_TOKEN = re.compile(r"\w+|\"+|'+|[^\w\s]")
_STAND_IN = "X"
"""What the model's name is in a word."""

_DEFINING = (crc32(b"def"), crc32(b"class"))
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
            yield _fragment(statement, statement.name, "function", reader.hashes(statement.own))
        elif statement.kind is Kind.CLASS:
            yield from _class(statement, reader)


def _class(statement: Statement, reader: "_Reader") -> Iterator[Fragment]:
    """Yield a class, then its methods: each word is looked at once."""
    parts = statement.parts
    body = parts.body.statements
    keys = {id(each.statement): key for key, each in methods(body).items()}
    hashes = [*reader.hashes(parts.decorators), *reader.hashes(parts.header)]
    members = []
    for each in body:
        own = reader.hashes(each.own)
        hashes += own
        if id(each) in keys:
            members.append(_fragment(each, f"{statement.name}.{keys[id(each)]}", "method", own))
    yield _fragment(statement, statement.name, "class", hashes)
    yield from members


def _fragment(statement: Statement, name: str, kind: str, hashes: list[int]) -> Fragment:
    """Return one statement as a fragment. Its own name, the words of its strings and its comments do not count."""
    digest = blake2b(array("I", _without_name(hashes)).tobytes(), digest_size=8)
    return Fragment(name, kind, statement.line, array("I", sorted(_grams(hashes))), digest.hexdigest())


class _Reader:
    """Reads the fragments of one model's file."""

    def __init__(self, model: str, cased: str) -> None:
        names = {model, cased, model.replace("_", "")}
        listed = "|".join(re.escape(name) for name in sorted(names, key=lambda name: (-len(name), name)) if name)
        self._own = re.compile(listed or r"(?!)", re.IGNORECASE)
        self._words: dict[str, int] = {}

    def hashes(self, code: Code) -> list[int]:
        """The hashes of the words and signs of some code."""
        return [self._hash(token) for token in _TOKEN.findall(code.mask)]

    def _hash(self, token: str) -> int:
        found = self._words.get(token)
        if found is None:
            found = self._words[token] = crc32(self._own.sub(_STAND_IN, token).encode())
        return found


def _without_name(hashes: list[int]) -> list[int]:
    """Leave out the name that a definition gives: what stands behind its `def` or `class`."""
    at = next(index for index, word in enumerate(hashes) if word in _DEFINING)
    return [*hashes[: at + 1], *hashes[at + 2 :]]


def _grams(hashes: list[int]) -> set[int]:
    one, two, three = _FACTORS
    runs = zip(hashes, hashes[1:], hashes[2:], hashes[3:], strict=False)
    if len(hashes) < _WIDTH:
        return {sum(hashes) & _MODULUS}
    return {(a * one + b * two + c * three + d) & _MODULUS for a, b, c, d in runs}
