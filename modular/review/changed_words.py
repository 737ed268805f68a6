"""Finds the words that differ between the removed and the added lines of a change."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from modular.source.diffs import matching_blocks


_MIN_SIMILARITY = 0.5
"""The share of equal words from which a line counts as changed, not as new."""

_PUNCTUATION_WEIGHT = 0.25
"""How much a character such as `(` or `=`, which most lines have, counts as a word."""

_MAX_LINES = 60
"""The most lines of a change whose words are compared, which takes quadratic time."""

_WORD = re.compile(r"\w+|\s+|[^\w\s]")


class Span(NamedTuple):
    """A range of characters of a line.

    Attributes:
        start: Index of the first character, from 0.
        end: Index after the last character.
    """

    start: int
    end: int


class ChangedWords(NamedTuple):
    """The changed words of a change.

    Attributes:
        removed: The spans of changed words in each removed line.
        added: The spans of changed words in each added line.
    """

    removed: list[list[Span]]
    added: list[list[Span]]


def find_changed_words(removed: Sequence[str], added: Sequence[str]) -> ChangedWords:
    """Return the words that differ between similar lines of a change.

    Each removed line is paired with the most similar added line, and the pairs have the
    same order in both lists. A line without a pair has no changed words: it is new, or
    removed, as a whole.

    Args:
        removed: The removed lines.
        added: The added lines.
    """
    changed_words = ChangedWords([[] for _ in removed], [[] for _ in added])
    if len(removed) + len(added) > _MAX_LINES:
        return changed_words

    removed_words = [_WORD.findall(line) for line in removed]
    added_words = [_WORD.findall(line) for line in added]
    first_unpaired_index = 0
    for removed_index, words in enumerate(removed_words):
        added_index = _find_most_similar(words, added_words, first_unpaired_index)
        if added_index is not None:
            removed_spans, added_spans = _compare_words(words, added_words[added_index])
            changed_words.removed[removed_index].extend(removed_spans)
            changed_words.added[added_index].extend(added_spans)
            first_unpaired_index = added_index + 1
    return changed_words


def _find_most_similar(
    words: Sequence[str], lines: Sequence[Sequence[str]], start: int
) -> int | None:
    """Return the index of the line whose words are most similar to some words.

    Args:
        words: The words to compare each line with.
        lines: The words of each line.
        start: The index of the first line to compare.

    Returns:
        The index; None if no line is similar enough.
    """
    best_index = None
    best_similarity = 0.0
    for index in range(start, len(lines)):
        similarity = _similarity(words, lines[index])
        if similarity >= _MIN_SIMILARITY and similarity > best_similarity:
            best_similarity = similarity
            best_index = index
    return best_index


def _similarity(old: Sequence[str], new: Sequence[str]) -> float:
    """Return the share of words that two lines have in common, from 0 to 1."""
    total_weight = _weight(old) + _weight(new)
    if not total_weight:
        return 0.0
    common_weight = 0.0
    for block in matching_blocks(old, new, autojunk=False):
        common_weight += _weight(old[block.old : block.old + block.size])
    # Both lines have the common words.
    return 2 * common_weight / total_weight


def _weight(words: Sequence[str]) -> float:
    """Return the number of words. Punctuation counts less, spaces do not count."""
    weight = 0.0
    for word in words:
        if word.isidentifier() or word.isalnum():
            weight += 1
        elif not word.isspace():
            weight += _PUNCTUATION_WEIGHT
    return weight


def _compare_words(
    old: Sequence[str], new: Sequence[str]
) -> tuple[list[Span], list[Span]]:
    """Return the spans of the words that only the old line, or only the new line, has.

    Args:
        old: The words of the old line, spaces and punctuation included.
        new: The words of the new line.

    Returns:
        The spans in the old line, and those in the new line.
    """
    old_spans = []
    new_spans = []
    old_end = new_end = 0
    # The last block is empty, at the end of both lines.
    for block in matching_blocks(old, new, autojunk=False):
        # The words between two blocks differ.
        if block.old > old_end:
            old_spans.append(_span(old, old_end, block.old))
        if block.new > new_end:
            new_spans.append(_span(new, new_end, block.new))
        old_end = block.old + block.size
        new_end = block.new + block.size
    return old_spans, new_spans


def _span(words: Sequence[str], start: int, end: int) -> Span:
    """Return the span of characters that a range of a line's words takes."""
    start_character = len("".join(words[:start]))
    return Span(start_character, start_character + len("".join(words[start:end])))
