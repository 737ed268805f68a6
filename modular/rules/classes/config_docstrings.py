'''Docstrings of configurations: with the setting `merge-docstrings`, they are merged argument by argument.

A configuration's docstring explains its arguments. With the setting, a modular configuration explains only those that are
new or different:

- An entry of the modular's docstring replaces the parent's of the same name, in its place; new ones follow the parent's.
- The entries of attributes that are removed, by `name = AttributeError()` or `del self.name`, are left out.
- What is above the entries, and what is below them (examples, mostly), is the modular's if it has any, else the
  parent's.

An entry begins with a line such as ``size (`int`, *optional*, defaults to 8):`` and has the deeper lines below it. Where one
of the two docstrings has no entries and nothing above or below them, or where their quotes differ, nothing is merged: then,
and without the setting, the modular's docstring replaces the parent's, see `docstrings`. The preset does not merge.

Settings `pyproject.toml`:

```toml
[tool.modular]
merge-docstrings = true
```

Parent `models/llama/configuration_llama.py`:

```python
class LlamaConfig:
    """
    Configuration of a Llama model.

    Args:
        vocab_size (`int`, *optional*, defaults to 32000):
            The number of tokens.
        hidden_size (`int`, *optional*, defaults to 4096):
            The size of hidden states.
        pretraining_tp (`int`, *optional*, defaults to 1):
            How pretraining was shared out.

    Example: `LlamaConfig()`
    """

    vocab_size = 32000
    hidden_size = 4096
    pretraining_tp = 1
```

Modular `models/my_model/modular_my_model.py`:

```python
from ..llama.configuration_llama import LlamaConfig


class MyModelConfig(LlamaConfig):
    """
    Configuration of my model.

    Args:
        hidden_size (`int`, *optional*, defaults to 512):
            The size of hidden states, a small one.
        window (`int`, *optional*, defaults to 128):
            How far a token sees.
    """

    pretraining_tp = AttributeError()
    hidden_size = 512
    window = 128
```

Output `models/my_model/configuration_my_model.py`:

```python
class MyModelConfig:
    """
    Configuration of my model.

    Args:
        vocab_size (`int`, *optional*, defaults to 32000):
            The number of tokens.
        hidden_size (`int`, *optional*, defaults to 512):
            The size of hidden states, a small one.
        window (`int`, *optional*, defaults to 128):
            How far a token sees.

    Example: `MyModelConfig()`
    """

    vocab_size = 32000
    hidden_size = 512
    window = 128
```
'''

import re
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from modular.source.blocks import Statement
from modular.source.code import SourceSlice


_OPENING = re.compile(r"[ \t]*[A-Za-z]?(\"\"\"|\'\'\')")
_ENTRY = re.compile(r"(?P<indent>[ \t]*)(?P<name>\*{0,2}[^\W\d]\w*)[ \t]*\(.*\)[ \t]*:")
_HEADINGS = frozenset({"Args:", "Arguments:", "Parameters:"})


@dataclass(eq=False)
class _Docstring:
    """A docstring, line by line: what is above the entries, their heading, the entries by name, what is below.

    The first line holds the opening quotes; ``closing`` is what remains from the closing ones on.
    """

    quotes: str
    closing: SourceSlice
    above: list[SourceSlice] = field(default_factory=list)
    heading: list[SourceSlice] = field(default_factory=list)
    entries: dict[str, list[SourceSlice]] = field(default_factory=dict)
    below: list[SourceSlice] = field(default_factory=list)

    @property
    def has_above(self) -> bool:
        """Whether there is more than quotes above the entries."""
        return bool(_text(self.above).partition(self.quotes)[2].strip())

    @property
    def has_below(self) -> bool:
        """Whether there is anything below the entries."""
        return bool(_text(self.below).strip())


def merge_docstring_entries(
    parent: Statement, own: Statement, removed: AbstractSet[str]
) -> list[SourceSlice] | None:
    """Return the merged docstring as runs of lines, or None if there is nothing to merge.

    ``removed`` are the names of attributes that the flattened class does not have.
    """
    theirs, ours = _read(parent), _read(own)
    if (
        theirs is None
        or ours is None
        or theirs.quotes != ours.quotes
        or not theirs.entries
    ):
        return None
    kept = {
        name: lines
        for name, lines in theirs.entries.items()
        if name.lstrip("*") not in removed
    }
    entries = kept | {
        name: _indented(lines, _indent(theirs)) for name, lines in ours.entries.items()
    }
    above = _with_gap(ours.above) if ours.has_above else theirs.above
    last = ours if ours.has_below else theirs
    lines = [
        *above,
        *(theirs.heading or ours.heading),
        *(line for entry in entries.values() for line in entry),
    ]
    return [own.lead, *lines, *_end(last)]


def _with_gap(above: Sequence[SourceSlice]) -> Sequence[SourceSlice]:
    """Let a blank line follow what is above the entries."""
    last = above[-1]
    if not last.text.strip():
        return above
    end = len(last.text.rstrip("\n"))
    return [*above[:-1], last.replace([(end, len(last.text), "\n\n")])]


def _end(last: _Docstring) -> Iterable[SourceSlice]:
    """What is below the entries, and the closing quotes: on a line of their own if nothing is before them."""
    if last.has_below:
        return [*last.below, last.closing]
    indent = re.match(r"[ \t]*", last.above[0].text)
    blanks = indent.group() if indent else ""
    return [last.closing.replace([(0, 0, blanks)])]


def _read(statement: Statement) -> _Docstring | None:
    """Take a docstring apart; None if it is not between three quotes."""
    own = statement.own
    opening = _OPENING.match(own.text)
    end = len(own.text.rstrip()) - 3
    if opening is None or end < opening.end():
        return None
    docstring = _Docstring(opening.group(1), own.cut(end))
    _convert_into(docstring, _lines(own.cut(0, end)))
    return docstring


def _lines(code: SourceSlice) -> list[SourceSlice]:
    starts = [0, *(match.end() for match in re.finditer("\n", code.text))]
    return list(code.cut_at(starts))


def _convert_into(docstring: _Docstring, lines: Sequence[SourceSlice]) -> None:
    """Share the lines of a docstring out."""
    width = -1
    current: list[SourceSlice] = docstring.above
    for line in lines:
        entry = _ENTRY.match(line.text)
        blank = not line.text.strip()
        depth = len(line.text) - len(line.text.lstrip())
        if (
            entry
            and width in (-1, depth)
            and current is not docstring.below
            and line is not lines[0]
        ):
            width = depth
            current = docstring.entries.setdefault(entry["name"], [])
        elif docstring.entries and not blank and depth <= width:
            current = docstring.below
        current.append(line)
    if docstring.above[1:] and docstring.above[-1].text.strip() in _HEADINGS:
        docstring.heading = [docstring.above.pop()]
    if docstring.entries:
        _move_blank_lines(docstring)


def _move_blank_lines(docstring: _Docstring) -> None:
    """Blank lines after an entry belong to what follows; after the last, to what is below."""
    trailing: list[SourceSlice] = []
    for entry in docstring.entries.values():
        trailing = []
        while not entry[-1].text.strip():
            trailing.insert(0, entry.pop())
        if not entry[-1].text.endswith("\n"):
            entry[-1] = entry[-1].replace(
                [(len(entry[-1].text), len(entry[-1].text), "\n")]
            )
    docstring.below = [*trailing, *docstring.below]


def _indent(docstring: _Docstring) -> int:
    first = next(iter(docstring.entries.values()))[0].text
    return len(first) - len(first.lstrip())


def _indented(lines: Sequence[SourceSlice], indent: int) -> list[SourceSlice]:
    """Return the lines of an entry, moved so that its first has this indent."""
    change = indent - (len(lines[0].text) - len(lines[0].text.lstrip()))
    if change >= 0:
        return [
            line.replace([(0, 0, " " * change)]) if line.text.strip() else line
            for line in lines
        ]
    return [
        line.cut(min(-change, len(line.text) - len(line.text.lstrip(" \t"))))
        for line in lines
    ]


def _text(lines: Iterable[SourceSlice]) -> str:
    return "".join(line.text for line in lines)
