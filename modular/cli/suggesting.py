"""Suggests the closest allowed name for a misspelt one."""

from collections.abc import Iterable


def suggestion(name: str, allowed_names: Iterable[str]) -> str:
    """Return " Did you mean ...?" for a misspelt name, or "" if no name is close."""
    from modular.source.diagnostics import did_you_mean

    hint = did_you_mean(name, allowed_names)
    return f" {hint[0].upper()}{hint[1:]}" if hint else ""
