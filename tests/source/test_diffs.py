"""What differs between two texts: hunks as values, and the unified diff that is made of them."""

from difflib import unified_diff

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from modular.source.diffs import Diff, Hunk, compare, matching_blocks


def test_hunks_are_the_lines_that_differ() -> None:
    comparison = compare("a\nb\nc\nd\n", "a\nx\ny\nc\nd\ne\n")
    assert comparison.hunks == (Hunk(2, 2, ("b",), ("x", "y")), Hunk(5, 6, (), ("e",)))
    assert (comparison.added, comparison.removed) == (3, 1)
    assert comparison.hunks[0].lines == ("-b", "+x", "+y")


def test_the_text_of_a_diff() -> None:
    assert compare("1\n2\n3\n4\n5\n6\n", "1\n2\n3\n4\nfive\n6").text(
        "a/x.py", "b/x.py"
    ) == (
        "--- a/x.py\n+++ b/x.py\n@@ -2,5 +2,5 @@\n 2\n 3\n 4\n-5\n-6\n+five\n+6\n\\ No newline at end of file\n"
    )


def test_what_is_the_same_has_no_text() -> None:
    assert not compare("a\n", "a\n")
    assert compare("a\n", "a\n").text("a", "b") == Diff().text("a", "b") == ""


TEXTS = st.lists(st.sampled_from(["a", "b", "", "c\x0c", "d e"]), max_size=30).map(
    lambda lines: "".join(f"{line}\n" for line in lines)
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(TEXTS, TEXTS)
def test_the_text_is_that_of_difflib(old: str, new: str) -> None:
    lines = (
        [f"{line}\n" for line in old.split("\n")[:-1]],
        [f"{line}\n" for line in new.split("\n")[:-1]],
    )
    assert compare(old, new).text("old", "new") == "".join(
        unified_diff(*lines, "old", "new")
    )


@pytest.mark.parametrize("distinct", [1, 7, 150, 3000])
def test_many_lines_of_few_kinds_are_not_compared_with_each_other(
    distinct: int,
) -> None:
    """Each line can be matched with thousands of others: only the ends are."""
    old = [f"x{number % distinct}" for number in range(420_000)]
    new = ["same", "new", *old[7:-5], "end"]
    old = ["same", *old, "gone", "end"]
    assert matching_blocks(old, new) == [
        (0, 0, 1),
        (420_002, 419_990, 1),
        (420_003, 419_991, 0),
    ]


def test_a_change_in_the_middle_of_a_very_long_text_is_found() -> None:
    old = [f"x{number % 9}" for number in range(420_000)]
    new = [*old[:1000], "new", *old[1001:]]
    assert matching_blocks(old, new) == [
        (0, 0, 1000),
        (1001, 1001, 418_999),
        (420_000, 420_000, 0),
    ]
