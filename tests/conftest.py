"""What the tests of rules share: the usual small project, one parent file and one modular file."""

import inspect
from collections.abc import Mapping
from functools import partialmethod
from pathlib import Path
from typing import Protocol

import pytest
from click.testing import CliRunner

from tests import support
from tests.support import Converted


if "mix_stderr" in inspect.signature(CliRunner.__init__).parameters:
    # Before click 8.2 the runner mixes both streams unless it is told not to.
    CliRunner.__init__ = partialmethod(CliRunner.__init__, mix_stderr=False)  # type: ignore[assignment]

PARENT = "models/llama/modeling_llama.py"
MODULAR = "models/my_model/modular_my_model.py"


class Flatten(Protocol):
    """Converts a modular file of `my_model`, and a modeling file of `llama` beside it; further files go by their paths.

    Sources are indented literals. Without the formatter the blank lines are those of the sources.
    """

    def __call__(
        self,
        modular: str,
        parent: str = "",
        files: Mapping[str, str] | None = None,
        formatter: str = "ruff",
    ) -> Converted: ...


@pytest.fixture
def flatten(tmp_path: Path) -> Flatten:
    def run(
        modular: str,
        parent: str = "",
        files: Mapping[str, str] | None = None,
        formatter: str = "ruff",
    ) -> Converted:
        texts = {PARENT: parent, **(files or {}), MODULAR: modular}
        return support.convert(
            tmp_path,
            {path: support.source(text) for path, text in texts.items()},
            formatter,
        )

    return run
