"""A run of source text that remembers where it came from."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from modular.source import scan
from modular.source.scan import brackets_open


_BLANKS = re.compile(r"[ \t\n]+")
_DIGITS = b"0123456789"
_WORDS_ALONE = bytes(
    byte if chr(byte) == "_" or chr(byte).isalnum() or byte > 127 else ord(" ")
    for byte in range(256)
)
"""Turns all that is ASCII and no part of a word into blanks. In a mask, nothing else is outside words."""


class Renaming(NamedTuple):
    """A renaming that a text went through: the old model name and the new one, in lower case."""

    old: str
    new: str


class Origin(NamedTuple):
    """Where a run of lines came from: a file relative to the root, its first and last line (from 1), the renaming."""

    path: str
    first_line: int
    last_line: int
    renaming: Renaming | None


class SourceSlice(NamedTuple):
    """Text with its mask (see `modular.source.scan`) and its place: the line (from 1) on which it begins in ``path``.

    ``made`` says that no source holds it: the place is the one for which it was made.
    """

    text: str
    mask: str
    path: str
    line: int
    renaming: Renaming | None = None
    made: bool = False

    @property
    def origin(self) -> Origin:
        """The lines that this text covers in its file."""
        return Origin(
            self.path,
            self.line,
            self.line + self.text.rstrip("\n").count("\n"),
            self.renaming,
        )

    def cut(self, start: int, end: int | None = None) -> "SourceSlice":
        """Return the part between two offsets."""
        line = self.line + self.text.count("\n", 0, start)
        return SourceSlice(
            self.text[start:end],
            self.mask[start:end],
            self.path,
            line,
            self.renaming,
            self.made,
        )

    def line_at(self, index: int) -> "SourceSlice":
        """Return one line, counted from 0."""
        lines = self.text.split("\n")
        start = sum(len(line) + 1 for line in lines[:index])
        return self.cut(start, start + len(lines[index]) + 1)

    def cut_at(self, offsets: Sequence[int]) -> Iterator["SourceSlice"]:
        """Yield the parts that begin at sorted offsets and end with the next, or with the code."""
        line = self.line + self.text.count("\n", 0, offsets[0] if offsets else 0)
        for start, end in pairwise([*offsets, len(self.text)]):
            yield SourceSlice(
                self.text[start:end],
                self.mask[start:end],
                self.path,
                line,
                self.renaming,
                self.made,
            )
            line += self.text.count("\n", start, end)

    def words(self) -> set[str]:
        """Every identifier and keyword in the code, attribute and keyword-argument names included."""
        return words(self.mask)

    def replace(
        self, edits: Iterable[tuple[int, int, str]], *, within: bool = False
    ) -> "SourceSlice":
        """Return this code with the spans of ``edits`` (start, end, new code) replaced; spans are sorted and apart.

        Where they are ``within`` names, strings or comments, what is new is a part of those.
        """
        text, mask, done = [], [], 0
        for start, end, new in edits:
            is_filled = within and self.mask[start] in (scan.STRING, scan.COMMENT)
            text += [self.text[done:start], new]
            mask += [
                self.mask[done:start],
                self.mask[start] * len(new) if is_filled else scan.mask(new),
            ]
            done = end
        text.append(self.text[done:])
        mask.append(self.mask[done:])
        return SourceSlice(
            "".join(text), "".join(mask), self.path, self.line, self.renaming, self.made
        )

    def normal(self) -> str:
        """The text without comments, without the blanks that say nothing and without line ends inside brackets.

        What is the same to Python, and has the same brackets, is the same text then. Code with an f-string only loses its
        comments, its blank lines and the blanks at line ends: blanks are text in some of its fields.
        """
        text, mask = self.text, self.mask
        if scan.FSTRING in mask:
            kept = (
                " " if there == scan.COMMENT and letter != "\n" else letter
                for letter, there in zip(text, mask, strict=True)
            )
            return "\n".join(
                line.rstrip() for line in "".join(kept).split("\n") if line.strip()
            ).strip()
        pieces, done, depth = [], 0, 0
        for blank in _BLANKS.finditer(mask):
            start, end = blank.span()
            pieces.append(text[done:start])
            depth += brackets_open(mask, done, start)
            if depth <= 0 and "\n" in blank[0]:
                pieces.append(f"\n{blank[0].rpartition(chr(10))[2]}")
            elif _parts_words(mask, start, end):
                pieces.append(" ")
            done = end
        return "".join([*pieces, text[done:]]).strip()


def find_word(
    text: str, word: str, start: int = 0, end: int | None = None
) -> Iterator[int]:
    """Yield where a word, or a dotted name, begins in a part of a text, and is no part of a longer word."""
    stop = len(text) if end is None else end
    position = text.find(word, start, stop)
    while position >= 0:
        end_of_word = position + len(word)
        before, after = (
            text[position - 1 : position],
            text[end_of_word : end_of_word + 1],
        )
        if not (before.isalnum() or after.isalnum() or before == "_" or after == "_"):
            yield position
        position = text.find(word, position + 1, stop)


def has_word(text: str, word: str) -> bool:
    """Whether a word, or a dotted name, is anywhere in a text, and no part of a longer word."""
    return next(find_word(text, word), None) is not None


def _parts_words(mask: str, start: int, end: int) -> bool:
    """Whether words would be one without what is between them."""
    before, after = mask[start - 1 : start], mask[end : end + 1]
    return (before.isalnum() or before == "_") and (after.isalnum() or after == "_")


def spaced(name: str) -> str:
    """Return a pattern for a dotted name, which may be written with blanks around its dots."""
    return r"\s*\.\s*".join(map(re.escape, name.split(".")))


def words(mask: str) -> set[str]:
    """Every identifier and keyword in a mask."""
    runs = set(mask.encode().translate(_WORDS_ALONE).split())
    return {run.decode() for run in runs if run[0] not in _DIGITS}


def joined(codes: Sequence[SourceSlice], path: str) -> SourceSlice:
    """Return runs of code as one text of a file; its lines are counted from 1."""
    return SourceSlice(
        "".join(code.text for code in codes),
        "".join(code.mask for code in codes),
        path,
        1,
    )


def generated(text: str, path: str, line: int) -> SourceSlice:
    """Return code that no source holds as it stands, made for the place given."""
    return SourceSlice(text, scan.mask(text), path, line, made=True)
