"""Class names: the modular's name stands; what differs from the parent's is renamed in strings and comments too."""

from modular.rules.cased_names import CasedNames
from modular.rules.prefixes import common_ending
from modular.rules.renaming import Renamer, Spelling, rename_prose
from modular.source.code import Code


def rename_in_prose(code: Code, parent: str, own: str, names: CasedNames, keep: frozenset[str]) -> Code:
    """Rename the beginning in which two class names differ, in a class's strings and comments but not in its code."""
    if parent == own:
        return code
    ending = common_ending(parent, own)
    old, new = parent.removesuffix(ending), own.removesuffix(ending)
    old_lower = names.lower(old)
    if not _is_mentioned(code.text.lower(), old_lower, names.cased(old_lower)):
        return code
    spelling = Spelling(old_lower, names.cased(old_lower), keep, ())
    lower = names.lower(new)
    return rename_prose(code, Renamer(spelling, lower, names.cased(lower), lower))


def _is_mentioned(lowered: str, *spellings: str) -> bool:
    return any(each.lower() in lowered for each in spellings)
