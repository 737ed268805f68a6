"""Which classes can inherit from a parent class, and what they then inherit."""

from tests.infer.conftest import FLAT
from tests.support import source


CONFIGURATION = "models/llama/configuration_llama.py"

MERGING = """
    [tool.modular]
    merge-docstrings = true
    """

HELPER = '''
    from torch import nn


    class LlamaHelper(nn.Module):
        """
        Apply two layers.

        Args:
            first (`int`): The size of the first layer.
            second (`int`): The size of the second layer.
        """

        def forward(self, x):
            x = self.first(x)
            return self.second(x)

        def repeat(self, x):
            return self.forward(self.forward(x))
    '''

SECOND_ENTRY = "            second (`int`): The size of the second layer.\n"


def test_only_docstrings_of_configuration_classes_are_merged_in_whichever_file_the_parent_is(
    inferred,
):
    """Merged with the parent's, the docstring would have the entry `second` again."""
    inference = inferred(
        HELPER.replace("Llama", "MyModel").replace(SECOND_ENTRY, ""),
        parent=HELPER,
        files={CONFIGURATION: HELPER, "pyproject.toml": MERGING},
    )
    assert list(inference.proofs) == [FLAT]
    assert inference.text == source('''
        from ..llama.configuration_llama import LlamaHelper


        class MyModelHelper(LlamaHelper):
            """
            Apply two layers.

            Args:
                first (`int`): The size of the first layer.
            """
        ''')
