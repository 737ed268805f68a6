"""The program, run in this process."""

from collections.abc import Callable

import pytest
from click.testing import CliRunner, Result

from modular.cli.main import main


@pytest.fixture
def modular() -> Callable[..., Result]:
    """Runs a command and returns what it printed and its exit code."""
    return lambda *arguments: CliRunner().invoke(
        main, arguments, catch_exceptions=False
    )
