'''Renaming: before anything else happens to a parent file, it is renamed for the new model.

Three spellings map to three: `llama` to `my_model`, `LLAMA` to `MY_MODEL` and `Llama` to `MyModel`; any other mix of case,
such as `LLaMA`, becomes the cased name. A match may not follow a letter or digit. Where the parent's cased name is its
name in capitals (`CLIP`), it becomes `MY_MODEL` where no letter follows, and `MyModel` in `CLIPModel`. (`M2M100` is not
`m2m_100` in capitals: it always becomes `MyModel`.)

Renamed are identifiers, attributes and keyword arguments among them, plain strings and comments. Not renamed are the
literal parts of f-strings, absolute imports (`from x import y`), and the setting `keep-names` where a whole identifier or
a whole string between double quotes is one of them. A comment that contains `# Copied from` is removed.

Parent `models/llama/modeling_llama.py`:

```python
from llama_kernels import llama_rotate


LLAMA_SIZES = {"llama-7b": 4096}


# Copied from models.gpt.modeling_gpt.GPTMLP with GPT->Llama
class LlamaMLP:
    """The MLP of LLaMA, see `LlamaModel`."""

    def forward(self, x, llama_size=None):
        # Llama has no biases.
        print(f"Llama: {LLAMA_SIZES} xllama")
        return x.llama(llama_size=llama_size)
```

Modular `models/my_model/modular_my_model.py`:

```python
from ..llama.modeling_llama import LlamaMLP


class MyModelMLP(LlamaMLP):
    pass
```

Output `models/my_model/modeling_my_model.py`:

```python
MY_MODEL_SIZES = {"my_model-7b": 4096}


class MyModelMLP:
    """The MLP of MyModel, see `MyModelModel`."""

    def forward(self, x, my_model_size=None):
        # MyModel has no biases.
        print(f"Llama: {MY_MODEL_SIZES} xllama")
        return x.my_model(my_model_size=my_model_size)
```
'''

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from modular.source import import_statements, scan
from modular.source.code import Renaming, SourceSlice
from modular.source.import_statements import Found, module_span


COPIED = "# Copied from"
_COPIED_TO_END = re.compile(rf"{COPIED}[^\n]*")
_WORD_BEFORE = re.compile(r"\w*\Z")
_WORD_BEHIND = re.compile(r"\w*")
_LONGEST_WORD = 80


class RenameSite(NamedTuple):
    """A place where a text mentions the old model.

    ``found`` is the spelling there, or None for a comment to remove; ``shout`` says that it is all capitals and no letter
    follows; ``sibling`` that it names a file of the model in a relative import.
    """

    start: int
    end: int
    found: str | None
    shout: bool = False
    sibling: bool = False


@dataclass
class ModelNameForms:
    """The old model's names, and which of its files and words are special."""

    lower: Final[str]
    cased: Final[str]
    keep: Final[frozenset[str]]
    file_types: Final[tuple[str, ...]]

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Finds the names in any mix of case, with the character after them."""
        names = dict.fromkeys((self.lower.lower(), self.cased.lower()))
        firsts = {name: re.escape(name[0] + name[0].upper()) for name in names}
        rests = "|".join(
            f"(?<=[{first}]){re.escape(name[1:])}" for name, first in firsts.items()
        )
        # What begins with a class of letters is found several times as fast as what ignores case from the beginning.
        return re.compile(
            rf"([{''.join(firsts.values())}](?<![a-zA-Z0-9].)(?i:{rests}))(.|$)",
            re.DOTALL,
        )

    def hit(self, match: re.Match[str], sibling: bool = False) -> RenameSite:
        """Return what a match of the pattern found."""
        shout = (
            self.cased == self.lower.upper()
            and match[1].isupper()
            and not match[2].isalpha()
        )
        return RenameSite(match.start(1), match.end(1), match[1], shout, sibling)

    @cached_property
    def is_in_kept_name(self) -> bool:
        """Whether a name to keep mentions this model at all."""
        return any(self.pattern.search(name) for name in self.keep)


def find_rename_sites(text: str, mask: str, old: ModelNameForms) -> list[RenameSite]:
    """Return, sorted, all places of a text that a renaming away from ``old`` changes."""
    imports = list(import_statements.find(mask))
    frozen = [
        (import_.start, import_.end)
        for import_ in imports
        if import_.level == 0 and import_.module is not None
    ]
    siblings = set(_siblings(imports, mask, old))
    hits = _copied_comments(text, mask)
    removed = [(hit.start, hit.end) for hit in hits]
    for match in old.pattern.finditer(text):
        start, end = match.span(1)
        if (
            mask[start] == scan.FSTRING
            or _inside(start, frozen)
            or _inside(start, removed)
        ):
            continue
        if old.is_in_kept_name and _is_kept(text, mask, start, end, old.keep):
            continue
        hits.append(old.hit(match, (start, end) in siblings))
    return sorted(hits, key=lambda hit: hit.start)


def _inside(position: int, spans: list[tuple[int, int]]) -> bool:
    index = bisect_left(spans, (position + 1,)) - 1
    return index >= 0 and spans[index][0] <= position < spans[index][1]


def _copied_comments(text: str, mask: str) -> list[RenameSite]:
    hits = []
    for copied in _COPIED_TO_END.finditer(text):
        if mask[copied.start()] == scan.COMMENT:
            line = text.rfind("\n", 0, copied.start()) + 1
            code_end = line + len(mask[line : copied.start()].rstrip(scan.COMMENT))
            hits.append(RenameSite(text.index("#", code_end), copied.end(), None))
    return hits


def _is_kept(text: str, mask: str, start: int, end: int, keep: frozenset[str]) -> bool:
    """Whether the identifier, or the string between double quotes, around a place is a name to keep."""
    if mask[start] == scan.COMMENT:
        return False
    if mask[start] == scan.STRING:
        opening = text.rfind('"', max(0, start - _LONGEST_WORD), start)
        return (
            opening >= 0
            and text[opening + 1 : text.find('"', end, end + _LONGEST_WORD)] in keep
        )
    before, after = (
        _WORD_BEFORE.search(text, max(0, start - _LONGEST_WORD), start),
        _WORD_BEHIND.match(text, end),
    )
    assert before is not None and after is not None
    return text[before.start() : after.end()] in keep


def _siblings(
    imports: Iterable[Found], mask: str, old: ModelNameForms
) -> Iterator[tuple[int, int]]:
    """Yield the spans in which imports such as `from .configuration_llama import LlamaConfig` name the model."""
    for import_ in imports:
        module = import_.module or ""
        for file_type in old.file_types if import_.level == 1 else ():
            if module.startswith(f"{file_type}_"):
                _, end = module_span(mask, import_.start)
                yield end - len(module) + len(file_type) + 1, end


class Renamer(NamedTuple):
    """Turns the names of one model into those of another.

    ``new`` and ``cased_new`` may be a prefix (`emu3_text`, `Emu3Text`); ``model`` is then still the model's own name.
    """

    old: ModelNameForms
    new: str
    cased_new: str
    model: str

    @property
    def renaming(self) -> Renaming:
        """What the renamed code remembers of this."""
        return Renaming(self.old.lower, self.new)

    def replacement(self, hit: RenameSite) -> str:
        """Return what is at a hit afterwards."""
        if hit.found is None:
            return ""
        if hit.sibling:
            return self.model
        if hit.shout:
            return self.new.upper()
        lower, cased = self.old.lower, self.old.cased
        return {
            lower.upper(): self.new.upper(),
            lower: self.new,
            cased: self.cased_new,
        }.get(hit.found, self.cased_new)

    def word(self, word: str) -> str:
        """Return one identifier renamed."""
        if word in self.old.keep:
            return word
        return self.old.pattern.sub(
            lambda match: self.replacement(self.old.hit(match)) + match[2], word
        )

    def code(
        self, code: SourceSlice, offset: int, hits: list[RenameSite]
    ) -> SourceSlice:
        """Return a statement renamed. ``hits`` are those of its whole file, in which it begins at ``offset``."""
        first, end = (
            bisect_left(hits, (offset,)),
            bisect_left(hits, (offset + len(code.text),)),
        )
        edits = (
            (hit.start - offset, hit.end - offset, self.replacement(hit))
            for hit in hits[first:end]
        )
        return code.replace(edits, within=True)._replace(renaming=self.renaming)


def rename_prose(code: SourceSlice, renamer: Renamer) -> SourceSlice:
    """Rename in strings and comments only, not in code."""
    hits = [
        hit
        for hit in find_rename_sites(code.text, code.mask, renamer.old)
        if hit.found is None or code.mask[hit.start] in (scan.STRING, scan.COMMENT)
    ]
    return renamer.code(code, 0, hits)._replace(renaming=code.renaming)
