"""Recognizes names that are misspellings of others by one letter."""

from collections.abc import Iterable
from os.path import commonprefix


_MIN_MISSPELLED_CHARS = 5
"""Shorter names are too often one letter apart on purpose."""


def find_meant_name(name: str, known_names: Iterable[str]) -> str:
    """Return the known name that a name is a misspelling of.

    Args:
        name: A name that is not one of the known names.
        known_names: The known names.

    Returns:
        The first of the known names, in their order, that differs by one letter; empty
        if there is none.
    """
    for known in known_names:
        # One of both ends has no misspelt letter. That is quick to see.
        if known[:2] == name[:2] or known[-2:] == name[-2:]:
            if is_misspelling(name, known):
                return known
    return ""


def is_misspelling(first: str, second: str) -> bool:
    """Whether names differ by one missing or wrong letter, or two swapped ones."""
    shortest, longest = sorted((len(first), len(second)))
    if shortest < _MIN_MISSPELLED_CHARS or longest - shortest > 1:
        return False
    start = len(commonprefix([first, second]))
    end = len(commonprefix([first[start:][::-1], second[start:][::-1]]))
    first_letters = first[start : len(first) - end]
    second_letters = second[start : len(second) - end]
    if max(len(first_letters), len(second_letters)) == 1:
        return (first_letters + second_letters).isalpha()
    return len(first_letters) == 2 and first_letters == second_letters[::-1]
