"""The cache is tested with the small project of the tests of commands."""

from tests.commands.conftest import converted, modular, project


__all__ = ["converted", "modular", "project"]
