"""Changes of a parent's method are merged into its copies."""

import pytest

from modular.effects.overrides import CodeLine, find_missed_hunks


def lines(*texts: str) -> tuple[CodeLine, ...]:
    return tuple(
        CodeLine(number, text, text) for number, text in enumerate(texts, start=1)
    )


@pytest.mark.parametrize(
    ("parent", "override", "expected"),
    [
        ("abXd", "abcd", [(3, "c", "X")]),
        ("abXd", "abYd", []),
        ("abXcd", "abcd", [(3, "", "X")]),
        ("abXcd", "abYcd", []),
        ("Xabcd", "abcd", [(1, "", "X")]),
        ("abcdX", "abcd", [(5, "", "X")]),
        ("acd", "abcd", [(2, "b", "")]),
        ("Xbcd", "abYcd", [(1, "a", "X")]),
        ("XYd", "abcZd", [(1, "abc", "XY")]),
        ("XYd", "aZcd", []),
        ("abcd", "abYd", []),
    ],
)
def test_hunks_are_missed_where_the_override_has_the_old_lines(
    parent: str, override: str, expected: list[tuple[int, str, str]]
) -> None:
    hunks = find_missed_hunks(lines(*"abcd"), lines(*override), lines(*parent))
    found = [(hunk.line, "".join(hunk.old), "".join(hunk.new)) for hunk in hunks]
    assert found == expected
