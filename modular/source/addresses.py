"""Finds web addresses and names of checkpoints in strings and comments."""

from typing import NamedTuple

from modular.source import scan


_WORD_ENDS = frozenset(" \t\n\"'`<>()[]{}|,;*#")
_MAX_ADDRESS_CHARS = 300
_PYTHON_SUFFIX = ".py"


class Address(NamedTuple):
    """An address in a text, with the offsets at which it begins and after it."""

    text: str
    start: int
    end: int


def find_address(text: str, mask: str, start: int, end: int) -> Address | None:
    """Return the web address or Hub id that contains a part of a source text.

    For the `gemma` in `# see google/gemma-7b.` this is `google/gemma-7b`.

    Args:
        text: The source text.
        mask: The same text with strings and comments overwritten (`scan.mask`).
        start: The offset at which the part begins.
        end: The offset after it.

    Returns:
        The address; None if the part is in none, or not in a string or comment.
    """
    if mask[start] not in (scan.STRING, scan.COMMENT):
        return None
    word_start = _find_start(text, start)
    word = text[word_start : _find_end(text, end)].rstrip(".:")
    if not _is_address(word):
        return None
    return Address(word, word_start, word_start + len(word))


def _find_start(text: str, position: int) -> int:
    """Return the offset at which the word around a position begins."""
    limit = max(0, position - _MAX_ADDRESS_CHARS)
    while position > limit and text[position - 1] not in _WORD_ENDS:
        position -= 1
    return position


def _find_end(text: str, position: int) -> int:
    """Return the offset after the word around a position."""
    limit = min(len(text), position + _MAX_ADDRESS_CHARS)
    while position < limit and text[position] not in _WORD_ENDS:
        position += 1
    return position


def _is_address(word: str) -> bool:
    """Return whether a word is a web address or a Hub id such as `google/gemma-7b`."""
    if "://" in word:
        return True
    owner, _, name = word.partition("/")
    characters = (owner + name).replace("-", "").replace(".", "").replace("_", "")
    if not owner or not name or "/" in name or not characters.isalnum():
        return False
    # Without a digit or hyphen, as in `Llama/Mistral`, the slash may mean "or".
    looks_like_id = "-" in name or any(character.isdigit() for character in name)
    return looks_like_id and not name.endswith(_PYTHON_SUFFIX)
