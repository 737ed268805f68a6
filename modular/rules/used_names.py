"""Used names: which names a file refers to, quoted annotations included.

Patterns tell it. Only where a name stands in strings alone that may be part of an annotation or not, the syntax tree decides.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from modular.source.code import Code

_REFERENCE = re.compile(r"(?<![\w.])[^\W\d]\w*+(?!\s*=(?!=))")
_ANNOTATION_BEFORE_VALUE = re.compile(r"[:|{]\s*([^\W\d]\w*)\s*=(?!=)")
_QUOTED = re.compile(r"(?:(?P<annotation>->|[\w\])]\s*:)|[:\[,|(])\s*(?P<quoted>\"+)")
_TYPE = re.compile(r"[\"'][\w.\[\], |\"']+\Z")
_WORD = re.compile(r"(?<![\w.])[^\W\d]\w*")


class UsedNames:
    """The names that the statements of a file, its imports aside, refer to, less those that the file defines."""

    def __init__(self, codes: Sequence[Code], defined: frozenset[str], further: frozenset[str] = frozenset()) -> None:
        self._codes = codes
        self._defined = defined
        self._further = further

    def also(self, further: frozenset[str]) -> "UsedNames":
        """Return these with some more names."""
        return UsedNames(self._codes, self._defined, self._further | further)

    def __contains__(self, name: str) -> bool:
        if name in self._defined:
            return False
        return name in self._certain or name in self._further or (name in self._possible and name in self._exact)

    @cached_property
    def _certain(self) -> frozenset[str]:
        words: set[str] = set(self._quoted[0])
        for code in self._codes:
            words.update(_REFERENCE.findall(code.mask))
            words.update(_ANNOTATION_BEFORE_VALUE.findall(code.mask))
        return frozenset(words)

    @property
    def _possible(self) -> set[str]:
        return self._quoted[1]

    @cached_property
    def _quoted(self) -> tuple[set[str], set[str]]:
        """The words of strings that look like types: those of whole annotations, and all others."""
        annotations: set[str] = set()
        others: set[str] = set()
        for code in self._codes:
            for match in _QUOTED.finditer(code.mask):
                quoted = code.text[match.start("quoted") : match.end()]
                if _TYPE.match(quoted):
                    (annotations if match["annotation"] else others).update(_WORD.findall(quoted))
        return annotations, others

    @cached_property
    def _exact(self) -> frozenset[str]:
        try:
            tree = ast.parse("".join(code.text for code in self._codes))
        except SyntaxError:
            return frozenset(self._possible)
        return frozenset(_references(tree))


def _references(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        for annotation in (getattr(node, "annotation", None), getattr(node, "returns", None)):
            if annotation is not None:
                yield from _quoted(annotation)


def _quoted(annotation: ast.AST) -> Iterator[str]:
    """The names in the strings of an annotation."""
    for node in ast.walk(annotation):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from _WORD.findall(node.value)
