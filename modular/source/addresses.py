"""Finds web addresses and names of checkpoints and packages in strings and comments."""

import re
from typing import NamedTuple

from modular.source import scan


_WORD_ENDS = frozenset(" \t\n\"'`<>()[]{}|,;*#")
_MAX_ADDRESS_CHARS = 300
_INSTALL = re.compile(r"\b(?:pip3?|conda) install(?: -\S+)* $")
"""The text before a package in `pip install -U mamba-ssm`."""
_IMPORT = re.compile(r"(?:^|[\"'`>#;:]) *(?P<keyword>from|import) $")
"""The text of a line before a module in `>>> import mamba_ssm`."""
_IMPORT_ENDS = ("\n", '"', "'", "`", " as ")


class Address(NamedTuple):
    """An address in a text, with the offsets at which it begins and after it."""

    text: str
    start: int
    end: int


def find_address(text: str, masked_text: str, start: int, end: int) -> Address | None:
    """Return the web address, Hub id or package that contains a part of a source text.

    For the `gemma` in `# see google/gemma-7b.` this is `google/gemma-7b`. For the `mamba`
    in `# pip install mamba-ssm` it is `mamba-ssm`.

    Args:
        text: The source text.
        masked_text: The same text with strings and comments overwritten (`scan.mask_text`).
        start: The offset at which the part begins.
        end: The offset after it.

    Returns:
        The address; None if no address has the part, or it is not in a string or comment.
    """
    if masked_text[start] not in (scan.STRING, scan.COMMENT):
        return None
    # Only a part of a very long word is read.
    earliest_start = max(0, start - _MAX_ADDRESS_CHARS)
    word_start = start
    while word_start > earliest_start and text[word_start - 1] not in _WORD_ENDS:
        word_start -= 1
    latest_end = min(len(text), end + _MAX_ADDRESS_CHARS)
    word_end = end
    while word_end < latest_end and text[word_end] not in _WORD_ENDS:
        word_end += 1
    word = text[word_start:word_end].rstrip(".:")
    address = Address(word, word_start, word_start + len(word))
    if _is_address(word) or _is_package(text, address, start):
        return address
    return None


def _is_address(word: str) -> bool:
    """Whether a word is a web address or a Hub id such as `google/gemma-7b`."""
    if "://" in word:
        return True
    owner, _, name = word.partition("/")
    if not owner or not name or "/" in name:
        return False
    letters_and_digits = re.sub(r"[-._]", "", owner + name)
    if not letters_and_digits.isalnum():
        return False
    # Without a digit or hyphen, as in `Llama/Mistral`, the slash may mean "or".
    looks_like_id = "-" in name or any(character.isdigit() for character in name)
    return looks_like_id and not name.endswith(".py")


def _is_package(text: str, word: Address, name_start: int) -> bool:
    """Whether a model's name is in the name of a package.

    In `pip install mamba-ssm` and in `from mamba_ssm.ops import scan`, the name `mamba`
    is in the name of a package. In `from library.mamba import scan`, the package is
    `library`.

    Args:
        text: The source text.
        word: The whole word that contains the model's name, such as `mamba_ssm.ops`.
        name_start: The offset in the text at which the model's name begins.
    """
    is_in_submodule = "." in text[word.start : name_start]
    if is_in_submodule:
        return False
    line_start = text.rfind("\n", 0, word.start) + 1
    # Only the end of a very long line is searched.
    search_start = max(line_start, word.start - _MAX_ADDRESS_CHARS)
    text_before = text[search_start : word.start]
    if _INSTALL.search(text_before) is not None:
        return True
    keyword = _IMPORT.search(text_before)
    if keyword is None:
        return False
    # Prose can have the same keyword: `import mamba if you can`. So the text after the
    # package must be that of a statement: ` import ` after `from mamba`, or a line end
    # after `import mamba`.
    if keyword["keyword"] == "from":
        return text.startswith(" import ", word.end)
    return text.startswith(_IMPORT_ENDS, word.end)
