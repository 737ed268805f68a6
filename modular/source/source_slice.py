"""Slices of source text that remember the file and line that they come from."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from modular.source import scan
from modular.source.scan import count_open_brackets


_MAX_CACHED_LINE_STARTS = 32
"""A rule reports places in one text after another, many in each."""

_BLANKS = re.compile(r"[ \t\n]+")
_DIGITS = "0123456789"
_NON_WORD_BYTES = bytes(
    byte for byte in range(128) if not chr(byte).isalnum() and byte != ord("_")
)
_NON_WORDS_TO_BLANKS = bytes.maketrans(_NON_WORD_BYTES, b" " * len(_NON_WORD_BYTES))
_QUOTES = b"\"'"
_QUOTES_TO_WORDS = bytes.maketrans(_QUOTES, b"_" * len(_QUOTES))


class Origin(NamedTuple):
    """The lines of a file that a text comes from.

    Attributes:
        path: The file, relative to the root.
        first_line: The first line, from 1.
        last_line: The last line.
    """

    path: str
    first_line: int
    last_line: int


class SourceSlice(NamedTuple):
    """A part of a source file.

    Attributes:
        text: The text.
        masked_text: The text with its strings and comments overwritten, which has the
            same length (see `modular.source.scan`).
        path: The file, relative to the root.
        line: The line on which the text begins, from 1.
        is_synthetic: Whether the converter wrote this text, which no source holds.
    """

    text: str
    masked_text: str
    path: str
    line: int
    is_synthetic: bool = False

    @property
    def origin(self) -> Origin:
        """The lines of the file that this text covers."""
        last_line = self.line + self.text.rstrip("\n").count("\n")
        return Origin(self.path, self.line, last_line)

    def cut(self, start: int, end: int | None = None) -> "SourceSlice":
        """Return the part of the source between two offsets, with its line number."""
        return SourceSlice(
            self.text[start:end],
            self.masked_text[start:end],
            self.path,
            self.line + self.text.count("\n", 0, start),
            self.is_synthetic,
        )

    def line_at(self, index: int) -> "SourceSlice":
        """Return the line with an index (from 0), with its line end."""
        starts = _line_starts(self.text)
        start, end = starts[index], starts[index + 1]
        return SourceSlice(
            self.text[start:end],
            self.masked_text[start:end],
            self.path,
            self.line + index,
            self.is_synthetic,
        )

    def cut_at(self, offsets: Sequence[int]) -> Iterator["SourceSlice"]:
        """Cut the source at some sorted offsets, and yield the part after each of them.

        Text before the first offset is left out.
        """
        # Calling `cut` for each part would count all lines above it each time.
        line = self.line
        if offsets:
            line += self.text.count("\n", 0, offsets[0])
        for start, end in pairwise([*offsets, len(self.text)]):
            text = self.text[start:end]
            masked_text = self.masked_text[start:end]
            yield SourceSlice(text, masked_text, self.path, line, self.is_synthetic)
            line += text.count("\n")

    def words(self) -> set[str]:
        """Return all identifiers and keywords, attributes and arguments included."""
        return words(self.masked_text)

    def replace(
        self, edits: Iterable[tuple[int, int, str]], *, inside_tokens: bool = False
    ) -> "SourceSlice":
        """Return this code with other text in some spans.

        Args:
            edits: The start, the end and the new text of each span. Spans are sorted
                and do not overlap.
            inside_tokens: Whether new text inside a string or comment is a part of it, as
                `b` in the place of `a` in `"a"`. Otherwise all new text is code.
        """
        texts = []
        masked_texts = []
        copied_end = 0
        for start, end, new_text in edits:
            # In the masked text, each character of a string is `scan.STRING`, and each
            # character of a comment is `scan.COMMENT`.
            filler = self.masked_text[start : start + 1]
            if inside_tokens and filler in (scan.STRING, scan.COMMENT):
                new_masked_text = filler * len(new_text)
            else:
                new_masked_text = scan.mask_text(new_text)
            texts += [self.text[copied_end:start], new_text]
            masked_texts += [self.masked_text[copied_end:start], new_masked_text]
            copied_end = end
        texts.append(self.text[copied_end:])
        masked_texts.append(self.masked_text[copied_end:])
        return self._replace(text="".join(texts), masked_text="".join(masked_texts))

    def has_same_code(self, other: "SourceSlice") -> bool:
        """Whether two pieces of code differ only in comments, blanks and line breaks."""
        # Comparing their shapes is quick, and most code differs there already.
        if self.shape() != other.shape():
            return False
        return self.normalized() == other.normalized()

    def shape(self) -> str:
        """Return the masked text without blanks, which is equal if normal forms are."""
        return "".join(self.masked_text.split())

    def normalized(self) -> str:
        """Return the code in a normal form, so that code can be compared.

        It has no comments, no needless blanks, and no line ends inside brackets:
        `f( a,  # first` and `   b)` become `f(a,b)`. Code with an f-string loses only its
        comments and blank lines, because blanks in the f-string can be text.
        """
        if scan.FSTRING in self.masked_text:
            return self._without_comments()
        pieces = []
        copied_end = 0
        bracket_depth = 0
        # In the masked text, comments are blanks, and strings have no blanks. So each
        # gap has all blanks and comments between two tokens.
        for gap in _BLANKS.finditer(self.masked_text):
            start, end = gap.span()
            pieces.append(self.text[copied_end:start])
            bracket_depth += count_open_brackets(self.masked_text, copied_end, start)
            _, line_end, indent = gap[0].rpartition("\n")
            if line_end and bracket_depth <= 0:
                # A statement ends. The next statement keeps its indent.
                pieces.append(f"\n{indent}")
            elif _separates_words(self.masked_text, start, end):
                pieces.append(" ")
            copied_end = end
        pieces.append(self.text[copied_end:])
        return "".join(pieces).strip()

    def _without_comments(self) -> str:
        """Return the code without comments, blank lines and blanks at line ends."""
        characters = []
        for character, masked in zip(self.text, self.masked_text, strict=True):
            # In the masked text, comments are blanks, and so is a line end after a
            # backslash, which stays.
            is_blank = masked == scan.COMMENT and character != "\n"
            characters.append(" " if is_blank else character)
        lines = [line.rstrip() for line in "".join(characters).split("\n")]
        return "\n".join(filter(None, lines)).strip()


@lru_cache(maxsize=_MAX_CACHED_LINE_STARTS)
def _line_starts(text: str) -> list[int]:
    """Return the offset at which each line of a text starts, and that of its end."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    return starts


def find_word(
    text: str, word: str, start: int = 0, end: int | None = None
) -> Iterator[int]:
    """Yield the offsets at which a text has a word that is not part of a longer word.

    Args:
        text: The text to search.
        word: A name or a dotted name.
        start: The offset at which the search begins.
        end: The offset before which it ends; None: the end of the text.
    """
    search_end = len(text) if end is None else end
    position = text.find(word, start, search_end)
    while position >= 0:
        word_end = position + len(word)
        # At the ends of the text, one of these is empty.
        before = text[position - 1 : position]
        after = text[word_end : word_end + 1]
        if not _is_word_character(before) and not _is_word_character(after):
            yield position
        position = text.find(word, position + 1, search_end)


def has_word(text: str, word: str) -> bool:
    """Whether a text has a word: `a.b` has `b`, but `ab` does not."""
    return next(find_word(text, word), None) is not None


def _separates_words(masked_text: str, start: int, end: int) -> bool:
    """Whether the blanks between two offsets keep two words apart."""
    has_word_before = _is_word_character(masked_text[start - 1 : start])
    has_word_after = _is_word_character(masked_text[end : end + 1])
    return has_word_before and has_word_after


def _is_word_character(character: str) -> bool:
    """Whether a character can be in an identifier; false for an empty string."""
    return character.isalnum() or character == "_"


def dotted_name_pattern(name: str) -> str:
    """Return a pattern for a dotted name, which may have blanks around its dots."""
    return r"\s*\.\s*".join(re.escape(part) for part in name.split("."))


def words(masked_text: str) -> set[str]:
    """Return all identifiers and keywords in a masked text."""
    tokens = set(masked_text.encode().translate(_NON_WORDS_TO_BLANKS).decode().split())
    numbers = [token for token in tokens if token[0] in _DIGITS]
    tokens.difference_update(numbers)
    return tokens


def count_words(masked_text: str) -> int:
    """Return the number of names, keywords, numbers and strings in a masked text.

    In `f(x, "a b")`, these are three.
    """
    # Each character of a string is a quote in a masked text. So that a string is one
    # word, quotes are replaced by a character of words, and then all signs by blanks.
    strings_as_words = masked_text.encode().translate(_QUOTES_TO_WORDS)
    return len(strings_as_words.translate(_NON_WORDS_TO_BLANKS).split())


def join_slices(slices: Sequence[SourceSlice], path: str) -> SourceSlice:
    """Return slices as one text of a file, whose lines count from 1."""
    text = "".join(part.text for part in slices)
    masked_text = "".join(part.masked_text for part in slices)
    return SourceSlice(text, masked_text, path, 1)


def synthetic(text: str, path: str, line: int) -> SourceSlice:
    """Return code that the converter writes, for a line of a file.

    Args:
        text: The code.
        path: The file whose line the code stands for, relative to the root.
        line: The line, from 1.
    """
    return SourceSlice(text, scan.mask_text(text), path, line, is_synthetic=True)
