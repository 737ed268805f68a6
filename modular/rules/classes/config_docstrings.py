'''With the setting `merge-docstrings`, you describe only arguments that are new or different.

modular then combines the docstring of your configuration class with the docstring of
its parent:

- **If both describe an argument,** your description replaces the parent's.
- **If only you describe it,** your description comes after those of the parent.
- **If you remove an attribute,** with `name = AttributeError()` or `del self.name`,
  modular removes the description of this attribute, too.
- **The text above the descriptions** comes from your docstring. If you write none, it
  comes from the parent's docstring.
- **The text below the descriptions,** which is usually an example, also comes from your
  docstring. If you write none, it comes from the parent's docstring.

A description begins with a line such as ``size (`int`, *optional*, defaults to 8):``.
The lines that follow it with a deeper indentation belong to the same description.

Without the setting, your docstring replaces the parent's (see `docstrings`). This is
the default, because the converter of transformers does the same.

Even with the setting, your docstring replaces the parent's in three cases:

- The parent's docstring describes no arguments.
- The two docstrings use different quotes.
- One of the two docstrings is not in triple quotes.

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
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from modular.source.blocks import Statement
from modular.source.scan import count_leading_blanks
from modular.source.source_slice import SourceSlice


_OPENING = re.compile(r"[ \t]*[A-Za-z]?(\"\"\"|\'\'\')")
_ENTRY = re.compile(r"(?P<indent>[ \t]*)(?P<name>\*{0,2}[^\W\d]\w*)[ \t]*\(.*\)[ \t]*:")
_LINE_START = re.compile("^", re.MULTILINE)
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
    parent_docstring = _parse_docstring(parent)
    child_docstring = _parse_docstring(child)
    if parent_docstring is None or child_docstring is None:
        return None
    if not parent_docstring.entries:
        return None
    if parent_docstring.quotes != child_docstring.quotes:
        return None

    # Comments above the docstring come from the child.
    merged = [child.lead]
    # The texts above and below the entries come from the child if it has such a text.
    if child_docstring.has_text_above:
        # A docstring such as `"""My model."""` has no blank line below its text.
        merged += _end_with_blank_line(child_docstring.above)
    else:
        merged += parent_docstring.above
    merged += parent_docstring.heading or child_docstring.heading
    for lines in _merge_entries(parent_docstring, child_docstring, removed).values():
        merged += lines
    if child_docstring.has_text_below:
        merged += _ending(child_docstring)
    else:
        merged += _ending(parent_docstring)
    return merged


def _merge_entries(
    parent: _Docstring, child: _Docstring, removed: AbstractSet[str]
) -> dict[str, list[SourceSlice]]:
    """Return the entries of the merged docstring by the names of their arguments.

    An entry of the child replaces the parent's entry for the same argument. New entries
    follow.

    Args:
        parent: The parent's docstring, which has entries.
        child: The child's docstring, which may have none.
        removed: The attributes that the child class removes.
    """
    entries = {}
    for name, lines in parent.entries.items():
        # Arguments can be documented with their stars: `**kwargs`.
        if name.lstrip("*") not in removed:
            entries[name] = lines
    first_entry = next(iter(parent.entries.values()))
    indent = _indent_width(first_entry[0])
    for name, lines in child.entries.items():
        entries[name] = _reindent(lines, indent)
    return entries


def _end_with_blank_line(above: list[SourceSlice]) -> list[SourceSlice]:
    """Return the lines above the entries, with a blank line at the end if it is missing."""
    *lines, last = above
    is_blank = not last.text.strip()
    if is_blank:
        return above
    end = len(last.text.rstrip("\n"))
    return [*lines, last.replace([(end, len(last.text), "\n\n")])]


def _ending(docstring: _Docstring) -> list[SourceSlice]:
    """Return the text below the entries of a docstring, and the closing quotes.

    Without such a text, the closing quotes get a line of their own, with the indent of
    the opening quotes.
    """
    if docstring.has_text_below:
        return [*docstring.below, docstring.closing]
    first_line = docstring.above[0].text
    indent = first_line[: count_leading_blanks(first_line, " \t")]
    indented_closing = docstring.closing.replace([(0, 0, indent)])
    return [indented_closing]


def _parse_docstring(statement: Statement) -> _Docstring | None:
    """Split a docstring into its text, its heading `Args:` and its entries.

    The first line like ``size (`int`):`` begins the entries. Such a line with the same
    indent begins the next entry. Any other text with that indent, or less, ends them.
    Blank lines between entries are dropped, and those below the last entry belong to the
    text below.

    Returns:
        The docstring, or None if it is not in triple quotes.
    """
    code = statement.bare_code
    opening = _OPENING.match(code.text)
    if opening is None:
        return None
    # A string that begins with three quotes also ends with three quotes.
    closing_start = len(code.text.rstrip()) - len('"""')
    content = code.cut(0, closing_start)
    line_starts = [match.start() for match in _LINE_START.finditer(content.text)]
    # The first line has the opening quotes.
    first_line, *lines = content.cut_at(line_starts)

    above = [first_line]
    entries: dict[str, list[SourceSlice]] = {}
    below: list[SourceSlice] = []
    entry_indent: int | None = None
    section = above
    blank_lines: list[SourceSlice] = []
    for index, line in enumerate(lines):
        if not line.text.strip():
            blank_lines.append(line)
            continue
        indent = _indent_width(line)
        entry = _ENTRY.match(line.text)
        # The first entry sets the indent of all entries.
        if entry is not None and entry_indent in (None, indent):
            if entry_indent is None:
                above += blank_lines
            entry_indent = indent
            section = entries.setdefault(entry["name"], [])
        elif entry_indent is not None and indent <= entry_indent:
            below = lines[index:]
            break
        else:
            # The line continues the text above the entries, or the current entry.
            section += blank_lines
        blank_lines = []
        section.append(line)

    if entries:
        below = blank_lines + below
        # The closing quotes may follow the last line directly.
        section[-1] = _end_line(section[-1])
    else:
        above += blank_lines
    heading = []
    # The first line is never the heading.
    if len(above) > 1 and above[-1].text.strip() in _HEADINGS:
        heading = [above.pop()]
    closing = code.cut(closing_start)
    return _Docstring(opening[1], above, heading, entries, below, closing)


def _end_line(line: SourceSlice) -> SourceSlice:
    """Return a line of a docstring with a line end."""
    if line.text.endswith("\n"):
        return line
    end = len(line.text)
    return line.replace([(end, end, "\n")])


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
