"""What the nearest is of what a user may have meant."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click


if TYPE_CHECKING:
    _Choice = click.Choice[str]
else:
    # Releases of click before 8.2 have no generic `Choice`.
    _Choice = click.Choice


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return a sentence, with a blank before it, that names what is like a name; nothing if there is nothing like it."""
    from modular.source.diagnostics import did_you_mean

    near = did_you_mean(name, known)
    return f" {near[0].upper()}{near[1:]}" if near else ""


class NearChoice(_Choice):
    """A choice that suggests the closest value for one that is not allowed."""

    def convert(
        self, value: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        """Return an allowed value; raise click.BadParameter for any other one."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            message = error.message + suggestion(value, self.choices)
            raise click.BadParameter(message, ctx, param) from error
