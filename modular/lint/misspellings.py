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
    for known_name in known_names:
        # A wrong letter is near one end at most, so the other end is the same. Comparing
        # the ends first is quick.
        has_same_start = known_name[:2] == name[:2]
        has_same_end = known_name[-2:] == name[-2:]
        if has_same_start or has_same_end:
            if is_misspelling(name, known_name):
                return known_name
    return ""


def is_misspelling(first: str, second: str) -> bool:
    """Whether names differ by one missing or wrong letter, or two swapped ones.

    `hidden_sise` and `hidden_size` do, as `hiden_size` and `hidden_size`.
    """
    shorter_length, longer_length = sorted((len(first), len(second)))
    if shorter_length < _MIN_MISSPELLED_CHARS or longer_length - shorter_length > 1:
        return False

    start_length = len(commonprefix([first, second]))
    first_end = first[start_length:]
    second_end = second[start_length:]
    end_length = len(commonprefix([first_end[::-1], second_end[::-1]]))
    first_letters = first_end[: len(first_end) - end_length]
    second_letters = second_end[: len(second_end) - end_length]

    if max(len(first_letters), len(second_letters)) == 1:
        return (first_letters + second_letters).isalpha()
    return len(first_letters) == 2 and first_letters == second_letters[::-1]
