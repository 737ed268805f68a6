"""Recognizes names that are misspellings of others by one letter."""

from collections.abc import Iterable
from os.path import commonprefix


_MIN_MISSPELLED_CHARS = 5
"""Shorter names are too often one letter apart on purpose."""


def find_meant_name(name: str, known_names: Iterable[str]) -> str:
    """Return the first known name that `name` probably misspells.

    The known name `hidden_size` is returned for `hiden_size`, `hidden_sise` and
    `hiddne_size`: a letter is missing or wrong, or two letters are swapped.

    Args:
        name: A name that is not one of the known names.
        known_names: The known names.

    Returns:
        The known name; empty if no known name is that similar, or if the similar names
        are too short to tell.
    """
    for known_name in known_names:
        # A misspelling cannot change both the first two and the last two letters.
        # Comparing these first is quick.
        has_same_start = known_name[:2] == name[:2]
        has_same_end = known_name[-2:] == name[-2:]
        if not (has_same_start or has_same_end):
            continue
        is_long_enough = min(len(name), len(known_name)) >= _MIN_MISSPELLED_CHARS
        if is_long_enough and _differ_by_one_letter(name, known_name):
            return known_name
    return ""


def _differ_by_one_letter(first: str, second: str) -> bool:
    """Whether two names differ by a missing or wrong letter, or by two swapped ones."""
    if abs(len(first) - len(second)) > 1:
        return False

    # Cut off what the names have in common at their starts, and then at their ends. Of
    # `hiden_size` and `hidden_size`, an empty text and `d` are left.
    start_length = len(commonprefix([first, second]))
    first_rest = first[start_length:]
    second_rest = second[start_length:]
    end_length = len(commonprefix([first_rest[::-1], second_rest[::-1]]))
    first_letters = first_rest[: len(first_rest) - end_length]
    second_letters = second_rest[: len(second_rest) - end_length]

    if max(len(first_letters), len(second_letters)) == 1:
        # One letter is missing or wrong. Names such as `conv_1` and `conv_2` differ on
        # purpose.
        return (first_letters + second_letters).isalpha()
    # Two letters may be swapped.
    return len(first_letters) == 2 and first_letters == second_letters[::-1]
