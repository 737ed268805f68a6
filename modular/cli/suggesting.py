"""What the nearest is of what a user may have meant."""

from collections.abc import Iterable

import click


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return a sentence, with a blank before it, that names what is like a name; nothing if there is nothing like it."""
    from modular.source.diagnostics import did_you_mean

    near = did_you_mean(name, known)
    return f" {near[0].upper()}{near[1:]}" if near else ""


class NearChoice(click.Choice[str]):
    """One of several values; of another one the nearest is suggested."""

    def get_invalid_choice_message(self, value: str, ctx: click.Context | None) -> str:
        """Return the message for a value that is not one of them."""
        return f"{super().get_invalid_choice_message(value, ctx)}{suggestion(value, self.choices)}"
