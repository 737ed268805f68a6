"""Bases: the parent's, with further bases of the modular class taking the place of what they replace."""

from modular.rules.prefixes import shared_ending

CHECKPOINTING_LAYER = "GradientCheckpointingLayer"
PLAIN_MODULE = "nn.Module"


def merge_bases(parent: tuple[str, ...], further: tuple[str, ...]) -> tuple[str, ...]:
    """Return the bases (and keywords) of the flattened class.

    ``parent`` is what stands in the parent's parentheses, ``further`` the modular's bases other than the parent class.
    """
    bases = list(parent)
    for base in further:
        for index, old in enumerate(parent):
            if _replaces(base, old):
                bases[index] = base
                break
        else:
            if base not in bases:
                bases.append(base)
    if CHECKPOINTING_LAYER in bases:
        bases = [base for base in bases if base != PLAIN_MODULE]
    return tuple(sorted(bases, key=lambda base: "=" in base))


def _replaces(base: str, old: str) -> bool:
    """Whether a new base shares an ending with an old one that starts with a capital."""
    if not (base.isidentifier() and old.isidentifier()) or base == old:
        return False
    return bool(shared_ending(base, old)) or (base.endswith(old) and old[0].isupper())
