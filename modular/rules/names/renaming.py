'''The parent's name is replaced by the new model's name everywhere in a parent file.

This happens before all other rules. Each form of the parent's name becomes the same
form of the new name:

- **`llama` becomes `my_model`**, `LLAMA` becomes `MY_MODEL`, and `Llama` becomes
  `MyModel`.
- **Any other mix of case**, such as `LLaMA`, becomes the cased name `MyModel`.
- **If the parent's cased name is all capitals** (`CLIP`), a letter after it decides:
  `CLIP_SIZE` becomes `MY_MODEL_SIZE`, and `CLIPModel` becomes `MyModelModel`. This
  applies only if the cased name is the model's name in capitals. `M2M100` differs from
  `M2M_100`, so it always becomes `MyModel`.
- **After a letter or a digit** the name is not renamed: `xllama`.

Identifiers, attributes, keyword arguments, plain strings and comments are renamed.
These are not:

- **The literal parts of f-strings.**
- **Absolute imports,** because they name other packages: `from llama_kernels import x`.
  With the setting `absolute-imports`, those from the model's own files are renamed.
- **The names of the setting `keep-names`,** as a whole identifier or a whole string in
  double quotes.
- **Web addresses, names of checkpoints,** such as `meta-llama/Llama-2-7b-hf`, **and
  packages,** as in `pip install mamba-ssm`, if the setting `rename-checkpoints` is
  false.

A comment that contains `# Copied from` is removed.

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
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from modular.settings.file_names import FileNames
from modular.source import import_statements, scan
from modular.source.addresses import find_address
from modular.source.import_statements import LocatedImport, module_span
from modular.source.source_slice import Renaming, SourceSlice


COPIED = "# Copied from"
_COPIED_COMMENT = re.compile(rf"{COPIED}[^\n]*")
_WORD_END = re.compile(r"\w*\Z")
_WORD_START = re.compile(r"\w*")
_MAX_KEPT_NAME_CHARS = 80


class RenameSite(NamedTuple):
    """A place in a text that a renaming changes.

    Attributes:
        start: The offset at which the place begins.
        end: The offset after it.
        form: The model's name as written there, or None for a comment to remove.
        is_constant: Whether it is in capitals, as in `LLAMA_SIZE`, and not a class whose
            name is in capitals itself, as in `CLIPModel`.
        is_sibling_import: Whether it names a file of the same model in an import.
    """

    start: int
    end: int
    form: str | None
    is_constant: bool = False
    is_sibling_import: bool = False


class _Span(NamedTuple):
    """A part of a text: the offset at which it begins, and the offset after it."""

    start: int
    end: int


@dataclass
class ModelNameForms:
    """The forms in which a parent file names its model.

    Attributes:
        lower: The model's name, such as `llama`.
        cased: Its form in class names, such as `Llama`.
        keep: The names that are not renamed.
        file_names: The names that files of the model may have.
        keeps_addresses: Whether web addresses and names of checkpoints are not renamed.
        package: The package in front of the model's own files in absolute imports, such
            as `my_library.models.llama`; empty if these imports are relative.
    """

    lower: Final[str]
    cased: Final[str]
    keep: Final[frozenset[str]]
    file_names: Final[FileNames]
    keeps_addresses: Final[bool] = False
    package: Final[str] = ""

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """A pattern that finds the model's name in any mix of upper and lower case.

        It also matches the next character: in `LLaMAConfig`, the groups are `LLaMA` and
        `C`. The name may not follow a letter or digit, so nothing matches in `xllama`.
        The pattern for `llama` is `([lL](?<![a-zA-Z0-9].)(?i:lama))(.|$)`.
        """
        # Each spelling has three parts: the first letter, the condition that no letter or
        # digit is before the first letter (the dot), and the other letters. Python finds a
        # pattern that begins with `[lL]` two to four times as fast as one that begins with
        # the condition or ignores the case of all letters.
        spellings = []
        # Few models, such as `m2m_100` with its cased name `M2M100`, have two spellings.
        for name in dict.fromkeys((self.lower.lower(), self.cased.lower())):
            first_letter = f"[{re.escape(name[0] + name[0].upper())}]"
            begins_word = "(?<![a-zA-Z0-9].)"
            rest = f"(?i:{re.escape(name[1:])})"
            spellings.append(f"{first_letter}{begins_word}{rest}")
        return re.compile(f"({'|'.join(spellings)})(.|$)", re.DOTALL)

    def rename_site(
        self, match: re.Match[str], *, is_sibling_import: bool = False
    ) -> RenameSite:
        """Return the place to rename for a match of `pattern`.

        `LLAMA_SIZE` is a constant and `LlamaModel` a class, as the capitals show. If a
        model's name is in capitals in classes, too, the next character decides:
        `CLIP_SIZE` is a constant, and `CLIPModel` is a class.

        Args:
            match: The model's name as written there, and the character after it.
            is_sibling_import: Whether the name is in an import from a file of the same
                model, such as `from .configuration_llama import LlamaConfig`.
        """
        form = match[1]
        next_character = match[2]
        is_in_capitals = form.isupper() and form == self.lower.upper()
        is_class_name = form == self.cased and next_character.isalpha()
        return RenameSite(
            start=match.start(1),
            end=match.end(1),
            form=form,
            is_constant=is_in_capitals and not is_class_name,
            is_sibling_import=is_sibling_import,
        )

    @cached_property
    def occurs_in_kept_names(self) -> bool:
        """Whether a name that is not renamed contains the model's name."""
        return any(self.pattern.search(name) for name in self.keep)


def next_site(sites: Sequence[RenameSite], offset: int) -> int:
    """Return the index of the first of some sorted sites that is not before an offset.

    It is the number of sites if all of them are before the offset.
    """
    # Sites are tuples that begin with their offset. In the order of tuples, `(5,)` comes
    # before each site at offset 5.
    return bisect_left(sites, (offset,))


def find_rename_sites(text: str, mask: str, old: ModelNameForms) -> list[RenameSite]:
    """Find the places of a text that change when its model is renamed, in order.

    These are the model's name in any form, and comments with `# Copied from`, which are
    removed. Names in absolute imports and in the text of f-strings do not change, and
    neither do names and web addresses that `old` protects.

    Args:
        text: The text of a file or statement.
        mask: The same text, with filler for strings and comments (see
            `modular.source.scan`).
        old: The forms of the name that is replaced, such as `llama` and `Llama`.
    """
    imports = list(import_statements.find_imports(mask))
    absolute_imports = _find_absolute_imports(imports, old)
    names_in_sibling_imports = set(_names_in_sibling_imports(imports, mask, old))
    sites = _find_copied_comments(text, mask)
    removed_comments = [_Span(site.start, site.end) for site in sites]

    for match in old.pattern.finditer(text):
        name = _Span(*match.span(1))
        is_unchanged = (
            mask[name.start] == scan.FSTRING
            or _is_inside(name.start, absolute_imports)
            or _is_inside(name.start, removed_comments)
            or (old.occurs_in_kept_names and _is_kept(text, mask, name, old.keep))
            or (old.keeps_addresses and find_address(text, mask, name.start, name.end))
        )
        if not is_unchanged:
            is_sibling_import = name in names_in_sibling_imports
            sites.append(old.rename_site(match, is_sibling_import=is_sibling_import))
    return sorted(sites)


def _find_absolute_imports(
    imports: Iterable[LocatedImport], old: ModelNameForms
) -> list[_Span]:
    """Return the absolute imports that are not from the model's own files."""
    spans = []
    for import_ in imports:
        if import_.level == 0 and import_.module:
            package = import_.module.rpartition(".")[0]
            if not _is_own_package(package, old):
                spans.append(_Span(import_.start, import_.end))
    return spans


def _is_inside(offset: int, spans: Sequence[_Span]) -> bool:
    """Whether an offset is in one of some sorted spans."""
    last_started = bisect_left(spans, (offset + 1,)) - 1
    return last_started >= 0 and offset < spans[last_started].end


def _find_copied_comments(text: str, mask: str) -> list[RenameSite]:
    """Return the sites of comments that contain `# Copied from`, to remove them.

    They are no longer true once the model is renamed. Each site begins at the first `#`
    of the comment.
    """
    sites = []
    for copied in _COPIED_COMMENT.finditer(text):
        start, end = copied.span()
        if mask[start] != scan.COMMENT:
            continue
        # In `x = 1  # ab # Copied from`, the comment begins behind the code.
        line_start = text.rfind("\n", 0, start) + 1
        code = mask[line_start:start].rstrip(scan.COMMENT)
        comment_start = text.index("#", line_start + len(code))
        sites.append(RenameSite(comment_start, end, None))
    return sites


def _is_kept(text: str, mask: str, found: _Span, keep: frozenset[str]) -> bool:
    """Whether a model's name is in a word that is protected from renaming.

    For the model `clip`, this word can be `ClipboardItem`, as an identifier in code or
    as the string `"ClipboardItem"`. Words in comments are not protected.

    Args:
        text: The text.
        mask: The same text, with filler for strings and comments.
        found: The span of the model's name, such as `Clip` in `ClipboardItem`.
        keep: The protected words.
    """
    start, end = found
    if mask[start] == scan.COMMENT:
        return False
    search_start = max(0, start - _MAX_KEPT_NAME_CHARS)
    # In a string, all that is between the double quotes is the word.
    if mask[start] == scan.STRING:
        opening = text.rfind('"', search_start, start)
        closing = text.find('"', end, end + _MAX_KEPT_NAME_CHARS)
        is_in_quotes = opening >= 0 and closing >= 0
        return is_in_quotes and text[opening + 1 : closing] in keep

    # In code, the word goes on to both sides of the model's name. Both patterns always
    # match, because they also match an empty text.
    before = _WORD_END.search(text, search_start, start)
    after = _WORD_START.match(text, end)
    assert before is not None and after is not None
    return text[before.start() : after.end()] in keep


def _names_in_sibling_imports(
    imports: Iterable[LocatedImport], mask: str, old: ModelNameForms
) -> Iterator[_Span]:
    """Yield the span of `llama` in each `from .configuration_llama import ...`.

    In an absolute import from `my_library.models.llama.configuration_llama`, the name
    of the folder is yielded, too.
    """
    for import_ in imports:
        if import_.module is None:
            continue
        package, _, stem = import_.module.rpartition(".")
        # The import `from .configuration_llama` has one dot, and no package.
        is_relative = import_.level == 1 and not package
        is_absolute = import_.level == 0 and _is_own_package(package, old)
        file_name = old.file_names.parse(stem)
        if file_name is None or not (is_relative or is_absolute):
            continue

        # The stem `configuration_llama` is the end of the module. In this stem, the
        # offset of the model's name is the length of `configuration_`.
        _, stem_end = module_span(mask, import_.start)
        stem_start = stem_end - len(stem)
        model_start = stem_start + file_name.model_offset
        yield _Span(model_start, model_start + len(file_name.model))
        # In `my_library.models.llama.configuration_llama`, the folder `llama` ends one
        # character before the stem, at the dot.
        folder = package.rpartition(".")[2]
        if is_absolute and folder == old.lower:
            folder_end = stem_start - 1
            yield _Span(folder_end - len(folder), folder_end)


def _is_own_package(package: str, old: ModelNameForms) -> bool:
    """Whether an absolute import from a package is from the model's own files."""
    return package != "" and package == old.package


class Renamer(NamedTuple):
    """Replaces the names of one model by those of another.

    Attributes:
        old: The forms of the old name.
        new: The new name, or a prefix such as `emu3_text`.
        cased_new: Its cased form, such as `Emu3Text`.
        model: The name of the new model, which a prefix does not change.
    """

    old: ModelNameForms
    new: str
    cased_new: str
    model: str

    @property
    def renaming(self) -> Renaming:
        """The renaming that is recorded in renamed code."""
        return Renaming(self.old.lower, self.new)

    def replacement(self, site: RenameSite) -> str:
        """Return the new text for a place to rename.

        `LLAMA` becomes `MY_MODEL`, and `llama` becomes `my_model`. `Llama` and any other
        form, such as `LLaMA`, become `MyModel`.
        """
        # The site of a comment such as `# Copied from ...`, which is removed, has no form.
        if site.form is None:
            return ""
        # The file `configuration_llama` becomes `configuration_my_model`: files have the
        # model's name, even if classes have a longer prefix, such as `MyModelText`.
        if site.is_sibling_import:
            return self.model
        if site.is_constant:
            return self.new.upper()
        # For a model `foo` with classes such as `fooConfig`, both forms are `foo`, which
        # counts as the form in class names.
        is_class_name = site.form == self.old.cased
        if site.form == self.old.lower and not is_class_name:
            return self.new
        return self.cased_new

    def word(self, word: str) -> str:
        """Return a renamed identifier: `MyModelMLP` for `LlamaMLP`."""
        if word in self.old.keep:
            return word
        return self.part_of_text(word)

    def part_of_text(self, part: str) -> str:
        """Return a renamed part of a longer string or comment, where no name is kept."""
        return self.old.pattern.sub(self._replace_match, part)

    def _replace_match(self, match: re.Match[str]) -> str:
        return self.replacement(self.old.rename_site(match)) + match[2]

    def rename_slice(
        self, code: SourceSlice, offset: int, sites: Sequence[RenameSite]
    ) -> SourceSlice:
        """Return a part of a file with the names of the old model replaced.

        Args:
            code: The part of the file.
            offset: The offset at which it begins in the file.
            sites: The places to rename in the whole file, sorted by their offsets.
        """
        first = next_site(sites, offset)
        end = next_site(sites, offset + len(code.text))
        edits = []
        for site in sites[first:end]:
            replacement = self.replacement(site)
            edits.append((site.start - offset, site.end - offset, replacement))
        return code.replace(edits, inside_tokens=True)._replace(renaming=self.renaming)


def rename_prose(code: SourceSlice, renamer: Renamer) -> SourceSlice:
    """Return code in which only strings and comments are renamed."""
    sites = []
    for site in find_rename_sites(code.text, code.mask, renamer.old):
        if site.form is None or code.mask[site.start] in (scan.STRING, scan.COMMENT):
            sites.append(site)
    return renamer.rename_slice(code, 0, sites)._replace(renaming=code.renaming)
