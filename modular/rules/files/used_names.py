"""A generated file imports only the names that its code refers to.

For example, code that contains `nn` or `nn.Linear` refers to `nn`.

- **Names in annotations count,** even if the annotation is a string: `x: "list[Cache]"`
  refers to `Cache`.
- **Names in other strings and in comments do not count.**
- **Attributes and keyword arguments do not count:** `self.logging(optim=1)` refers to
  neither `logging` nor `optim`.

In the example, the generated file drops the imports of `Union`, `optim`, `quantization`
and `logging`.

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

import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property

from modular.semantics.facts import OpaqueReason, When
from modular.semantics.statements import facts_of_text, stub_of
from modular.source.blocks import Kind, Statement, split
from modular.source.definition_view import view_definition
from modular.source.source_slice import SourceSlice, find_word, words


_MAX_CHARS_BEFORE = 200
"""How many characters before a name or string are searched for what shows its use."""

_SEPARATOR = "\0"
"""A character between two pieces of code that no pattern matches."""

_STRING = re.compile(r"\"(?<=[:\[,|(>\s]\")\"{1,199}+(?!\")")
"""A string of at most 200 characters, after what can precede a type.

It is searched in a masked text.
"""

_BEFORE_TYPE = (":", "[", ",", "|", "(", "->", '"')
"""What can precede a string that is a type, or a part of one: `"list[" "Cache]"`."""

_COLON_OR_BRACE_BEFORE = re.compile(r"[:|{]\s*\Z")
"""What is before `name` in `x: name = 1`, `x: int | name = 1` and `f"{name=}"`."""

_EQUALS_SIGN = re.compile(r"\s*=(?!=)")
_ATTRIBUTES = re.compile(r"(?:\s*\.\s*\w+)*")
_IN_TYPES = (When.ANNOTATION, When.QUOTED)
_DOTTED_NAME = re.compile(r"(?<![\w.])[^\W\d]\w*(?:\s*\.\s*\w+)*")


class UsedNames:
    """The names that the statements of a file use, except those that it defines.

    Patterns find them in the masked text of the code, and `semantics` is asked only
    about types in quotes. The facts about all statements would tell the same, but no
    other stage needs most of them, and reading them takes fourteen times as long. The
    patterns cannot tell scopes apart, so a local variable counts as a use of an import
    of the same name.
    """

    def __init__(
        self,
        codes: Sequence[SourceSlice],
        defined: AbstractSet[str],
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
        self._masked_text = _SEPARATOR.join([code.masked_text for code in codes])
        self._known_words = words
        self.defined = defined

    def __contains__(self, name: str) -> bool:
        return name in self.among({name})

    def among(self, names: AbstractSet[str]) -> AbstractSet[str]:
        """Return which of the given names the code uses and does not define.

        Types in strings count, such as `Cache` in `x: "list[Cache]"`.
        """
        undefined_names = names - self.defined
        used_names = set()
        for name in undefined_names & self._words:
            first_reference = next(_find_references(self._masked_text, name), None)
            if first_reference is not None:
                used_names.add(name)

        # Searching annotations is slow, so it is done only for the remaining names.
        for annotated_name in self._names_in_annotations(undefined_names - used_names):
            first_word = annotated_name.partition(".")[0]
            if first_word in undefined_names:
                used_names.add(first_word)
        return used_names

    def among_modules(
        self, modules: AbstractSet[str], other_masked_texts: Iterable[str]
    ) -> AbstractSet[str]:
        """Return which of the given modules the code uses.

        A use counts for the longest module name that it begins with. If both `a` and
        `a.b` are given, the expression `a.b.c` uses only `a.b`. So does the type in
        quotes in `x: "list[a.b.c]"`.

        Args:
            modules: The modules, such as `a` and `a.b`. If `a.b` is given, so is `a`.
            other_masked_texts: More code to search, with filler for strings and
                comments.
        """
        first_words = {module.partition(".")[0] for module in modules}
        masked_text = _SEPARATOR.join([self._masked_text, *other_masked_texts])
        used_names = self._names_in_annotations(first_words)
        for first_word in first_words:
            used_names.update(_find_dotted_names(masked_text, first_word))

        used_modules = set()
        for name in used_names:
            module = name
            # `a.b.c` is shortened to `a.b` or, if that is not given, to `a`.
            while module and module not in modules:
                module = module.rpartition(".")[0]
            # Annotations also have names that begin with none of the modules.
            if module:
                used_modules.add(module)
        return used_modules

    @cached_property
    def _words(self) -> AbstractSet[str]:
        """All identifiers in the code."""
        return (
            words(self._masked_text) if self._known_words is None else self._known_words
        )

    @cached_property
    def _quoted_names(self) -> set[str]:
        """The names in strings that may be types: `a.b.C` in `x: "list[a.b.C]"`.

        A string may be a type if it is after a sign such as `:`, `->` or `[`. Most of
        these strings are only values, such as that in `{"key": "Cache"}`.
        """
        return _find_quoted_names(self._text, self._masked_text)

    def _names_in_annotations(self, first_words: AbstractSet[str]) -> set[str]:
        """Return the dotted names in the annotations of statements with types in quotes.

        For `x: "list[a.C]"`, these are `list` and `a.C`. Parsing is slow, and callers find
        names without quotes by themselves. So only statements are read that quote a name
        which begins with one of the words, and the result is empty if there are none. If
        they cannot be parsed, all names in strings that may be types are returned.

        Args:
            first_words: The first words of the names that the caller looks for, such as
                `a`.
        """
        quoted_words = {name.partition(".")[0] for name in self._quoted_names}
        words_to_find = quoted_words & first_words
        if not words_to_find:
            return set()
        facts = facts_of_text(self._statements_with(words_to_find))
        for opaque in facts.opaque:
            if opaque.reason is OpaqueReason.UNREADABLE:
                return set(self._quoted_names)
        return {
            mention.dotted_name
            for mention in facts.mentions
            if mention.when in _IN_TYPES
        }

    def _statements_with(self, words: AbstractSet[str]) -> str:
        """Return the module-level statements with quoted names that begin with some words.

        For the word `a`, these are statements such as `x: "list[a.C]"`.
        """
        # The code of one class can be in several pieces, with separators between them.
        # Without the separators, the pieces are a Python file again.
        text = self._text.replace(_SEPARATOR, "")
        masked_text = self._masked_text.replace(_SEPARATOR, "")
        statements_text = ""
        for statement in split(SourceSlice(text, masked_text, "", 1)).statements:
            if _quotes_any(statement.bare_code, words):
                statements_text += _without_other_methods(statement, words)
        return statements_text


def _without_other_methods(statement: Statement, words: AbstractSet[str]) -> str:
    """Return the code of a statement, in which most methods of a class have no body.

    Reading the bodies of methods is slow. A body stays if the method has a name in quotes
    that begins with one of some words.
    """
    if statement.kind is not Kind.CLASS:
        return statement.bare_code.text
    class_ = view_definition(statement)
    text = class_.decorators.text + class_.header.text
    for member in class_.body.statements:
        is_method = member.kind is Kind.FUNCTION
        if is_method and not _quotes_any(member.code, words):
            text += stub_of(member)
        else:
            text += member.bare_code.text
    return text


def _quotes_any(code: SourceSlice, words: AbstractSet[str]) -> bool:
    """Whether a name in quotes that may be a type begins with one of some words."""
    quoted_names = _find_quoted_names(code.text, code.masked_text)
    return any(name.partition(".")[0] in words for name in quoted_names)


def _find_quoted_names(text: str, masked_text: str) -> set[str]:
    """Return the names in strings that may be types. See `UsedNames._quoted_names`."""
    quoted_names = set()
    for match in _STRING.finditer(masked_text):
        start, end = match.span()
        code_before = masked_text[max(0, start - _MAX_CHARS_BEFORE) : start].rstrip()
        if code_before.endswith(_BEFORE_TYPE):
            # In the masked text, the string is only filler, so its names are read from
            # the text.
            for name in _DOTTED_NAME.findall(text, start, end):
                quoted_names.add(_without_blanks(name))
    return quoted_names


def _find_references(masked_text: str, name: str) -> Iterator[int]:
    """Yield the offsets at which code refers to a name.

    The attribute `x.name`, the assignment `name = 1` and the keyword in `f(name=1)` do
    not refer to it.

    Args:
        masked_text: The code, with filler for strings and comments.
        name: The name.
    """
    for start in find_word(masked_text, name):
        code_before = masked_text[max(0, start - _MAX_CHARS_BEFORE) : start]
        is_attribute = code_before.rstrip(" \t").endswith(".")
        if is_attribute:
            continue
        has_equals_sign = _EQUALS_SIGN.match(masked_text, start + len(name))
        # With an equals sign, only the type in `x: name = 1` and the value in the
        # f-string `f"{name=}"` refer to the name.
        if not has_equals_sign or _COLON_OR_BRACE_BEFORE.search(code_before):
            yield start


def _find_dotted_names(masked_text: str, head: str) -> Iterator[str]:
    """Yield the dotted names that begin with a name: `a`, `a.b` and so on for `a`."""
    for start in _find_references(masked_text, head):
        attributes = _ATTRIBUTES.match(masked_text, start + len(head))
        assert attributes is not None
        yield head + _without_blanks(attributes[0])


def _without_blanks(dotted_name: str) -> str:
    """Return a dotted name without blanks and line ends: `a.b` for `a . b`."""
    return "".join(dotted_name.split())
