"""The error of `modular.refactor`."""

from modular.system.errors import ModularError


class RenameError(ModularError):
    """A rename is refused. The message says why, and what to do instead."""
