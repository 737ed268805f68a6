"""Recognizes names that are misspellings of others by one letter."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from os.path import commonprefix


_MIN_MISSPELLED_CHARS = 5
"""Shorter names are too often one letter apart on purpose."""

_MAX_MISSPELLED_CHARS = 100
"""Names that are longer than any real name are not compared."""


def find_meant_names(
    names: Collection[str], known_names: Iterable[str]
) -> dict[str, str]:
    """Return the known names that some names probably misspell.

    The known name `hidden_size` is returned for `hiden_size`, `hidden_sise` and
    `hiddne_size`: a letter is missing or wrong, or two letters are swapped.

    Args:
        names: Names that may be misspelt.
        known_names: The known names.

    Returns:
        The first known name that each misspelt name is similar to. Other names are left
        out, and so are names that are too short to tell.
    """
    if not names:
        return {}
    # Two similar names are the same after one letter is left out of each, or of one of
    # them. So only names that share such a form are compared.
    names_by_form = defaultdict(list)
    for name in names:
        for form in _forms(name):
            names_by_form[form].append(name)
    # A misspelling cannot change both the first two and the last two letters. Most known
    # names end here, as comparing these is quick.
    starts = {name[:2] for name in names}
    ends = {name[-2:] for name in names}

    meant_names: dict[str, str] = {}
    for known_name in known_names:
        if known_name[:2] not in starts and known_name[-2:] not in ends:
            continue
        for form in _forms(known_name):
            for name in names_by_form.get(form, ()):
                if name not in meant_names and _are_similar(name, known_name):
                    meant_names[name] = known_name
    return meant_names


def _forms(name: str) -> Iterator[str]:
    """Yield a name, and the same name without each of its letters; digits stay.

    Nothing is yielded for names that are too short or too long to be compared.
    """
    if _MIN_MISSPELLED_CHARS <= len(name) <= _MAX_MISSPELLED_CHARS:
        yield name
        for index, character in enumerate(name):
            if character.isalpha():
                yield name[:index] + name[index + 1 :]


def _are_similar(name: str, known_name: str) -> bool:
    """Whether two names have the same start or end, and differ by one letter."""
    has_same_start = known_name[:2] == name[:2]
    has_same_end = known_name[-2:] == name[-2:]
    if not (has_same_start or has_same_end):
        return False
    return _differ_by_one_letter(name, known_name)


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
    # Two letters may be swapped, but `layer_12` and `layer_21` differ on purpose, too.
    is_swapped = len(first_letters) == 2 and first_letters == second_letters[::-1]
    return is_swapped and first_letters.isalpha()
