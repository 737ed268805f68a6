"""The base of all errors that the functions of this package raise."""


class ModularError(Exception):
    """What a caller asked for cannot be done; the message says why, for the person who asked."""
