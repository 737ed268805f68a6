"""Turns the classes, functions and methods of a file into sets of token 4-grams.

The names of the file's own model do not count.
"""

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from keyword import iskeyword
from zlib import crc32

from modular.infer.copies import copy_source_of
from modular.rules.classes.methods import find_methods
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import view_definition
from modular.source.module import Module


CLASS = "class"
FUNCTION = "function"
METHOD = "method"
"""The kinds of fragments. The tokens of methods count for their classes as well."""

_TOKEN = re.compile(r"\w+|\"+|'+|[^\w\s]")
_MODEL_PLACEHOLDER = "X"
"""Replaces the model's name inside words."""

_DEF_OR_CLASS = (crc32(b"def"), crc32(b"class"))
_NEVER_BEFORE_VARIABLE = (*_DEF_OR_CLASS, crc32(b"."))
_NEVER_AFTER_VARIABLE = (crc32(b"."), crc32(b"("))
"""The hashes of the tokens beside names that are defined, dotted or called."""

_VARIABLE = 0
"""Replaces the hashes of variables, which are all other names."""

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
        copied_from: The dotted name of the code that a comment above it names as the
            source of a copy, or "".
        grams: The hashes of the 4-grams, each once. They are empty in an index, which
            stores them apart.
    """

    name: str
    kind: str
    line: int
    digest: str
    size: int
    copied_from: str = ""
    grams: Sequence[int] = field(default=(), compare=False)


def methods_by_class(fragments: Iterable[Fragment]) -> dict[str, dict[str, Fragment]]:
    """Return the methods of a file by the names of their classes, and then by their own.

    Args:
        fragments: The classes, functions and methods of the file. A method has a name such
            as `LlamaMLP.forward`.
    """
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
            yield _make_fragment(statement, statement.name, FUNCTION, hasher)
        elif statement.kind is Kind.CLASS:
            yield _make_fragment(statement, statement.name, CLASS, hasher)
            body = view_definition(statement).body
            for name, method in find_methods(body.statements).items():
                full_name = f"{statement.name}.{name}"
                yield _make_fragment(method.statement, full_name, METHOD, hasher)


def _make_fragment(
    statement: Statement, name: str, kind: str, hasher: "_TokenHasher"
) -> Fragment:
    """Return a definition in a form in which it can be compared with others.

    The form has a set of 4-grams, which are sequences of four tokens, to find similar
    code. It has a digest to find equal code, also under another name.

    Args:
        statement: The definition.
        name: The name of the fragment, such as `LlamaMLP.forward`.
        kind: CLASS, FUNCTION or METHOD.
        hasher: Hashes the tokens of the file.
    """
    # The masked text has neither comments nor the contents of strings.
    tokens = _TOKEN.findall(statement.bare_code.masked_text)
    hashes = [hasher[token] for token in tokens]
    grams = array("I", hasher.hash_grams(hashes))

    # The name follows the first `def` or `class`. Decorators may be above.
    name_index = 1
    while hashes[name_index - 1] not in _DEF_OR_CLASS:
        name_index += 1
    hashes_without_name = hashes[:name_index] + hashes[name_index + 1 :]
    hash_bytes = array("I", hashes_without_name).tobytes()
    digest = blake2b(hash_bytes, digest_size=8).hexdigest()
    return Fragment(
        name=name,
        kind=kind,
        line=statement.line,
        digest=digest,
        size=len(grams),
        copied_from=copy_source_of(statement.lead),
        grams=grams,
    )


class _TokenHasher(dict[str, int]):
    """A dict from each token of one model's file to its hash, which is computed once.

    Tokens that differ only in the name of the model have the same hash: in the model
    `llama`, the token `LlamaMLP` has the hash of `XMLP`.
    """

    def __init__(self, model: str, cased: str) -> None:
        """Create an empty dict, which fills as tokens are looked up.

        Args:
            model: The name of the model, such as `my_model`. Tokens can have it in any
                case.
            cased: Its name in class names, such as `MyModel`.
        """
        names = {model, cased, model.replace("_", "")} - {""}
        # If one name begins with another, the longer one must match.
        longest_first = sorted(names, key=lambda name: (-len(name), name))
        pattern = "|".join(re.escape(name) for name in longest_first)
        matches_nothing = r"(?!)"
        self._model_name_pattern = re.compile(pattern or matches_nothing, re.IGNORECASE)
        # The hashes of the tokens that are names. Keywords are not names.
        self._name_hashes = set[int]()

    def __missing__(self, token: str) -> int:
        """Return the hash of a token that is looked up for the first time, and store it.

        Python calls this method when a key is not in the dict. In the model `llama`, the
        token `LlamaMLP` is hashed as `XMLP`, so that models can be compared.
        """
        renamed = token
        if not iskeyword(token):
            renamed = self._model_name_pattern.sub(_MODEL_PLACEHOLDER, token)
        token_hash = crc32(renamed.encode())
        self[token] = token_hash
        if token.isidentifier() and not iskeyword(token):
            self._name_hashes.add(token_hash)
        return token_hash

    def hash_grams(self, token_hashes: list[int]) -> set[int]:
        """Return the hashes of all 4-grams, which are sequences of four tokens.

        All variables count as equal. So `y = self.up(x) + x` has the same 4-grams as
        `a = self.up(b) + b`.

        Args:
            token_hashes: The hashes of the tokens, in order.
        """
        hashes = self._replace_variables(token_hashes)
        grams = zip(hashes, hashes[1:], hashes[2:], hashes[3:], strict=False)
        # Different factors for the positions make the hash depend on the order of the
        # tokens. The mask leaves 32 bits.
        f1, f2, f3 = _FACTORS
        return {(a * f1 + b * f2 + c * f3 + d) & _HASH_MASK for a, b, c, d in grams}

    def _replace_variables(self, token_hashes: list[int]) -> list[int]:
        """Return hashes of tokens, with one common hash in the place of each variable.

        In `y = self.up(x)`, the variables are `y` and `x`. A variable is a name that
        does not follow `def`, `class` or a dot, and that no dot or bracket follows.
        """
        hashes = []
        no_token = 0
        previous_hash = no_token
        for token_hash, next_hash in zip(
            token_hashes, [*token_hashes[1:], no_token], strict=True
        ):
            is_variable = (
                token_hash in self._name_hashes
                and previous_hash not in _NEVER_BEFORE_VARIABLE
                and next_hash not in _NEVER_AFTER_VARIABLE
            )
            hashes.append(_VARIABLE if is_variable else token_hash)
            previous_hash = token_hash
        return hashes
