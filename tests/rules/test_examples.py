"""Every example in the rules' docstrings is right."""

from pathlib import Path

import pytest

from modular.cli import rule_book
from modular.cli.rule_book import Example
from tests.support import convert


EXAMPLES = [
    pytest.param(example, id=f"{rule.name}-{number}")
    for rule in rule_book.rules()
    for number, example in enumerate(rule.examples, 1)
]


@pytest.mark.parametrize("example", EXAMPLES)
def test_example(example: Example, tmp_path: Path) -> None:
    converted = convert(tmp_path, example.files)
    assert not [diagnostic.message for diagnostic in converted.diagnostics if diagnostic.is_error]
    assert converted.files == example.outputs
