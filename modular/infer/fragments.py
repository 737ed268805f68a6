"""The classes, functions and methods of a file as sets of token 4-grams, in which the model's names do not count."""

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from keyword import iskeyword
from zlib import crc32

from modular.rules.classes.methods import methods
from modular.source.blocks import Kind, Statement
from modular.source.code import SourceSlice
from modular.source.module import Module
from modular.source.parts import view_definition


CLASS = "class"
FUNCTION = "function"
METHOD = "method"
"""The kinds of fragments. Methods are parts of classes."""

_TOKEN = re.compile(r"\w+|\"+|'+|[^\w\s]")
_STAND_IN = "X"
"""What the model's name is in a word."""

_DEFINING = (crc32(b"def"), crc32(b"class"))
_FOLLOWING = (crc32(b"."), crc32(b"("))
_PRECEDING = (*_DEFINING, crc32(b"."))
"""What is beside a name that is not that of a variable."""

_WIDTH = 4
_MODULUS = 0xFFFFFFFF
_FACTORS = (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D)


@dataclass(frozen=True, slots=True)
class Fragment:
    """A class, function or method. ``name`` is dotted for a method; ``line`` (from 1) is where it begins.

    ``size`` is the number of its 4-grams, ``grams`` are their hashes, each once; an index knows the latter by other means.
    Two fragments with one ``digest`` are equal, names aside.
    """

    name: str
    kind: str
    line: int
    digest: str
    size: int
    grams: Sequence[int] = field(default=(), compare=False)


def methods_of(fragments: Iterable[Fragment]) -> dict[str, dict[str, Fragment]]:
    """Return the methods among the fragments of a file, by the class and their own names."""
    methods: dict[str, dict[str, Fragment]] = {}
    for fragment in fragments:
        if fragment.kind == METHOD:
            owner, _, name = fragment.name.partition(".")
            methods.setdefault(owner, {})[name] = fragment
    return methods


def fragments(module: Module, model: str, cased: str) -> Iterator[Fragment]:
    """Yield the classes and functions of a file, each followed by its methods."""
    words = _Words(model, cased)
    for statement in module.block.statements:
        if statement.kind is Kind.FUNCTION:
            hashes = words.hashes(statement.own)
            yield _fragment(
                statement, statement.name, FUNCTION, hashes, words.grams(hashes)
            )
        elif statement.kind is Kind.CLASS:
            yield from _class(statement, words)


def _class(statement: Statement, words: "_Words") -> Iterator[Fragment]:
    """Yield a class, then its methods: each word is looked at once."""
    parts = view_definition(statement)
    keys = {
        id(method.statement): key
        for key, method in methods(parts.body.statements).items()
    }
    hashes = [*words.hashes(parts.decorators), *words.hashes(parts.header)]
    members = []
    for member in parts.body.statements:
        start = len(hashes)
        hashes += words.hashes(member.own)
        if id(member) in keys:
            members.append(
                (member, f"{statement.name}.{keys[id(member)]}", start, len(hashes))
            )
    grams = words.grams(hashes)
    yield _fragment(statement, statement.name, CLASS, hashes, grams)
    for member, name, start, end in members:
        yield _fragment(
            member, name, METHOD, hashes[start:end], grams[start : end - _WIDTH + 1]
        )


def _fragment(
    statement: Statement, name: str, kind: str, hashes: list[int], grams: list[int]
) -> Fragment:
    """Return one statement as a fragment. Its own name, the words of its strings and its comments do not count."""
    digest = blake2b(array("I", _without_name(hashes)).tobytes(), digest_size=8)
    memoized = array("I", set(grams))
    return Fragment(
        name, kind, statement.line, digest.hexdigest(), len(memoized), memoized
    )


class _Words(dict[str, int]):
    """The hashes of the words and signs in one model's file."""

    def __init__(self, model: str, cased: str) -> None:
        names = {model, cased, model.replace("_", "")}
        listed = "|".join(
            re.escape(name)
            for name in sorted(names, key=lambda name: (-len(name), name))
            if name
        )
        self._own = re.compile(listed or r"(?!)", re.IGNORECASE)
        self._names = set[int]()

    def __missing__(self, word: str) -> int:
        without_name = word if iskeyword(word) else self._own.sub(_STAND_IN, word)
        number = self[word] = crc32(without_name.encode())
        if word.isidentifier() and not iskeyword(word):
            self._names.add(number)
        return number

    def hashes(self, code: SourceSlice) -> list[int]:
        """The hashes of the words and signs of some code."""
        return list(map(self.__getitem__, _TOKEN.findall(code.mask)))

    def grams(self, hashes: list[int]) -> list[int]:
        """The 4-grams by where they begin. Names that are neither attributes nor called or dotted are all one: those of variables."""
        around = zip([0, *hashes], hashes, [*hashes[1:], 0], strict=False)
        plain = [
            0
            if word in self._names
            and before not in _PRECEDING
            and after not in _FOLLOWING
            else word
            for before, word, after in around
        ]
        one, two, three = _FACTORS
        runs = zip(plain, plain[1:], plain[2:], plain[3:], strict=False)
        return [(a * one + b * two + c * three + d) & _MODULUS for a, b, c, d in runs]


def _without_name(hashes: list[int]) -> list[int]:
    """Leave out the name that a definition gives: what follows its `def` or `class`."""
    at = next(index for index, word in enumerate(hashes) if word in _DEFINING)
    return [*hashes[: at + 1], *hashes[at + 2 :]]
