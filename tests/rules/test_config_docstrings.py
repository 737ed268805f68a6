"""Tests of the rule `config-docstrings`."""

from pathlib import Path
from textwrap import indent

import pytest

from tests.support import convert, source


SETTINGS = '[tool.modular]\nmerge-docstrings = true\nformatter = "none"\n'

PARENT = source('''
    class LlamaConfig:
        r"""
        All of Llama.

        Args:
            size (`int`, *optional*, defaults to 8):
                The size.

                In two paragraphs.
            depth (`int`):
                The depth.

        Example:

        ```python
        >>> LlamaConfig()
        ```"""

        size = 8
        depth = 2
''')


def merged(
    root: Path, body: str, parent: str = PARENT, settings: str = SETTINGS
) -> str:
    """The docstring that comes out for a modular configuration with this body."""
    text = "from ..llama.configuration_llama import LlamaConfig\n\n\nclass MyModelConfig(LlamaConfig):\n"
    files = {
        "pyproject.toml": settings,
        "models/llama/configuration_llama.py": parent,
        "models/my_model/modular_my_model.py": text + indent(source(body), "    "),
    }
    return (
        convert(root, files)
        .only.partition("class MyModelConfig:\n")[2]
        .partition("\n    size = 8")[0]
    )


def test_entries_are_replaced_and_added(tmp_path: Path) -> None:
    own = '''
        """
        depth (`int`, defaults to 3):
            How deep.
        width (`int`):
            How wide.
        """
    '''
    assert merged(tmp_path, own) == (
        '    r"""\n'
        "    All of Llama.\n"
        "\n"
        "    Args:\n"
        "        size (`int`, *optional*, defaults to 8):\n"
        "            The size.\n"
        "\n"
        "            In two paragraphs.\n"
        "        depth (`int`, defaults to 3):\n"
        "            How deep.\n"
        "        width (`int`):\n"
        "            How wide.\n"
        "\n"
        "    Example:\n"
        "\n"
        "    ```python\n"
        "    >>> MyModelConfig()\n"
        '    ```"""\n'
    ).replace("All of Llama", "All of MyModel")


def test_text_around_the_entries_is_the_modulars_if_there_is_any(
    tmp_path: Path,
) -> None:
    own = '''
        """Mine.

        Args:
            width (`int`): How wide.

        See elsewhere.
        """
    '''
    assert merged(tmp_path, own) == (
        '    """Mine.\n'
        "\n"
        "    Args:\n"
        "        size (`int`, *optional*, defaults to 8):\n"
        "            The size.\n"
        "\n"
        "            In two paragraphs.\n"
        "        depth (`int`):\n"
        "            The depth.\n"
        "        width (`int`): How wide.\n"
        "\n"
        "    See elsewhere.\n"
        '    """\n'
    )


def test_a_docstring_without_entries_keeps_the_parents_entries(tmp_path: Path) -> None:
    assert merged(tmp_path, '"""Mine."""\n').startswith(
        '    """Mine.\n\n    Args:\n        size (`int`'
    )


def test_a_class_without_a_docstring_keeps_the_parents(tmp_path: Path) -> None:
    docstring = PARENT.partition("\n")[2].partition("\n    size = 8")[0]
    assert merged(tmp_path, "width = 3\n") == docstring.replace("Llama", "MyModel")


def test_a_docstring_stays_if_the_parent_has_none(tmp_path: Path) -> None:
    parent = "class LlamaConfig:\n    size = 8\n"
    own = '"""\nwidth (`int`):\n    How wide.\n"""\n'
    assert merged(tmp_path, own, parent=parent) == indent(own, "    ").rstrip("\n")


@pytest.mark.parametrize(
    "removal",
    [
        "depth = AttributeError()",
        "def __init__(self):\n    super().__init__()\n    del self.depth",
    ],
)
def test_entries_of_removed_attributes_are_dropped(
    tmp_path: Path, removal: str
) -> None:
    parent = PARENT.replace(
        "    depth = 2\n",
        "    depth = 2\n\n    def __init__(self):\n        self.depth = 2\n",
    )
    own = f'"""\nwidth (`int`):\n    How wide.\n"""\n\n{removal}\n'
    found = merged(tmp_path, own, parent=parent)
    assert "size (`int`" in found and "width (`int`" in found
    assert "depth" not in found


def test_the_entry_of_a_replaced_attribute_stays(tmp_path: Path) -> None:
    own = '"""\nwidth (`int`):\n    How wide.\n"""\n\ndepth = 3\n'
    assert "depth (`int`" in merged(tmp_path, own)


def test_entries_may_have_stars_or_end_with_the_closing_quotes(tmp_path: Path) -> None:
    parent = source('''
        class LlamaConfig:
            """
            **limits (`dict`):
                The limits.
            *sizes (`int`):
                The sizes.
            **others (`dict`): all others."""

            size = 8
            sizes = 1
    ''')
    own = '"""\nwidth (`int`):\n    How wide.\n"""\n\nsizes = AttributeError()\n'
    assert merged(tmp_path, own, parent=parent) == (
        '    """\n'
        "    **limits (`dict`):\n"
        "        The limits.\n"
        "    **others (`dict`): all others.\n"
        "    width (`int`):\n"
        "        How wide.\n"
        '    """\n'
    )


@pytest.mark.parametrize(
    ("own", "parent", "settings"),
    [
        ('"""Mine."""\n', PARENT, SETTINGS.replace("true", "false")),
        (
            '"""Mine."""\n',
            "class LlamaConfig:\n    '''Theirs.'''\n\n    size = 8\n",
            SETTINGS,
        ),
        ('"Mine."\n', PARENT, SETTINGS),
        ('"""\nsize (`int`): Mine.\n"""\n', PARENT.replace('"""', "'''"), SETTINGS),
    ],
    ids=["without the setting", "no entries", "one quote", "other quotes"],
)
def test_some_docstrings_replace_the_parents(
    tmp_path: Path, own: str, parent: str, settings: str
) -> None:
    assert merged(tmp_path, own, parent=parent, settings=settings) == indent(
        own, "    "
    )


def test_a_heading_is_added_if_the_parent_has_none(tmp_path: Path) -> None:
    parent = 'class LlamaConfig:\n    """\n    depth (`int`): The depth.\n    """\n\n    size = 8\n'
    own = '"""\nMine.\n\nArgs:\n    width (`int`): How wide.\n"""\n'
    assert merged(tmp_path, own, parent=parent) == (
        '    """\n    Mine.\n\n    Args:\n    depth (`int`): The depth.\n    width (`int`): How wide.\n    """\n'
    )


def test_only_configurations_are_merged(tmp_path: Path) -> None:
    parent = 'class LlamaModel:\n    """\n    size (`int`):\n        The size.\n    """\n\n    a = 1\n'
    own = 'class MyModelModel(LlamaModel):\n    """\n    width (`int`):\n        How wide.\n    """\n'
    files = {
        "pyproject.toml": SETTINGS,
        "models/llama/modeling_llama.py": parent,
        "models/my_model/modular_my_model.py": "from ..llama.modeling_llama import LlamaModel\n\n\n"
        + own,
    }
    assert "size (`int`" not in convert(tmp_path, files).only
