"""The patterns of the tool mean the same in every Python that it runs on."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import modular


POSSESSIVE_GROUP = re.compile(r"(?<!\\)\)(?:[*+?]|\{[\d,]+\})\+")
"""A group that is repeated without going back.

Python 3.11.0 to 3.11.4 match it wrongly where the group itself may go back or look ahead: what was read of a repetition that
fails stays read (https://github.com/python/cpython/issues/106052). An atomic group around the repetition is matched rightly.
"""


def written(file: Path) -> Iterator[str]:
    """Yield the strings of a file that stand in calls of `re`."""
    for call in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        match call:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="re"))):
                parts = (part for argument in call.args for part in ast.walk(argument))
                yield from (
                    part.value
                    for part in parts
                    if isinstance(part, ast.Constant) and isinstance(part.value, str)
                )


def test_no_pattern_is_one_that_some_releases_of_python_match_wrongly() -> None:
    patterns = [
        (file.name, pattern)
        for file in sorted(Path(modular.__file__).parent.glob("**/*.py"))
        for pattern in written(file)
    ]
    assert ("scan.py", "[{}]") in patterns
    assert [
        pattern for pattern in patterns if POSSESSIVE_GROUP.search(pattern[1])
    ] == []


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (r"(?:a|b)*+", True),
        (r"(?:ab)++c", True),
        (r"(ab){2,}+", True),
        (r"(?>(?:a|b)*)c++", False),
        (r"\)*+", False),
    ],
)
def test_possessive_groups_are_recognized(pattern: str, expected: bool) -> None:
    assert bool(POSSESSIVE_GROUP.search(pattern)) is expected
