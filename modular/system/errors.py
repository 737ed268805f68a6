"""The base class of all errors of this project."""


class ModularError(Exception):
    """A request cannot be fulfilled. The message tells the user why."""
