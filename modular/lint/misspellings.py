"""Recognizes names that are misspellings of others by one letter."""

from collections.abc import Iterable
from os.path import commonprefix


_MIN_MISSPELLED_CHARS = 5
"""Shorter names are too often one letter apart on purpose."""


def find_meant_name(name: str, known_names: Iterable[str]) -> str:
    """Return the first known name of which a name is probably a misspelling.

    The misspelling lacks a letter, or has a wrong letter or two swapped ones, such as
    `hiden_size`, `hidden_sise` and `hiddne_size` for `hidden_size`.

    Args:
        name: A name that is not one of the known names.
        known_names: The known names.

    Returns:
        Empty if there is none, or if the name is too short to tell.
    """
    for known_name in known_names:
        # A misspelling cannot change both the first two and the last two letters.
        # Comparing these first is quick.
        has_same_start = known_name[:2] == name[:2]
        has_same_end = known_name[-2:] == name[-2:]
        if has_same_start or has_same_end:
            if _differ_by_one_letter(name, known_name):
                return known_name
    return ""


def _differ_by_one_letter(first: str, second: str) -> bool:
    """Whether two names differ by a missing or wrong letter, or by two swapped ones."""
    shorter_length, longer_length = sorted((len(first), len(second)))
    if shorter_length < _MIN_MISSPELLED_CHARS or longer_length - shorter_length > 1:
        return False

    # Cut off what the names have in common at their starts, and then at their ends.
    start_length = len(commonprefix([first, second]))
    first_rest = first[start_length:]
    second_rest = second[start_length:]
    end_length = len(commonprefix([first_rest[::-1], second_rest[::-1]]))
    first_letters = first_rest[: len(first_rest) - end_length]
    second_letters = second_rest[: len(second_rest) - end_length]

    if max(len(first_letters), len(second_letters)) == 1:
        return (first_letters + second_letters).isalpha()
    return len(first_letters) == 2 and first_letters == second_letters[::-1]
