"""MOD487: default values that a docstring states wrongly."""

from pathlib import Path

import pytest

from tests.support import convert, source


PARENT = source('''
    class LlamaConfig:
        r"""
        size (`int`, *optional*, defaults to 8):
            The size.
        """

        size: int = 8
        depth: int = 2
''')


def find_messages(tmp_path: Path, *members: str) -> list[str]:
    """Return the MOD487 messages about a configuration with some members."""
    body = "".join(f"    {member}\n" for member in members)
    files = {
        "models/llama/configuration_llama.py": PARENT,
        "models/olmo/modular_olmo.py": (
            "from ..llama.configuration_llama import LlamaConfig\n\n\n"
            f"class OlmoConfig(LlamaConfig):\n{body}"
        ),
    }
    diagnostics = convert(tmp_path, files).diagnostics
    return [found.message for found in diagnostics if found.code.id == "MOD487"]


def docstring(text: str) -> str:
    return f'r"""\n    {text}\n    """\n'


@pytest.mark.parametrize("value", ["8", "8.0", "None", "'x'", "2 * 4", "[8]"])
def test_equal_values_and_other_values_than_numbers_are_not_reported(
    tmp_path: Path, value: str
) -> None:
    assert find_messages(tmp_path, f"size: int = {value}") == []


def test_a_value_that_the_inherited_docstring_contradicts_is_reported(
    tmp_path: Path,
) -> None:
    assert find_messages(tmp_path, "size = False  # why") == [
        "the docstring of `OlmoConfig` says that `size` defaults to 8, "
        "but its value is False"
    ]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("depth (`int`, *optional*, defaults to 3):", 1),
        ("depth (`int`, *optional*, defaults to `3`):", 1),
        ("depth (`int`): Defaults to 3.", 1),
        ("depth (`int`, *optional*, defaults to 2.):", 0),
        ("width (`int`, *optional*, defaults to 3):", 0),
        ("depth (`int`, *optional*, defaults to `size`):", 0),
        ("depth defaults to 3", 0),
    ],
)
def test_a_docstring_of_the_modular_file_is_compared_with_inherited_values(
    tmp_path: Path, text: str, count: int
) -> None:
    assert len(find_messages(tmp_path, docstring(text))) == count


def test_the_docstring_of_the_modular_file_replaces_the_parent_s(
    tmp_path: Path,
) -> None:
    new = docstring("depth (`int`, *optional*, defaults to 2):")
    assert find_messages(tmp_path, new, "size = 9") == []
