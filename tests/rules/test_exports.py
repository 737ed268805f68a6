"""Tests of the rule `exports`."""

import pytest

from tests.support import source


def modular(exports: str) -> str:
    return (
        source("""
        class MyModelConfig:
            size = 1


        class MyModelMLP:
            size = 2


    """)
        + exports
    )


def endings(flatten, exports: str) -> dict[str, str]:
    """What stands behind the class of each file."""
    files = flatten(modular(exports)).files
    return {
        path.rpartition("/")[2]: text.partition("size = ")[2][2:].strip()
        for path, text in files.items()
    }


@pytest.mark.parametrize(
    "exports",
    [
        '__all__ = ["MyModelConfig", "MyModelMLP", "helper"]\n',
        '__all__ = ("MyModelConfig", "MyModelMLP", "helper")\n',
        "__all__: list[str] = ['MyModelConfig', 'MyModelMLP', 'helper']\n",
        '__all__ = ["MyModelConfig"] + ["MyModelMLP"] + ["helper"]\n',
        '__all__ = [\n    "MyModelMLP",  # the layer\n    # The rest.\n    "helper",\n    "MyModelConfig",\n]\n',
        '__all__ = ["Old"]\n__all__ = ["MyModelConfig", "MyModelMLP", "helper"]\n',
    ],
    ids=["list", "tuple", "annotated", "sum", "lines", "last"],
)
def test_exports_are_split_by_file_type(flatten, exports):
    assert endings(flatten, exports) == {
        "configuration_my_model.py": '__all__ = ["MyModelConfig"]',
        "modeling_my_model.py": '__all__ = ["MyModelMLP", "helper"]',
    }


def test_a_file_without_exports_has_none(flatten):
    assert endings(flatten, '__all__ = ["MyModelMLP"]\n') == {
        "configuration_my_model.py": "",
        "modeling_my_model.py": '__all__ = ["MyModelMLP"]',
    }


def test_exports_of_the_parent_are_ignored(flatten):
    parent = """
        class LlamaMLP:
            size = 1


        __all__ = ["LlamaMLP"]
        """
    own = """
        from ..llama.modeling_llama import LlamaMLP


        class MyModelMLP(LlamaMLP):
            pass
        """
    assert flatten(own, parent).only == source("""
        class MyModelMLP:
            size = 1
        """)


def test_comments_around_exports_are_kept(flatten):
    assert endings(flatten, '# What is public.\n__all__ = ["MyModelMLP"]  # one\n')[
        "modeling_my_model.py"
    ] == ('# What is public.\n__all__ = ["MyModelMLP"]  # one')


def test_exports_are_the_last_statement(flatten):
    own = """
        __all__ = ["MyModelMLP"]


        class MyModelMLP:
            size = 1
        """
    assert flatten(own).only == source("""
        class MyModelMLP:
            size = 1


        __all__ = ["MyModelMLP"]
        """)
