"""docs/settings.md names every setting, with its type and default, and an example that is read."""

import re
import tomllib
from importlib.resources import files

import pytest

from modular.settings.settings import Settings, from_table
from tests.docs.markdown import PAGES, blocks, read


PAGE = "docs/settings.md"
PRESET = tomllib.loads(
    (files("modular.settings.presets") / "transformers.toml").read_text(
        encoding="utf-8"
    )
)
PRESET.pop("until")  # what was different in earlier releases is no setting
OPEN = (
    "file-types",
    "soft-dependencies.guards",
    "copied-instead-of-imported",
    "lint.per-file-ignores",
)
"""Tables that are one setting each."""

SECTIONS = dict(
    re.findall(r"^### `([^`]+)`\n(.*?)(?=^##|\Z)", read(PAGE), re.MULTILINE | re.DOTALL)
)
TYPES = {
    str: "string",
    list: "list of strings",
    dict: "table of strings",
    bool: "true or false",
}
OTHER_TYPES = {
    "lint.per-file-ignores": "table of lists of strings",
    "package": "string, or a table with the package of each models folder",
}
WITH_TABLE = [
    block
    for page in PAGES
    for block in blocks(page, "toml")
    if "[tool.modular" in block.text
]


def flat(table, prefix=""):
    """Return the settings of a table by their dotted keys."""
    found = {}
    for key, value in table.items():
        name = f"{prefix}{key}"
        found |= (
            flat(value, f"{name}.")
            if isinstance(value, dict) and name not in OPEN
            else {name: value}
        )
    return found


def tables(section):
    """Return the blocks of a section, parsed: the default, the example, and others."""
    return [
        tomllib.loads(text)
        for text in re.findall(
            r"^```toml\n(.*?)^```$", SECTIONS[section], re.MULTILINE | re.DOTALL
        )
    ]


def test_all_settings_are_there_and_no_others():
    assert sorted(SECTIONS) == sorted([*flat(PRESET), "preset"])


@pytest.mark.parametrize(
    "key, value", [*flat(PRESET).items(), ("preset", "transformers")]
)
def test_type_default_and_example(key, value):
    default, example, *_ = tables(key)
    kind = OTHER_TYPES.get(key, TYPES[type(value)])
    assert f"\nType: {kind}. Default:\n" in SECTIONS[key]
    assert flat(default) == {key: value}
    assert list(flat(example["tool"]["modular"])) == [key]
    assert isinstance(from_table(example["tool"]["modular"]), Settings)


@pytest.mark.parametrize("block", WITH_TABLE, ids=lambda block: block.place)
def test_every_table_in_the_pages_is_read(block):
    assert isinstance(
        from_table(tomllib.loads(block.text)["tool"]["modular"]), Settings
    )
