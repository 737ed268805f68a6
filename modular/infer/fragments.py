"""Turns the classes, functions and methods of a file into sets of token 4-grams.

The names of the file's own model do not count.
"""

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from keyword import iskeyword
from typing import NamedTuple
from zlib import crc32

from modular.rules.classes.methods import find_methods
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import view_definition
from modular.source.module import Module
from modular.source.source_slice import SourceSlice


CLASS = "class"
FUNCTION = "function"
METHOD = "method"
"""The kinds of fragments. The tokens of methods count for their classes as well."""

_TOKEN = re.compile(r"\w+|\"+|'+|[^\w\s]")
_MODEL_PLACEHOLDER = "X"
"""Replaces the model's name inside words."""

_DEF_OR_CLASS = (crc32(b"def"), crc32(b"class"))
_DOT_OR_CALL = (crc32(b"."), crc32(b"("))
_DEFINING_OR_DOT = (*_DEF_OR_CLASS, crc32(b"."))
_VARIABLE = 0
"""Replaces the hashes of variables: names that are not dotted, called or defined."""

_GRAM_TOKENS = 4
_HASH_MASK = 0xFFFFFFFF
_FACTORS = (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D)


@dataclass(frozen=True, slots=True)
class Fragment:
    """A class, function or method as a set of token 4-grams.

    Attributes:
        name: The name; that of a method is `Class.method`.
        kind: CLASS, FUNCTION or METHOD.
        line: The first line (from 1).
        digest: Equal for fragments with equal tokens, apart from their names.
        size: The number of different 4-grams.
        grams: The hashes of the 4-grams, each once. They are empty in an index, which
            stores them apart.
    """

    name: str
    kind: str
    line: int
    digest: str
    size: int
    grams: Sequence[int] = field(default=(), compare=False)


def methods_by_class(fragments: Iterable[Fragment]) -> dict[str, dict[str, Fragment]]:
    """Return the methods among the fragments of a file by class and method name."""
    methods: dict[str, dict[str, Fragment]] = {}
    for fragment in fragments:
        if fragment.kind == METHOD:
            class_name, _, name = fragment.name.partition(".")
            methods.setdefault(class_name, {})[name] = fragment
    return methods


def find_fragments(module: Module, model: str, cased: str) -> Iterator[Fragment]:
    """Yield the classes and functions of a file, each class followed by its methods.

    Args:
        module: The file.
        model: The name of its model, such as `my_model`.
        cased: The model's name in class names, such as `MyModel`.
    """
    hasher = _TokenHasher(model, cased)
    for statement in module.block.statements:
        if statement.kind is Kind.FUNCTION:
            hashes = hasher.hash_tokens(statement.bare_code)
            grams = hasher.hash_grams(hashes)
            yield _fragment(statement, statement.name, FUNCTION, hashes, grams)
        elif statement.kind is Kind.CLASS:
            yield from _class_fragments(statement, hasher)


class _MethodTokens(NamedTuple):
    """A method, and the positions of its tokens among those of its class."""

    statement: Statement
    name: str
    start: int
    end: int


def _class_fragments(
    statement: Statement, hasher: "_TokenHasher"
) -> Iterator[Fragment]:
    """Yield a class, then its methods. Each token is hashed once."""
    view = view_definition(statement)
    names = {}
    for name, method in find_methods(view.body.statements).items():
        names[id(method.statement)] = name
    hashes = hasher.hash_tokens(view.decorators) + hasher.hash_tokens(view.header)
    method_tokens = []
    for member in view.body.statements:
        start = len(hashes)
        hashes += hasher.hash_tokens(member.bare_code)
        if id(member) in names:
            name = f"{statement.name}.{names[id(member)]}"
            method_tokens.append(_MethodTokens(member, name, start, len(hashes)))

    grams = hasher.hash_grams(hashes)
    yield _fragment(statement, statement.name, CLASS, hashes, grams)
    for member, name, start, end in method_tokens:
        # The last 4-grams that begin in a method end in the code below it.
        last_gram = end - _GRAM_TOKENS + 1
        method_grams = grams[start:last_gram]
        yield _fragment(member, name, METHOD, hashes[start:end], method_grams)


def _fragment(
    statement: Statement, name: str, kind: str, hashes: list[int], grams: list[int]
) -> Fragment:
    """Return a statement as a fragment.

    Its name, which follows the first `def` or `class`, does not count for the digest.
    """
    keyword_index = 0
    while hashes[keyword_index] not in _DEF_OR_CLASS:
        keyword_index += 1
    name_index = keyword_index + 1
    unnamed_hashes = array("I", hashes[:name_index] + hashes[name_index + 1 :])
    digest = blake2b(unnamed_hashes.tobytes(), digest_size=8).hexdigest()
    unique_grams = array("I", set(grams))
    return Fragment(
        name=name,
        kind=kind,
        line=statement.line,
        digest=digest,
        size=len(unique_grams),
        grams=unique_grams,
    )


class _TokenHasher(dict[str, int]):
    """Maps each token of one model's file to its hash, which is computed once.

    In the model `llama`, the token `LlamaMLP` has the hash of `XMLP`.
    """

    def __init__(self, model: str, cased: str) -> None:
        """Create an empty map for a model, such as `my_model` and `MyModel`."""
        names = {model, cased, model.replace("_", "")} - {""}
        longest_first = sorted(names, key=lambda name: (-len(name), name))
        pattern = "|".join(re.escape(name) for name in longest_first)
        self._model_name = re.compile(pattern or r"(?!)", re.IGNORECASE)
        self._names = set[int]()

    def __missing__(self, token: str) -> int:
        """Compute the hash of a token that was not looked up before."""
        renamed = token
        if not iskeyword(token):
            renamed = self._model_name.sub(_MODEL_PLACEHOLDER, token)
        number = self[token] = crc32(renamed.encode())
        if token.isidentifier() and not iskeyword(token):
            self._names.add(number)
        return number

    def hash_tokens(self, code: SourceSlice) -> list[int]:
        """Return the hashes of the tokens. Strings and comments have no contents."""
        return [self[token] for token in _TOKEN.findall(code.mask)]

    def hash_grams(self, hashes: list[int]) -> list[int]:
        """Return the hash of the 4-gram at each token. All variables are equal.

        `y = self.up(x) + x` has the 4-grams of `v = self.up(v) + v`, where `v` stands
        for any variable.
        """
        tokens = []
        neighbours = zip([0, *hashes], hashes, [*hashes[1:], 0], strict=False)
        for previous_token, token, next_token in neighbours:
            is_variable = (
                token in self._names
                and previous_token not in _DEFINING_OR_DOT
                and next_token not in _DOT_OR_CALL
            )
            tokens.append(_VARIABLE if is_variable else token)

        f1, f2, f3 = _FACTORS
        grams = zip(tokens, tokens[1:], tokens[2:], tokens[3:], strict=False)
        return [(a * f1 + b * f2 + c * f3 + d) & _HASH_MASK for a, b, c, d in grams]
