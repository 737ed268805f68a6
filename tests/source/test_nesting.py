"""What nests too deeply for a parser is seen in the text; what is only long is not."""

import pytest

from modular.source import scan
from modular.source.nesting import may_be_too_deep


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "(" * 61 + ")" * 61 + "\n",
        "x = (\n",
        "x = " + "-" * 3_001 + "1\n",
        "x = a" + "[0]" * 1_600 + "\n",
        "x = 1" + " and 1" * 1_100 + "\n",
        "x = " + "lambda: " * 1_001 + "1\n",
        "if a:\n    pass\n" + "elif a:\n    pass\n" * 1_001,
        "".join(" " * level + "if x:\n" for level in range(301)),
    ],
    ids=[
        "brackets",
        "open",
        "signs",
        "items",
        "operators",
        "lambdas",
        "branches",
        "indents",
    ],
)
def test_code_that_nests_too_deeply_is_detected(text: str) -> None:
    assert may_be_too_deep(scan.mask_text(text))


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "(" * 59 + ")" * 59 + "\n",
        "x = " + "-" * 2_900 + "1\n",
        "x = [" + "a, " * 10_000 + "]\n",
        "x = '" + "a" * 10_000 + "'\n",
        "x = (" + "'a' " * 10_000 + ")\n",
        "x = " + "9" * 10_000 + "\n",
        "del x.a\n" * 10_000,
    ],
    ids=["brackets", "signs", "list", "string", "strings", "number", "statements"],
)
def test_long_code_without_nesting_is_accepted(text: str) -> None:
    assert not may_be_too_deep(scan.mask_text(text))
