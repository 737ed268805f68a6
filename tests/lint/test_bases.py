"""The bases of generated classes, as rules see them."""

from tests.conftest import Flatten


def test_members_of_a_base_that_is_built_in_are_known(flatten: Flatten) -> None:
    found = flatten(
        """
        from ..llama.modeling_llama import LlamaTable


        class MyModelTable(LlamaTable):
            def fill(self, x):
                super().update(x)
                super().updat(x)
        """,
        """
        class LlamaTable(dict):
            size = 1
        """,
    )
    assert [line for _, line in found.codes] == [7]
