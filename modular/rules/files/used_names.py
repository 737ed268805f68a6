"""Used names: which names a file refers to, and so must import.

A name is used where it stands as an expression, or at the beginning of a dotted one, in the code of the file's
statements; in an annotation or a type that is written as a string too. It is not used where it is only an attribute, a
keyword of a call, or a word of any other string, such as a docstring, or of a comment. What the file defines itself need not be imported.

Parent `models/llama/modeling_llama.py`:

```python
from typing import Any, Union

from torch import nn, optim, quantization

from ...cache_utils import Cache
from ...utils import logging


class LlamaMLP(nn.Module):
    def forward(self, x: "list[Cache]", **kwargs: Any):
        # A Union of both.
        return self.logging(x, optim=1, name="quantization")
```

Modular `models/my_model/modular_my_model.py`:

```python
from ..llama.modeling_llama import LlamaMLP


class MyModelMLP(LlamaMLP):
    pass
```

Output `models/my_model/modeling_my_model.py`:

```python
from typing import Any

from torch import nn

from ...cache_utils import Cache


class MyModelMLP(nn.Module):
    def forward(self, x: "list[Cache]", **kwargs: Any):
        # A Union of both.
        return self.logging(x, optim=1, name="quantization")
```
"""

import ast
import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from copy import copy
from functools import cached_property

from modular.source.code import Code, find_word, words


_TYPE_BEFORE = re.compile(r"[:|{]\s*\Z")
_ASSIGNS = re.compile(r"\s*=(?!=)")
_STRING = re.compile(r"\"(?<=[:\[,|(>\s]\")\"{1,199}+(?!\")")
"""A string after what may stand before a type, no longer than `_LONGEST_TYPE`."""

_LONGEST_TYPE = 200
_BETWEEN = "\0"
"""Stands between two pieces of code, so that no pattern reaches from one into the other."""

_INSIDE_TYPES = (":", "[", ",", "|", "(")
_TYPE = re.compile(r"[\"'][\w.\[\], |\"']+")
_DOTTED = re.compile(r"\w+(?:\s*\.\s*\w+)*")
_WORD = re.compile(r"(?<![\w.])[^\W\d]\w*")


class UsedNames:
    """The names that the statements of a file, its imports aside, refer to, without those that the file defines.

    ``words`` is every identifier in them, where it is known.
    """

    def __init__(self, codes: Sequence[Code], defined: frozenset[str], words: AbstractSet[str] | None = None) -> None:
        self._referred = _Referred(codes, words)
        self.defined = defined
        self._further: frozenset[str] = frozenset()

    def also(self, further: frozenset[str]) -> "UsedNames":
        """Return these with some more names."""
        found = copy(self)
        found._further = self._further | further
        return found

    def among(self, names: AbstractSet[str]) -> AbstractSet[str]:
        """Return those of some names that are used."""
        names = names - self.defined
        return (names & self._further) | self._referred.among(names - self._further)

    def longest_of(self, names: AbstractSet[str], further: Sequence[str]) -> AbstractSet[str]:
        """Return those of some dotted and plain names that are somewhere the longest one to stand, in some more masks too."""
        found = self._referred.quoted & names
        for mask in (self._referred.mask, *further):
            for head in {name.partition(".")[0] for name in names}:
                for start in _standing_alone(mask, head):
                    match = _DOTTED.match(mask, start)
                    dotted = "".join(match[0].split()) if match else head
                    while dotted not in names:
                        dotted = dotted.rpartition(".")[0]
                    found.add(dotted)
        return found

    def __contains__(self, name: str) -> bool:
        return name in self.among({name})


class _Referred:
    """The names that some code refers to."""

    def __init__(self, codes: Sequence[Code], words: AbstractSet[str] | None) -> None:
        self._codes = codes
        self._text = _BETWEEN.join([code.text for code in codes])
        self.mask = _BETWEEN.join([code.mask for code in codes])
        self._known_words = words
        self._annotated: dict[int, frozenset[str]] = {}

    def among(self, names: AbstractSet[str]) -> AbstractSet[str]:
        """Return those of some names that the code refers to."""
        alone = {name for name in names & self._words if next(_standing_alone(self.mask, name), None) is not None}
        if len(alone) == len(names):
            return alone
        annotations, others = self._quoted
        found = alone | (names & annotations)
        doubtful = (names & others) - found
        return found | self._annotating(doubtful) if doubtful else found

    @cached_property
    def _words(self) -> AbstractSet[str]:
        return words(self.mask) if self._known_words is None else self._known_words

    @property
    def quoted(self) -> set[str]:
        """The words of strings that may be types."""
        return self._quoted[0] | self._quoted[1]

    @cached_property
    def _quoted(self) -> tuple[set[str], set[str]]:
        return _types(self._text, self.mask)

    def _annotating(self, names: AbstractSet[str]) -> AbstractSet[str]:
        """Those of some names that are in the string of an annotation. Where it can, it parses only the code around such strings."""
        found: set[str] = set()
        for index, code in enumerate(self._codes):
            if any(name in code.text for name in names) and not names.isdisjoint(_types(code.text, code.mask)[1]):
                if index not in self._annotated:
                    tree = _parsed(_complete(code))
                    self._annotated[index] = self._exact if tree is None else frozenset(_annotated(tree))
                found |= self._annotated[index]
        return names & found

    @cached_property
    def _exact(self) -> frozenset[str]:
        """All names in the strings of annotations."""
        tree = _parsed(self._text.replace(_BETWEEN, ""))
        return frozenset(self._quoted[1] if tree is None else _annotated(tree))


def _standing_alone(mask: str, name: str) -> Iterator[int]:
    """Yield where a name begins that is no attribute, and nothing that is assigned to."""
    for start in find_word(mask, name):
        before = max(0, start - _LONGEST_TYPE)
        if not mask[before:start].rstrip(" \t").endswith(".") and (
            not _ASSIGNS.match(mask, start + len(name)) or _TYPE_BEFORE.search(mask, before, start)
        ):
            yield start


def _types(text: str, mask: str) -> tuple[set[str], set[str]]:
    """The words of strings that look like types: those after an arrow, and all others.

    A string after a colon may be a docstring, or a value.
    """
    annotations: set[str] = set()
    others: set[str] = set()
    for match in _STRING.finditer(mask):
        start, end = match.span()
        if not _TYPE.fullmatch(text, start, end):
            continue
        before = mask[max(0, start - _LONGEST_TYPE) : start].rstrip()
        if before.endswith("->"):
            annotations.update(_WORD.findall(text, start, end))
        elif before.endswith(_INSIDE_TYPES):
            others.update(_WORD.findall(text, start, end))
    return annotations, others


def _complete(code: Code) -> str:
    """Some statements as a module of their own; what is only the header of a definition gets a body."""
    end = len(code.mask.rstrip())
    frame = "if True:\n" if code.text.lstrip("\n")[:1] in (" ", "\t") else ""
    return f"{frame}{code.text[:end]} pass\n" if code.mask[end - 1 : end] == ":" else frame + code.text


def _parsed(text: str) -> ast.AST | None:
    try:
        return ast.parse(text)
    except SyntaxError:
        return None


def _annotated(tree: ast.AST) -> Iterator[str]:
    """The names in the strings of all annotations. Expressions hold none."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        waiting += [
            iter_child_node
            for iter_child_node in ast.iter_child_nodes(node)
            if not isinstance(iter_child_node, ast.expr)
        ]
        for annotation in (getattr(node, "annotation", None), getattr(node, "returns", None)):
            if annotation is not None:
                yield from _quoted(annotation)


def _quoted(annotation: ast.AST) -> Iterator[str]:
    """The names in the strings of an annotation; those of a `Literal` are values."""
    waiting = [annotation]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from _WORD.findall(node.value)
        if not (isinstance(node, ast.Subscript) and _is_literal(node.value)):
            waiting += ast.iter_child_nodes(node)


def _is_literal(node: ast.AST) -> bool:
    return (node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")) == "Literal"
