"""Used names: which names a file refers to, and so must import.

A name is used where it appears as an expression, or at the beginning of a dotted one, in the code of the file's
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
from functools import cached_property

from modular.source.blocks import split
from modular.source.code import SourceSlice, find_word, has_word, words
from modular.source.walking import descend


_TYPE_BEFORE = re.compile(r"[:|{]\s*\Z")
_ASSIGNS = re.compile(r"\s*=(?!=)")
_STRING = re.compile(r"\"(?<=[:\[,|(>\s]\")\"{1,199}+(?!\")")
"""A string after what may be before a type, no longer than `_LONGEST_TYPE`."""

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

    def __init__(
        self,
        codes: Sequence[SourceSlice],
        defined: frozenset[str],
        words: AbstractSet[str] | None = None,
    ) -> None:
        self._text = _BETWEEN.join([code.text for code in codes])
        self._mask = _BETWEEN.join([code.mask for code in codes])
        self._known_words = words
        self.defined = defined

    def among(self, names: AbstractSet[str]) -> AbstractSet[str]:
        """Return those of some names that are used."""
        names = names - self.defined
        used = {
            name
            for name in names & self._words
            if next(_standing_alone(self._mask, name), None) is not None
        }
        returned, others = self._quoted
        used |= names & returned
        doubtful = (names & others) - used
        return used | self._annotated(doubtful) if doubtful else used

    def longest_of(
        self, names: AbstractSet[str], further: Sequence[str]
    ) -> AbstractSet[str]:
        """Return those of some dotted and plain names that are somewhere the longest one to be, in some more masks too."""
        longest = set(names & (self._quoted[0] | self._quoted[1]))
        for mask in (self._mask, *further):
            for head in {name.partition(".")[0] for name in names}:
                for start in _standing_alone(mask, head):
                    match = _DOTTED.match(mask, start)
                    dotted = "".join(match[0].split()) if match else head
                    while dotted not in names:
                        dotted = dotted.rpartition(".")[0]
                    longest.add(dotted)
        return longest

    def __contains__(self, name: str) -> bool:
        return name in self.among({name})

    @cached_property
    def _words(self) -> AbstractSet[str]:
        return words(self._mask) if self._known_words is None else self._known_words

    @cached_property
    def _quoted(self) -> tuple[set[str], set[str]]:
        """The words of strings that look like types: those after an arrow, and all others.

        A string after a colon may be a docstring, or a value.
        """
        returned: set[str] = set()
        others: set[str] = set()
        for match in _STRING.finditer(self._mask):
            start, end = match.span()
            before = self._mask[max(0, start - _LONGEST_TYPE) : start].rstrip()
            if before.endswith(("->", *_INSIDE_TYPES)) and _TYPE.fullmatch(
                self._text, start, end
            ):
                names = returned if before.endswith("->") else others
                names.update(_WORD.findall(self._text, start, end))
        return returned, others

    def _annotated(self, names: AbstractSet[str]) -> AbstractSet[str]:
        """Return those of some names that are in the strings of annotations; all, where Python cannot read the code."""
        code = SourceSlice(
            self._text.replace(_BETWEEN, ""), self._mask.replace(_BETWEEN, ""), "", 1
        )
        texts = (statement.own.text for statement in split(code).statements)
        try:
            tree: ast.AST = ast.parse(
                "".join(
                    text
                    for text in texts
                    if any(has_word(text, name) for name in names)
                )
            )
        except SyntaxError:
            return names
        nodes = descend(tree, _without_expressions)
        annotations = (
            getattr(node, name, None)
            for node in nodes
            for name in ("annotation", "returns")
        )
        return names & {
            name
            for annotation in annotations
            if annotation
            for name in _names_in_strings(annotation)
        }


def _standing_alone(mask: str, name: str) -> Iterator[int]:
    """Yield where a name begins that is no attribute, and nothing that is assigned to."""
    for start in find_word(mask, name):
        before = max(0, start - _LONGEST_TYPE)
        if not mask[before:start].rstrip(" \t").endswith(".") and (
            not _ASSIGNS.match(mask, start + len(name))
            or _TYPE_BEFORE.search(mask, before, start)
        ):
            yield start


def _without_expressions(node: ast.AST) -> list[ast.AST]:
    """What is below a node, expressions aside: they hold no annotations."""
    return [
        child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr)
    ]


def _names_in_strings(annotation: ast.AST) -> Iterator[str]:
    """The names in the strings of an annotation; those of a `Literal` are values."""
    for node in descend(
        annotation, lambda node: () if _is_literal(node) else ast.iter_child_nodes(node)
    ):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from _WORD.findall(node.value)


def _is_literal(node: ast.AST) -> bool:
    """Whether a node is a type such as `Literal["a"]`."""
    return (
        isinstance(node, ast.Subscript)
        and ast.unparse(node.value).rpartition(".")[2] == "Literal"
    )
