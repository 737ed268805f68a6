"""Tests of the rule `own-files`."""

import pytest

from tests.support import source


PARENT = """
    class LlamaMLP:
        pass
    """


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        (
            "from transformers.models.my_model.configuration_my_model import MyModelConfig",
            "from .configuration_my_model import MyModelConfig",
        ),
        (
            "from ...models.my_model.configuration_my_model import MyModelConfig",
            "from .configuration_my_model import MyModelConfig",
        ),
        (
            "from ..my_model.configuration_my_model import MyModelConfig",
            "from .configuration_my_model import MyModelConfig",
        ),
        (
            "from .configuration_my_model import MyModelConfig",
            "from .configuration_my_model import MyModelConfig",
        ),
        (
            "from ..my_model.configuration_my_model import (\n    Other,\n    OldConfig as MyModelConfig,\n)",
            "from .configuration_my_model import OldConfig as MyModelConfig",
        ),
        (
            "from ..my_model.helpers import MyModelConfig",
            "from ..my_model.helpers import MyModelConfig",
        ),
    ],
)
def test_all_forms_of_imports_become_relative(flatten, statement, expected):
    modular = f"""{statement}
from ..llama.modeling_llama import LlamaMLP


class MyModelMLP(LlamaMLP):
    config: MyModelConfig
"""
    assert (
        flatten(modular, PARENT).only
        == f"{expected}\n\n\nclass MyModelMLP:\n    config: MyModelConfig\n"
    )


def test_lines_above_the_import_are_kept(flatten):
    modular = """
        from ..llama.modeling_llama import LlamaMLP
        # The configuration.
        from ..my_model.configuration_my_model import MyModelConfig  # ours


        class MyModelMLP(LlamaMLP):
            config: MyModelConfig
        """
    assert flatten(modular, PARENT).only == source("""
        # The configuration.
        from .configuration_my_model import MyModelConfig  # ours


        class MyModelMLP:
            config: MyModelConfig
        """)
