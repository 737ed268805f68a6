"""The classes, functions and methods of a file as sets of token 4-grams, in which the model's names do not count."""

import re
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from zlib import crc32

from modular.rules.classes.methods import may_share_name, methods
from modular.source.blocks import Kind, Statement, split
from modular.source.code import Code
from modular.source.module import Module
from modular.source.parts import parts_of


CLASS = "class"
FUNCTION = "function"
METHOD = "method"
"""The kinds of fragments. Methods are parts of classes."""

_TOKEN = re.compile(r"\w+|\"+|'+|[^\w\s]")
_STAND_IN = "X"
"""What the model's name is in a word."""

_DEFINING = (crc32(b"def"), crc32(b"class"))
_WIDTH = 4
_MODULUS = 0xFFFFFFFF
_FACTORS = (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D)


@dataclass(frozen=True, slots=True)
class Piece:
    """A class, function or method. ``name`` is dotted for a method; ``line`` (from 1) is where it begins.

    ``size`` is the number of its 4-grams. Two pieces with one ``digest`` are equal, names aside.
    """

    name: str
    kind: str
    line: int
    digest: str
    size: int


@dataclass(frozen=True, slots=True)
class Fragment(Piece):
    """A piece with the hashes of its 4-grams, each once."""

    grams: "array[int]"


def fragments(module: Module, model: str, cased: str) -> Iterator[Fragment]:
    """Yield the classes and functions of a file, each followed by its methods."""
    words = _Words(model, cased)
    for statement in module.block.statements:
        if statement.kind is Kind.FUNCTION:
            hashes = words.hashes(statement.own)
            yield _fragment(statement, statement.name, FUNCTION, hashes, _grams(hashes))
        elif statement.kind is Kind.CLASS:
            yield from _class(statement, words)


def _class(statement: Statement, words: "_Words") -> Iterator[Fragment]:
    """Yield a class, then its methods: each word is looked at once."""
    header, body = _header_and_body(statement)
    keys = _keys(body)
    hashes = [*words.hashes(statement.code.cut(statement.start, statement.opening)), *words.hashes(header)]
    members = []
    for each in body:
        start = len(hashes)
        hashes += words.hashes(each.own)
        if id(each) in keys:
            members.append((each, f"{statement.name}.{keys[id(each)]}", start, len(hashes)))
    grams = _grams(hashes)
    yield _fragment(statement, statement.name, CLASS, hashes, grams)
    for each, name, start, end in members:
        yield _fragment(each, name, METHOD, hashes[start:end], grams[start : end - _WIDTH + 1])


def _header_and_body(statement: Statement) -> tuple[Code, Sequence[Statement]]:
    """Part a class without LibCST, which takes a while to load, unless its body stands on its header's line."""
    code, end = statement.code, statement.head_end
    if code.mask[statement.opening : end].rstrip().endswith(":"):
        return code.cut(statement.opening, end), split(code.cut(end)).statements
    return parts_of(statement).header, parts_of(statement).body.statements


def _keys(body: Sequence[Statement]) -> dict[int, str]:
    """The names of the methods in a body, by the statements' identities; of several with one name the last counts."""
    functions = [each for each in body if each.kind is Kind.FUNCTION]
    if any(may_share_name(function.code.mask[function.start : function.opening]) for function in functions):
        return {id(each.statement): key for key, each in methods(body).items()}
    return {id(each): name for name, each in {function.name: function for function in functions}.items()}


def _fragment(statement: Statement, name: str, kind: str, hashes: list[int], grams: list[int]) -> Fragment:
    """Return one statement as a fragment. Its own name, the words of its strings and its comments do not count."""
    digest = blake2b(array("I", _without_name(hashes)).tobytes(), digest_size=8)
    once = array("I", set(grams))
    return Fragment(name, kind, statement.line, digest.hexdigest(), len(once), once)


class _Words(dict[str, int]):
    """The hashes of the words and signs in one model's file."""

    def __init__(self, model: str, cased: str) -> None:
        names = {model, cased, model.replace("_", "")}
        listed = "|".join(re.escape(name) for name in sorted(names, key=lambda name: (-len(name), name)) if name)
        self._own = re.compile(listed or r"(?!)", re.IGNORECASE)

    def __missing__(self, word: str) -> int:
        found = self[word] = crc32(self._own.sub(_STAND_IN, word).encode())
        return found

    def hashes(self, code: Code) -> list[int]:
        """The hashes of the words and signs of some code."""
        return list(map(self.__getitem__, _TOKEN.findall(code.mask)))


def _without_name(hashes: list[int]) -> list[int]:
    """Leave out the name that a definition gives: what stands behind its `def` or `class`."""
    at = next(index for index, word in enumerate(hashes) if word in _DEFINING)
    return [*hashes[: at + 1], *hashes[at + 2 :]]


def _grams(hashes: list[int]) -> list[int]:
    """The 4-grams by where they begin."""
    one, two, three = _FACTORS
    runs = zip(hashes, hashes[1:], hashes[2:], hashes[3:], strict=False)
    return [(a * one + b * two + c * three + d) & _MODULUS for a, b, c, d in runs]
