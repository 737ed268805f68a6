"""What the tests of rules share: the usual small project, one parent file and one modular file."""

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import pytest

from tests import support
from tests.support import Converted


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
