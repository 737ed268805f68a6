"""Prefixes: a parent file is renamed to the prefix that the modular's classes use for it.

`class Emu3TextMLP(LlamaMLP)` turns `Llama` into `Emu3Text`, and so everything else that comes from that file.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


def common_ending(one: str, other: str) -> str:
    """Return the longest common ending of two names; an ending that is one of the names as a whole counts as none."""
    length = 0
    for left, right in zip(reversed(one), reversed(other), strict=False):
        if left != right:
            break
        length += 1
    if length in (0, len(one), len(other)):
        return ""
    return one[-length:]


def shared_ending(one: str, other: str) -> str:
    """Return the common ending of two names if it starts with a capital, else nothing."""
    ending = common_ending(one, other)
    return ending if ending[:1].isupper() else ""


@dataclass(frozen=True, slots=True)
class Prefix:
    """The prefix chosen for a parent file, all that were met, and whether the choice fell back to the cased name."""

    chosen: str
    met: tuple[str, ...]
    fell_back: str | None = None


def of_class(name: str, parent: str, cased: str, parent_cased: str) -> str:
    """Return the prefix that one class uses for its parent's file."""
    ending = shared_ending(name, parent)
    if ending:
        prefix = name.removesuffix(ending)
        return cased if len(prefix) < len(cased) and cased in name else prefix
    if name == cased + parent:
        return cased + parent_cased
    return cased


def choose(
    pairs: Iterable[tuple[str, str]], cased: str, parent_cased: str, parent_classes: Sequence[str]
) -> Prefix:
    """Choose the prefix of a parent file from the (class, parent class) pairs that use it.

    A class that keeps its parent's name says nothing of the prefix.
    """
    met = [of_class(name, parent, cased, parent_cased) for name, parent in pairs if name != parent]
    if not met:
        return Prefix(cased, ())
    counts = Counter(met)
    most = max(counts.values())
    best = [prefix for prefix in counts if counts[prefix] == most]
    chosen = cased if cased in best else best[-1]
    distinct = tuple(dict.fromkeys(met))
    spelled_there = chosen.replace(cased, parent_cased)
    if chosen != cased and any(name.startswith(spelled_there) for name in parent_classes):
        return Prefix(cased, distinct, fell_back=chosen)
    return Prefix(chosen, distinct)
