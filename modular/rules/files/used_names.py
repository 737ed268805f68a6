"""A file uses a name if its code refers to it; only used names are imported.

A name is used where it is an expression, or the beginning of a dotted one: `nn.Linear`
is a use of `nn`. Names that the file defines itself need no import.

- **A name in an annotation or a type that is written as a string** is used too:
  `x: "list[Cache]"`.
- **A name in any other string or in a comment** is not used, such as in a docstring.
- **The name of an attribute or of a call's keyword** is not used:
  `self.logging(optim=1)`.

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
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import NamedTuple

from modular.source.blocks import split
from modular.source.source_slice import SourceSlice, find_word, has_word, words
from modular.source.walking import descend


_MAX_CHARS_BEFORE = 200
"""How many characters before a name or string are searched for what shows its use."""

_SEPARATOR = "\0"
"""A character between two pieces of code that no pattern matches."""

_STRING = re.compile(r"\"(?<=[:\[,|(>\s]\")\"{1,199}+(?!\")")
"""A string of at most 200 characters in a mask, after what can precede a type."""

_TYPE = re.compile(r"[\"'][\w.\[\], |\"']+")
_BEFORE_TYPE = (":", "[", ",", "|", "(")
_COLON_OR_BRACE_BEFORE = re.compile(r"[:|{]\s*\Z")
"""What is before `name` in `x: name = 1`, `x: int | name = 1` and `f"{name=}"`."""

_EQUALS_SIGN = re.compile(r"\s*=(?!=)")
_ATTRIBUTES = re.compile(r"(?:\s*\.\s*\w+)*")
_NAME = re.compile(r"(?<![\w.])[^\W\d]\w*")


class _QuotedNames(NamedTuple):
    """The names in strings that look like types.

    Attributes:
        certain_types: Those in strings after `->`, where there is always a type.
        possible_types: The others. The string in `{"key": "Cache"}` is only a value.
    """

    certain_types: set[str]
    possible_types: set[str]


class UsedNames:
    """The names that the statements of a file use, except those that it defines."""

    def __init__(
        self,
        codes: Sequence[SourceSlice],
        defined: frozenset[str],
        words: AbstractSet[str] | None = None,
    ) -> None:
        """Prepare the search for names that the code of a file uses.

        Args:
            codes: The code of the statements, without imports.
            defined: The names that the file defines. They need no import.
            words: All identifiers in the code. If None, they are collected when they
                are needed.
        """
        self._text = _SEPARATOR.join([code.text for code in codes])
        self._mask = _SEPARATOR.join([code.mask for code in codes])
        self._known_words = words
        self.defined = defined

    def __contains__(self, name: str) -> bool:
        return name in self.among({name})

    def among(self, names: AbstractSet[str]) -> AbstractSet[str]:
        """Return those of the given names that the code uses and does not define.

        Types in strings count, such as `Cache` in `x: "list[Cache]"`.
        """
        undefined_names = names - self.defined
        used = set()
        for name in undefined_names & self._words:
            is_referred_to = any(True for _ in _find_references(self._mask, name))
            if is_referred_to:
                used.add(name)

        quoted = self._quoted_names
        # A string after `->`, as in `def f() -> "Cache":`, can only be a type.
        used |= undefined_names & quoted.certain_types
        # After a colon, it can also be a value: `{"key": "Cache"}`. Finding out is slow.
        possibly_used = (undefined_names & quoted.possible_types) - used
        if possibly_used:
            used |= self._in_annotations(possibly_used)
        return used

    def among_modules(
        self, modules: AbstractSet[str], other_masks: Iterable[str]
    ) -> AbstractSet[str]:
        """Return those of the given modules that the code uses.

        A use counts for the longest module name that it begins with. If both `a` and
        `a.b` are given, the expression `a.b.c` uses only `a.b`.

        Args:
            modules: The modules, such as `a` and `a.b`. If `a.b` is given, so is `a`.
            other_masks: More code to search, with filler for strings and comments.
        """
        # A string that looks like a type, as in `x: "a.C"`, uses the module `a`. It may
        # be only a value, as in `{"key": "a"}`. One import too many does no harm.
        quoted = self._quoted_names
        used_modules = set(modules & (quoted.certain_types | quoted.possible_types))

        first_words = {module.partition(".")[0] for module in modules}
        mask = _SEPARATOR.join([self._mask, *other_masks])
        for first_word in first_words:
            for dotted_name in _find_dotted_names(mask, first_word):
                module = dotted_name
                # `a.b.c` is shortened to `a.b` or, if that is not given, to `a`.
                while module not in modules:
                    module = module.rpartition(".")[0]
                used_modules.add(module)
        return used_modules

    @cached_property
    def _words(self) -> AbstractSet[str]:
        """All identifiers in the code."""
        return words(self._mask) if self._known_words is None else self._known_words

    @cached_property
    def _quoted_names(self) -> _QuotedNames:
        """The names in strings that look like types, such as `x: "list[Cache]"`.

        A string after `->` is certainly a type. Any other may also be a value.
        """
        quoted = _QuotedNames(set(), set())
        for match in _STRING.finditer(self._mask):
            start, end = match.span()
            if not _TYPE.fullmatch(self._text, start, end):
                continue
            search_start = max(0, start - _MAX_CHARS_BEFORE)
            code_before = self._mask[search_start:start].rstrip()
            names = _NAME.findall(self._text, start, end)
            if code_before.endswith("->"):
                quoted.certain_types.update(names)
            elif code_before.endswith(_BEFORE_TYPE):
                quoted.possible_types.update(names)
        return quoted

    def _in_annotations(self, names: AbstractSet[str]) -> AbstractSet[str]:
        """Return those of the given names that are types in quotes: `x: "list[Cache]"`.

        A name in another string, such as `{"key": "Cache"}`, does not count. If Python
        cannot parse the code, all of the names are returned.
        """
        # The code of one class can be in several pieces, with separators between them.
        # Without the separators, the pieces are a Python file again.
        text = self._text.replace(_SEPARATOR, "")
        mask = self._mask.replace(_SEPARATOR, "")

        # Parsing is slow, so only the statements that contain a name are parsed.
        source = ""
        for statement in split(SourceSlice(text, mask, "", 1)).statements:
            if any(has_word(statement.bare_code.text, name) for name in names):
                source += statement.bare_code.text
        try:
            tree: ast.AST = ast.parse(source)
        except SyntaxError:
            return names

        annotated: set[str] = set()
        for node in descend(tree, _children_with_annotations):
            for field in ("annotation", "returns"):
                annotation = getattr(node, field, None)
                if annotation is not None:
                    annotated.update(_names_in_strings(annotation))
        return names & annotated


def _find_references(mask: str, name: str) -> Iterator[int]:
    """Yield the offsets at which code refers to a name.

    The attribute `x.name`, the assignment `name = 1` and the keyword in `f(name=1)` do
    not count.

    Args:
        mask: The code, with filler for strings and comments.
        name: The name.
    """
    for start in find_word(mask, name):
        code_before = mask[max(0, start - _MAX_CHARS_BEFORE) : start]
        is_attribute = code_before.rstrip(" \t").endswith(".")
        if is_attribute:
            continue
        has_equals_sign = _EQUALS_SIGN.match(mask, start + len(name))
        # With an equals sign, only the type in `x: name = 1` and the value in the
        # f-string `f"{name=}"` refer to the name.
        if not has_equals_sign or _COLON_OR_BRACE_BEFORE.search(code_before):
            yield start


def _find_dotted_names(mask: str, head: str) -> Iterator[str]:
    """Yield the dotted names that begin with a name: `a`, `a.b` and so on for `a`."""
    for start in _find_references(mask, head):
        attributes = _ATTRIBUTES.match(mask, start + len(head))
        assert attributes is not None
        yield head + "".join(attributes[0].split())


def _children_with_annotations(node: ast.AST) -> list[ast.AST]:
    """Return the children of a node except expressions, which have no annotations."""
    return [
        child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr)
    ]


def _names_in_strings(annotation: ast.AST) -> Iterator[str]:
    """Yield the names in the strings of an annotation."""
    for node in descend(annotation, _children_with_types):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from _NAME.findall(node.value)


def _children_with_types(node: ast.AST) -> Iterable[ast.AST]:
    """Return the children of a node, but not the values of a `Literal["a"]`."""
    if isinstance(node, ast.Subscript):
        if ast.unparse(node.value).rpartition(".")[2] == "Literal":
            return ()
    return ast.iter_child_nodes(node)
