'''The setting `merge-docstrings` merges docstrings of configurations by argument.

With this setting, the docstring of a modular configuration describes only the arguments
that are new or different:

- **If both docstrings have an entry for an argument,** the entry of the modular file is
  used, in the parent's place. New entries follow the parent's.
- **Entries of removed attributes are dropped.** You remove an attribute by
  `name = AttributeError()` or `del self.name`.
- **The text above the entries comes from the modular file** if it has any, else from
  the parent. The same is true for the text below the entries, which is usually an
  example.

An entry begins with a line such as ``size (`int`, *optional*, defaults to 8):``. The
lines below it that are indented more belong to it.

In these cases, the docstring of the modular file replaces the parent's docstring as a
whole (see `docstrings`):

- **Without the setting.** It is off in the preset, because transformers does not merge.
- **If the parent's docstring has no entries.**
- **If the docstrings use different quotes,** or one of them is not in triple quotes.

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
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from modular.source.blocks import Statement
from modular.source.scan import count_leading_blanks
from modular.source.source_slice import SourceSlice


_OPENING = re.compile(r"[ \t]*[A-Za-z]?(\"\"\"|\'\'\')")
_ENTRY = re.compile(r"(?P<indent>[ \t]*)(?P<name>\*{0,2}[^\W\d]\w*)[ \t]*\(.*\)[ \t]*:")
_HEADINGS = frozenset({"Args:", "Arguments:", "Parameters:"})


class _Docstring(NamedTuple):
    """A docstring whose lines are sorted into sections.

    Attributes:
        quotes: Its quotes.
        above: The lines above the heading. The first one has the opening quotes.
        heading: The line `Args:`, if there is one.
        entries: The lines of each argument by its name.
        below: The lines below the entries.
        closing: The code from the closing quotes on.
    """

    quotes: str
    above: list[SourceSlice]
    heading: list[SourceSlice]
    entries: dict[str, list[SourceSlice]]
    below: list[SourceSlice]
    closing: SourceSlice

    @property
    def has_text_above(self) -> bool:
        """Whether there is text between the opening quotes and the entries."""
        text = "".join(line.text for line in self.above)
        return bool(text.partition(self.quotes)[2].strip())

    @property
    def has_text_below(self) -> bool:
        """Whether there is text between the entries and the closing quotes."""
        return any(line.text.strip() for line in self.below)


def merge_docstring_entries(
    parent: Statement, child: Statement, removed: AbstractSet[str]
) -> list[SourceSlice] | None:
    """Merge the docstrings of two configuration classes argument by argument.

    The child's docstring needs to describe only the arguments that are new or
    different. All other entries come from the parent's docstring.

    Args:
        parent: The docstring of the parent class.
        child: The docstring of the child class.
        removed: The attributes that the child class removes. Their entries are dropped.

    Returns:
        The merged docstring as runs of lines, or None if the two cannot be merged.
    """
    inherited = _parse_docstring(parent)
    overriding = _parse_docstring(child)
    if inherited is None or overriding is None or not inherited.entries:
        return None
    if inherited.quotes != overriding.quotes:
        return None

    # Comments above the docstring are the child's, and so are the texts above and below
    # the entries if the child has any.
    merged = [child.lead]
    if overriding.has_text_above:
        merged += _end_with_blank_line(overriding.above)
    else:
        merged += inherited.above
    merged += inherited.heading or overriding.heading
    for lines in _merge_entries(inherited, overriding, removed).values():
        merged += lines
    merged += _ending(overriding if overriding.has_text_below else inherited)
    return merged


def _merge_entries(
    inherited: _Docstring, overriding: _Docstring, removed: AbstractSet[str]
) -> dict[str, list[SourceSlice]]:
    """Return the lines of each argument that the merged docstring describes.

    An entry of the child replaces the parent's in its place, or follows all of them.
    """
    entries = {}
    for name, lines in inherited.entries.items():
        # Arguments can be documented with their stars: `**kwargs`.
        if name.lstrip("*") not in removed:
            entries[name] = lines
    first_entry = next(iter(inherited.entries.values()))
    indent = _indent_width(first_entry[0])
    for name, lines in overriding.entries.items():
        entries[name] = _reindent(lines, indent)
    return entries


def _end_with_blank_line(above: list[SourceSlice]) -> list[SourceSlice]:
    """Add a blank line after the text above the entries if there is none."""
    last = above[-1]
    if not last.text.strip():
        return above
    end = len(last.text.rstrip("\n"))
    return [*above[:-1], last.replace([(end, len(last.text), "\n\n")])]


def _ending(docstring: _Docstring) -> list[SourceSlice]:
    """Return the end of a docstring: the text below its entries, and closing quotes.

    If there is no such text, the end is only a line with the closing quotes, indented
    like the opening quotes.
    """
    if docstring.has_text_below:
        return [*docstring.below, docstring.closing]
    first_line = docstring.above[0].text
    indent = first_line[: count_leading_blanks(first_line, " \t")]
    # Every entry ends with a line end, so the quotes begin a line. The span from 0 to 0
    # is empty, so this inserts the indent before the quotes.
    return [docstring.closing.replace([(0, 0, indent)])]


def _parse_docstring(statement: Statement) -> _Docstring | None:
    """Split a docstring into its text, its heading `Args:` and its entries.

    Returns:
        The docstring, or None if it is not in triple quotes.
    """
    code = statement.bare_code
    opening = _OPENING.match(code.text)
    closing_start = len(code.text.rstrip()) - len('"""')
    if opening is None or closing_start < opening.end():
        return None
    content = code.cut(0, closing_start)
    line_starts = [0]
    for line_end in re.finditer("\n", content.text):
        line_starts.append(line_end.end())
    above, entries, below = _divide_lines(content.cut_at(line_starts))

    heading = []
    # The first line has the opening quotes, so it is never the heading.
    if len(above) > 1 and above[-1].text.strip() in _HEADINGS:
        heading = [above.pop()]
    # The entries will be in another order, so they lose the blank lines at their ends.
    # Those of the last entry separate it from the text below, and stay above this text.
    blank_lines_below = _strip_entries(entries)
    return _Docstring(
        quotes=opening[1],
        above=above,
        heading=heading,
        entries=entries,
        below=blank_lines_below + below,
        closing=code.cut(closing_start),
    )


class _DividedLines(NamedTuple):
    """The lines of a docstring.

    Attributes:
        above: The lines above the entries, with the heading.
        entries: The lines of each argument by its name.
        below: The lines below the entries.
    """

    above: list[SourceSlice]
    entries: dict[str, list[SourceSlice]]
    below: list[SourceSlice]


def _divide_lines(lines: Iterable[SourceSlice]) -> _DividedLines:
    """Divide the lines of a docstring: above its entries, each entry, and below.

    The first line like ``size (`int`):`` begins the entries. Such a line with the same
    indent begins the next entry. Any other text with that indent, or less, ends them.
    """
    divided = _DividedLines(above=[], entries={}, below=[])
    entry_indent: int | None = None
    section = divided.above
    for index, line in enumerate(lines):
        has_opening_quotes = index == 0
        is_blank = not line.text.strip()
        is_below_entries = section is divided.below
        # These three kinds of lines belong to the section of the line before.
        if not (has_opening_quotes or is_blank or is_below_entries):
            entry = _ENTRY.match(line.text)
            indent = _indent_width(line)
            # The first entry sets the indent of all entries.
            if entry is not None and entry_indent in (None, indent):
                entry_indent = indent
                section = divided.entries.setdefault(entry["name"], [])
            # A line with more indent continues the entry.
            elif entry_indent is not None and indent <= entry_indent:
                section = divided.below
        section.append(line)
    return divided


def _strip_entries(entries: Mapping[str, list[SourceSlice]]) -> list[SourceSlice]:
    """Remove the blank lines at the end of each entry, and return those of the last.

    Each entry then ends with a line end, so that another one can follow it.

    Args:
        entries: The lines of each argument by its name. The lists are changed.
    """
    blank_lines: list[SourceSlice] = []
    for lines in entries.values():
        blank_lines = []
        while not lines[-1].text.strip():
            blank_lines.insert(0, lines.pop())
        # The closing quotes may follow the last line directly.
        last = lines[-1]
        if not last.text.endswith("\n"):
            end = len(last.text)
            lines[-1] = last.replace([(end, end, "\n")])
    return blank_lines


def _indent_width(line: SourceSlice) -> int:
    """Return the number of blanks at the beginning of a line."""
    return count_leading_blanks(line.text)


def _reindent(lines: Sequence[SourceSlice], indent: int) -> list[SourceSlice]:
    """Indent the lines of a docstring entry by more or fewer blanks.

    Args:
        lines: The lines of the entry.
        indent: The indent of the first line afterwards, in blanks. All other lines move
            by the same number of blanks.
    """
    added_blanks = indent - _indent_width(lines[0])
    reindented = []
    for line in lines:
        if added_blanks < 0:
            blanks = count_leading_blanks(line.text, " \t")
            removed_blanks = min(-added_blanks, blanks)
            reindented.append(line.cut(removed_blanks))
        elif line.text.strip():
            reindented.append(line.replace([(0, 0, " " * added_blanks)]))
        else:
            reindented.append(line)
    return reindented
