"""Suggests the closest allowed name for a misspelt one."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click


if TYPE_CHECKING:
    _Choice = click.Choice[str]
else:
    # Releases of click before 8.2 have no generic `Choice`.
    _Choice = click.Choice


def suggestion(name: str, allowed_names: Iterable[str]) -> str:
    """Return " Did you mean ...?" for a misspelt name, or "" if no name is close."""
    from modular.source.diagnostics import did_you_mean

    hint = did_you_mean(name, allowed_names)
    return f" {hint[0].upper()}{hint[1:]}" if hint else ""


class NearChoice(_Choice):
    """A choice that suggests the closest value for one that is not allowed."""

    def convert(
        self, value: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        """Return the value that the user has chosen, if it is one of the choices.

        Raises:
            click.BadParameter: The value is not allowed; the closest is suggested.
        """
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            message = error.message + suggestion(value, self.choices)
            raise click.BadParameter(message, ctx, param) from error
