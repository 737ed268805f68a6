"""Short cuts around LibCST's parser, which takes a hundred times as long for the usual targets and bases as a pattern each.

What they tell is what LibCST tells, as `tests/properties` shows; all that is written otherwise is left to it. No pattern tries
a blank or a name twice, so that hostile code takes time in proportion.
"""

import re


_NAME = r"[^\W\d]\w*+(?>(?:\s*+\.\s*+\w++)*)"
_TARGET = re.compile(r"\s*+((?>\w++(?:\.\w++)*))[ \t]*+=(?!=)")
_BASES = re.compile(
    rf"(?:\(\s*+((?>(?:{_NAME}\s*+,\s*+)*(?:{_NAME})?))\s*+\))?\s*+:\s*+"
)


def plain_target(mask: str, start: int) -> str | None:
    """Return the first target of an assignment where it is names with dots between them."""
    plain = _TARGET.match(mask, start)
    return None if plain is None else plain[1]


def plain_bases(mask: str, start: int, end: int) -> list[str] | None:
    """Return the bases of a class from what is after its name where they all are names with dots between them."""
    plain = _BASES.fullmatch(mask, start, end)
    return (
        None
        if plain is None
        else ["".join(name.split()) for name in (plain[1] or "").split(",")]
    )
