"""Every example in the rules' docstrings is right."""

from pathlib import Path

import pytest

from modular.lint import rule_book
from modular.source.diagnostics import Problem
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
    # An example shows one file of a model: the other files that it imports are missing.
    errors = [
        diagnostic.message
        for diagnostic in converted.diagnostics
        if diagnostic.is_error and diagnostic.code is not Problem.DANGLING_IMPORT
    ]
    assert errors == []
    assert converted.files == example.outputs
