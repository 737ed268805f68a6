"""Every example in the rules' docstrings is right."""

from pathlib import Path

import pytest

from modular.lint import rule_book
from tests.rules.rule_examples import Example, examples
from tests.support import convert


EXAMPLES = [
    pytest.param(example, id=f"{rule.name}-{number}")
    for rule in rule_book.rules()
    for number, example in enumerate(examples(rule), 1)
]


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_gives_its_output(example: Example, tmp_path: Path) -> None:
    converted = convert(tmp_path, example.files)
    assert not [
        diagnostic.message
        for diagnostic in converted.diagnostics
        if diagnostic.is_error
    ]
    assert converted.files == example.outputs
