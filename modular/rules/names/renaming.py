'''In inherited code, your model's name replaces the name of the parent's model.

For example, if `my_model` inherits from `llama`, `LlamaMLP` becomes `MyModelMLP` in all
inherited code. Each form of the name becomes the same form of the new name:

- **`llama` becomes `my_model`**, `LLAMA` becomes `MY_MODEL`, and `Llama` becomes
  `MyModel`.
- **Any other mix of capitals and small letters**, such as `LLaMA`, becomes `MyModel`,
  which is called the cased name (see `cased-names`).
- **If the cased name is the model's name in capitals** (`CLIP`), the next letter
  decides: `CLIP_SIZE` becomes `MY_MODEL_SIZE`, and `CLIPModel` becomes `MyModelModel`.
  `M2M100`, the cased name of `m2m_100`, always becomes `MyModel`, because the model's
  name in capitals is `M2M_100`.
- **After a letter or a digit,** as in `xllama`, the name does not change.

modular renames identifiers, attributes, keyword arguments, plain strings and comments.
These do not change:

- **The literal parts of f-strings.**
- **Absolute imports,** because they name other packages: `from llama_kernels import x`.
  With the setting `absolute-imports`, absolute imports from the parent model's own
  files do change.
- **The names in the setting `keep-names`,** if a whole identifier, or a whole string in
  double quotes, consists of such a name.
- **If the setting `rename-checkpoints` is false:** web addresses, names of checkpoints
  such as `meta-llama/Llama-2-7b-hf`, and packages, as in `pip install mamba-ssm`.

modular removes each comment that contains `# Copied from`.

With `inheritance = "python"`, modular renames only whole words, in strings, in comments
and in names that the parent model defines. For the model `sam`, it renames `sam_mask`
and `SamMask`, but none of these:

- **Parts of words,** such as `sample`.
- **Names from elsewhere:** imported names, members of imported modules (`ops.clip`),
  and methods of objects other than `self` (`x.clip()`).
- **Names that the modular file uses in their old form,** such as `self.sam_size`,
  `sam_x=1` or `"sam"`.
- **Names whose new form already means something else.**
- **Members whose names code may compute,** as in `setattr(self, f"sam_{i}", x)`.

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
from modular.source.source_slice import SourceSlice


COPIED = "# Copied from"
_COPIED_COMMENT = re.compile(rf"{COPIED}[^\n]*")
_WORD_CHARS_BEFORE = re.compile(r"\w*\Z")
_WORD_CHARS_AFTER = re.compile(r"\w*")
_DOTTED_BEFORE = re.compile(r"(?:\w+\s*|[)\]])?(?:\.\s*\w+\s*)*\.\s*\Z")
"""The names and dots before an attribute, such as `self.config.`."""

_QUOTES = ('"', "'")
_MAX_KEPT_NAME_CHARS = 80


class RenameSite(NamedTuple):
    """A place in a text that a renaming changes.

    Attributes:
        start: The offset at which the place begins.
        end: The offset after it.
        form: The model's name as it is written, or None for a comment to remove.
        is_constant: Whether it is in capitals, as in `LLAMA_SIZE`, and not a class whose
            name is in capitals itself, as in `CLIPModel`.
        is_sibling_import: Whether it names a file of the same model in an import.
        word: The identifier around it, if only whole words are renamed. For a string
            that is only the model's name, this is the string with double quotes.
    """

    start: int
    end: int
    form: str | None
    is_constant: bool = False
    is_sibling_import: bool = False
    word: str = ""


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
        own_names: The names that the model's files define. If they are given, only whole
            words in these names are renamed: `sam_mask`, but not `random.sample`. None
            if every mention of the model's name is renamed.
    """

    lower: Final[str]
    cased: Final[str]
    keep: Final[frozenset[str]]
    file_names: Final[FileNames]
    keeps_addresses: Final[bool] = False
    package: Final[str] = ""
    own_names: Final[frozenset[str] | None] = None

    @property
    def renames_whole_words(self) -> bool:
        """Whether only whole words in the names of the model's files are renamed."""
        return self.own_names is not None

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """A pattern that finds the model's name in any mix of upper and lower case.

        After a letter or digit, no name is found, as in `xllama`.

        In `LLaMAConfig`, the group `name` is `LLaMA`, and the group `next` is the character
        after it, `C`, which shows what kind of name it is.

        For `llama`, the pattern has the meaning of `((?<![a-zA-Z0-9])(?i:llama))(.|$)`. It is
        written as `([lL](?<![a-zA-Z0-9].)(?i:lama))(.|$)`, which is found twice as fast.
        """
        # If only whole words are renamed, the `sam` in `sample` is not found.
        ends_word = "(?![a-z])" if self.renames_whole_words else ""
        spellings = []
        # The name `m2m_100` and the cased name `M2M100` also differ in an underscore.
        for name in dict.fromkeys((self.lower.lower(), self.cased.lower())):
            first_letter = f"[{re.escape(name[0] + name[0].upper())}]"
            # The dot in this lookbehind is the first letter.
            begins_word = "(?<![a-zA-Z0-9].)"
            other_letters = f"(?i:{re.escape(name[1:])})"
            spellings.append(f"{first_letter}{begins_word}{other_letters}{ends_word}")
        return re.compile(f"(?P<name>{'|'.join(spellings)})(?P<next>.|$)", re.DOTALL)

    def rename_site(
        self, match: re.Match[str], *, is_sibling_import: bool = False
    ) -> RenameSite:
        """Return the place to rename for a match of `pattern`.

        Args:
            match: A match of `pattern`: the model's name, and the next character.
            is_sibling_import: Whether the name is in an import from a file of the same
                model, such as `from .configuration_llama import LlamaConfig`.
        """
        return RenameSite(
            start=match.start("name"),
            end=match.end("name"),
            form=match["name"],
            is_constant=self._is_constant(match["name"], match["next"]),
            is_sibling_import=is_sibling_import,
        )

    def _is_constant(self, form: str, next_character: str) -> bool:
        """Whether the model's name is the beginning of a constant, as in `LLAMA_SIZE`.

        If class names have the model's name in capitals, too, the next character decides:
        `CLIP_SIZE` is a constant, and `CLIPModel` is a class.

        Args:
            form: The model's name as it is written.
            next_character: The character after it; empty at the end of the text.
        """
        is_in_capitals = form == self.lower.upper()
        if not is_in_capitals:
            return False
        if self.renames_whole_words:
            may_begin_class_name = self.has_classes_in_capitals
        else:
            may_begin_class_name = form == self.cased
        is_class_name = may_begin_class_name and next_character.isalpha()
        return not is_class_name

    def is_inside_word(self, match: re.Match[str]) -> bool:
        """Whether a match is only a part of another word in capitals, and must stay.

        For the model `sam`, the answer is yes for `SAMPLE`. For the model `ddpm`, it is
        no for `DDPMOutput`, if the model has such classes. If every mention of the model's
        name is renamed, it is always no.

        Args:
            match: A match of `pattern`: the model's name, and the next character.
        """
        if not self.renames_whole_words or not match["name"].isupper():
            return False
        is_followed_by_capital = match["next"].isalpha() and match["next"].isupper()
        return is_followed_by_capital and not self.has_classes_in_capitals

    def is_from_own_file(self, level: int, module: str | None) -> bool:
        """Whether an import is from another file of the model.

        In a folder that all models share, the name of the file must contain that of the
        model.

        Args:
            level: The number of leading dots of the import.
            module: The module after the dots; None for a plain `import`.
        """
        package, _, stem = (module or "").rpartition(".")
        is_in_folder = level == 1 or (level == 0 and _is_own_package(package, self))
        if not is_in_folder:
            return False
        if self.file_names.has_model_folders:
            return True
        file_name = self.file_names.parse(stem)
        return file_name is not None and file_name.model == self.lower

    @cached_property
    def has_classes_in_capitals(self) -> bool:
        """Whether classes are named like `DDPMOutput` or `CLIPMLP`."""
        capitals = self.lower.upper()
        if self.cased == capitals:
            return True
        # In `DDPMOutput`, a word with a small second letter follows the name.
        pattern = re.compile(rf"{re.escape(capitals)}[A-Z][a-z]")
        return any(pattern.match(name) for name in self.own_names or ())

    @cached_property
    def occurs_in_kept_names(self) -> bool:
        """Whether a name that is not renamed contains the model's name."""
        return any(self.pattern.search(name) for name in self.keep)


def next_site(sites: Sequence[RenameSite], offset: int) -> int:
    """Return the index of the first place to rename at or after an offset.

    Args:
        sites: The places to rename, sorted by their offsets.
        offset: The offset. If all places are before it, their number is returned.
    """
    # Sites are tuples that begin with their offset. In the order of tuples, `(5,)` comes
    # before each site at offset 5.
    return bisect_left(sites, (offset,))


def find_rename_sites(code: SourceSlice, old: ModelNameForms) -> list[RenameSite]:
    """Return the places of a text that change when its model is renamed, in order.

    These are the model's name in any form, and comments with `# Copied from`, which are
    removed. Names in absolute imports and in the text of f-strings do not change, and
    neither do names and web addresses that `old` protects. If only whole words are renamed,
    the word must be a name of the model's own files, or in prose.

    Args:
        code: A file or statement.
        old: The forms of the name that is replaced, such as `llama` and `Llama`.
    """
    imports = list(import_statements.find_imports(code.masked_text))
    foreign_imports = [import_ for import_ in imports if _is_foreign(import_, old)]
    skipped_imports = [_Span(import_.start, import_.end) for import_ in foreign_imports]
    foreign_names = _names_bound_by(foreign_imports)
    names_in_sibling_imports = set(
        _names_in_sibling_imports(imports, code.masked_text, old)
    )
    sites = _find_comments_to_remove(code)
    removed_comments = [_Span(site.start, site.end) for site in sites]

    for match in old.pattern.finditer(code.text):
        name = _Span(*match.span("name"))
        is_unchanged = (
            code.masked_text[name.start] == scan.FSTRING
            or old.is_inside_word(match)
            or _is_inside(name.start, skipped_imports)
            or _is_inside(name.start, removed_comments)
            or _is_protected(code, name, old)
        )
        if is_unchanged:
            continue
        # Such as `llama` in `from .configuration_llama import LlamaConfig`.
        is_sibling_import = name in names_in_sibling_imports
        site = old.rename_site(match, is_sibling_import=is_sibling_import)
        if is_sibling_import or not old.renames_whole_words:
            sites.append(site)
        elif _is_own(code, name, old, foreign_names):
            sites.append(site._replace(word=_find_word(code, name)))
    return sorted(sites)


def _is_foreign(import_: LocatedImport, old: ModelNameForms) -> bool:
    """Whether an import is from files that are not the model's own, and does not change.

    If every mention of the model's name is renamed, this holds only for imports such as
    `from torch.nn import Module`, which are absolute and name a module after `from`.
    """
    if old.renames_whole_words:
        return not old.is_from_own_file(import_.level, import_.module)
    if import_.level > 0 or not import_.module:
        return False
    package = import_.module.rpartition(".")[0]
    return not _is_own_package(package, old)


def _names_bound_by(imports: Iterable[LocatedImport]) -> set[str]:
    """Return the variables that imports bind: `a` for `import a.b`."""
    names: set[str] = set()
    for import_ in imports:
        names.update(alias.bound.partition(".")[0] for alias in import_.names)
    return names


def _is_own(
    code: SourceSlice, name: _Span, old: ModelNameForms, foreign_names: set[str]
) -> bool:
    """Whether a model's name is in a name that the model's files define, or in prose.

    For the model `llama`, the answer is yes for `self.llama_mlp` if the files define
    `llama_mlp`, no for `other.llama_mlp` if the file imports `other` from elsewhere,
    and always yes in prose such as `# the llama model`.

    Args:
        code: The code.
        name: The span of the model's name in the code.
        old: The forms of the name, and the names that the model's files define.
        foreign_names: The names that the file imports from elsewhere.
    """
    word = _identifier_around(code.text, name)
    search_start = max(0, word.start - _MAX_KEPT_NAME_CHARS)
    owner_before = _DOTTED_BEFORE.search(code.text, search_start, word.start)
    # For `self.config.llama_mlp`, this is `self.config.`.
    owner = re.sub(r"\s", "", owner_before[0]) if owner_before is not None else ""
    is_name_alone = word == name and not owner
    if is_name_alone and _is_prose(code, name.start):
        return True
    identifier = code.text[word.start : word.end]
    first_name = (owner or identifier).partition(".")[0]
    is_foreign = first_name in foreign_names
    return not is_foreign and identifier in (old.own_names or ())


def _is_prose(code: SourceSlice, offset: int) -> bool:
    """Whether the character at an offset is in a string or comment."""
    return code.masked_text[offset] in (scan.STRING, scan.COMMENT)


def _identifier_around(text: str, name: _Span) -> _Span:
    """Return the span of the identifier that contains a model's name."""
    # Only a part of a very long identifier is searched.
    search_start = max(0, name.start - _MAX_KEPT_NAME_CHARS)
    characters_before = _WORD_CHARS_BEFORE.search(text, search_start, name.start)
    characters_after = _WORD_CHARS_AFTER.match(text, name.end)
    assert characters_before is not None, "it matches an empty text"
    assert characters_after is not None, "it matches an empty text"
    return _Span(characters_before.start(), characters_after.end())


def _find_word(code: SourceSlice, name: _Span) -> str:
    """Return the identifier that contains a model's name: `llama_mlp` in `x.llama_mlp`.

    For a string that is only the model's name, this is the string with double quotes. For
    the name alone in other prose, such as `# the llama model`, it is empty.
    """
    text = code.text
    word = _identifier_around(text, name)
    identifier = text[word.start : word.end]
    is_name_alone_in_prose = word == name and _is_prose(code, name.start)
    if not is_name_alone_in_prose:
        return identifier
    quote = text[word.start - 1 : word.start]
    is_whole_string = quote in _QUOTES and text[word.end : word.end + 1] == quote
    return f'"{identifier}"' if is_whole_string else ""


def _is_inside(offset: int, spans: Sequence[_Span]) -> bool:
    """Whether an offset is in one of some sorted spans."""
    # All spans that start at or before the offset come before `(offset + 1,)`.
    last_started = bisect_left(spans, (offset + 1,)) - 1
    return last_started >= 0 and offset < spans[last_started].end


def _find_comments_to_remove(code: SourceSlice) -> list[RenameSite]:
    """Return the sites of comments that contain `# Copied from`.

    They are no longer true once the model is renamed. A site has no form, which means
    that the whole comment is removed.
    """
    sites = []
    for copied in _COPIED_COMMENT.finditer(code.text):
        start, end = copied.span()
        # The text can also be in a string.
        if code.masked_text[start] == scan.COMMENT:
            comment_start = _find_comment_start(code, start)
            sites.append(RenameSite(comment_start, end, form=None))
    return sites


def _find_comment_start(code: SourceSlice, offset: int) -> int:
    """Return the offset at which the comment around an offset begins.

    For the offset of `# Copied` in `x = 1  # ab # Copied`, the offset of `# ab` is
    returned.
    """
    line_start = code.text.rfind("\n", 0, offset) + 1
    # In the masked text, a comment is blank, so only the code of the line is left.
    code_before = code.masked_text[line_start:offset].rstrip()
    return code.text.index("#", line_start + len(code_before))


def _is_protected(code: SourceSlice, name: _Span, old: ModelNameForms) -> bool:
    """Whether a model's name is in a word or address that is not renamed.

    Args:
        code: The code.
        name: The span of the model's name in the code.
        old: The forms of the name, and the words and addresses that are not renamed.
    """
    # Few models have such words, and finding the word around each name is slow.
    if old.occurs_in_kept_names and _find_word_around(code, name) in old.keep:
        return True
    if not old.keeps_addresses:
        return False
    return find_address(code.text, code.masked_text, name.start, name.end) is not None


def _find_word_around(code: SourceSlice, name: _Span) -> str | None:
    """Return the identifier or whole string that contains a model's name.

    The result depends on where the name is:

    - In a comment, the result is None.
    - In a string, the result is the text between the double quotes: `mamba-ssm` for the
      `mamba` in `"mamba-ssm"`. It is None if the string is too long.
    - In code, the result is the identifier: `mamba_ssm` for the `mamba` in `mamba_ssm()`.

    Args:
        code: The code.
        name: The span of the model's name in the code.
    """
    text = code.text
    start, end = name
    if code.masked_text[start] == scan.COMMENT:
        return None
    if code.masked_text[start] == scan.STRING:
        opening = text.rfind('"', max(0, start - _MAX_KEPT_NAME_CHARS), start)
        closing = text.find('"', end, end + _MAX_KEPT_NAME_CHARS)
        is_in_quotes = opening >= 0 and closing >= 0
        return text[opening + 1 : closing] if is_in_quotes else None
    word = _identifier_around(text, name)
    return text[word.start : word.end]


def _names_in_sibling_imports(
    imports: Iterable[LocatedImport], masked_text: str, old: ModelNameForms
) -> Iterator[_Span]:
    """Yield the spans of model names in imports from the folder of the parent's model.

    For example:

    - In `from .configuration_llama import ...`, this is the span of `llama`.
    - In an import from `my_library.models.llama.configuration_llama`, these are the spans
      of the folder `llama` and of the `llama` in the file's name.
    - In `from .configuration_gpt import ...`, this is the span of `gpt`. The caller does
      not use this span, because it looks for spans of `llama`.
    """
    for import_ in imports:
        if import_.module is None:
            continue
        package, _, file_stem = import_.module.rpartition(".")
        file_name = old.file_names.parse(file_stem)
        # The import `from .configuration_llama` has one dot, and no package.
        is_relative = import_.level == 1 and not package
        is_absolute = import_.level == 0 and _is_own_package(package, old)
        is_from_folder = is_relative or is_absolute
        if file_name is None or not is_from_folder:
            continue

        # The module ends with the file's stem, such as `configuration_llama`.
        _, module_end = module_span(masked_text, import_.start)
        stem_start = module_end - len(file_stem)
        # In the stem, the model's name begins after `configuration_`.
        model_start = stem_start + file_name.model_offset
        yield _Span(model_start, model_start + len(file_name.model))
        folder = package.rpartition(".")[2]
        if is_absolute and folder == old.lower:
            # Between the folder and the stem is a dot.
            folder_end = stem_start - len(".")
            yield _Span(folder_end - len(folder), folder_end)


def _is_own_package(package: str, old: ModelNameForms) -> bool:
    """Whether an absolute import from a package is from the model's own files."""
    return package != "" and package == old.package


class Renamer(NamedTuple):
    """Replaces the names of one model with those of another.

    Attributes:
        old: The forms of the old name.
        new: The new name, or a prefix such as `emu3_text`.
        cased_new: Its cased form, such as `Emu3Text`.
        model: The name of the new model, which a prefix does not change.
        kept: Words of rename sites that keep their spelling in this renaming.
    """

    old: ModelNameForms
    new: str
    cased_new: str
    model: str
    kept: frozenset[str] = frozenset()

    def replacement(self, site: RenameSite) -> str:
        """Return the new text for a place to rename.

        `LLAMA` becomes `MY_MODEL`, `Llama` becomes `MyModel`, and `llama` becomes
        `my_model`. Any other form, such as `LLaMA`, becomes `MyModel`.
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
        # In a model with classes such as `llamaConfig`, `llama` counts as the cased name.
        if site.form == self.old.lower and site.form != self.old.cased:
            return self.new
        # `Llama`, or any other form, such as `LLaMA`.
        return self.cased_new

    def word(self, word: str) -> str:
        """Return a renamed identifier: `MyModelMLP` for `LlamaMLP`."""
        if self.old.own_names is not None and word not in self.old.own_names:
            return word
        return self.own_word(word)

    def own_word(self, word: str) -> str:
        """Return a renamed identifier of a definition in the model's files."""
        if word in self.old.keep or word in self.kept:
            return word
        return self.part_of_text(word)

    def part_of_text(self, part: str) -> str:
        """Return a renamed part of a longer string or comment, where no name is kept."""
        return self.old.pattern.sub(self._replace_match, part)

    def _replace_match(self, match: re.Match[str]) -> str:
        """Return the new text for a match of the old name and the next character."""
        if self.old.is_inside_word(match):
            return match[0]
        return self.replacement(self.old.rename_site(match)) + match["next"]

    def rename_slice(
        self, code: SourceSlice, offset: int, sites: Sequence[RenameSite]
    ) -> SourceSlice:
        """Return a part of a file with the names of the old model replaced.

        Args:
            code: The part of the file.
            offset: The offset at which it begins in the file.
            sites: The places to rename in the whole file, sorted by their offsets.
        """
        first_index = next_site(sites, offset)
        end_index = next_site(sites, offset + len(code.text))
        edits = []
        for site in sites[first_index:end_index]:
            if site.word in self.kept:
                continue
            replacement = self.replacement(site)
            edits.append((site.start - offset, site.end - offset, replacement))
        # Most parts of a file do not mention its model.
        return code.replace(edits, inside_tokens=True) if edits else code


def rename_prose(code: SourceSlice, renamer: Renamer) -> SourceSlice:
    """Return code in which only strings and comments are renamed."""
    sites = []
    for site in find_rename_sites(code, renamer.old):
        if site.form is None or _is_prose(code, site.start):
            sites.append(site)
    return renamer.rename_slice(code, 0, sites)
