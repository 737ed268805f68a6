"""What differs between two texts: hunks as values, and the unified diff that is made of them."""

import subprocess
from difflib import unified_diff
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from modular.source.diffs import (
    Diff,
    Hunk,
    compare,
    matching_blocks,
    shortest_edit_blocks,
)


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


def most_common_lines(old: list[str], new: list[str]) -> int:
    """The length of a longest common subsequence, from the table of all beginnings."""
    lengths = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for row, old_line in enumerate(old):
        for column, new_line in enumerate(new):
            if old_line == new_line:
                lengths[row + 1][column + 1] = lengths[row][column] + 1
            else:
                longer = max(lengths[row][column + 1], lengths[row + 1][column])
                lengths[row + 1][column + 1] = longer
    return lengths[-1][-1]


def apply(old: list[str], hunks: tuple[Hunk, ...]) -> list[str]:
    """Return the new lines that hunks make of the old ones."""
    lines = list(old)
    for hunk in reversed(hunks):
        start = hunk.old_line - 1
        end = start + len(hunk.removed)
        assert tuple(lines[start:end]) == hunk.removed
        lines[start:end] = hunk.added
    return lines


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(TEXTS, TEXTS)
def test_as_few_lines_as_possible_differ(old: str, new: str) -> None:
    old_lines, new_lines = old.split("\n")[:-1], new.split("\n")[:-1]
    comparison = compare(old, new)
    assert apply(old_lines, comparison.hunks) == new_lines
    kept = most_common_lines(old_lines, new_lines)
    counts = (comparison.removed, comparison.added)
    assert counts == (len(old_lines) - kept, len(new_lines) - kept)


def test_the_counts_are_those_of_git(tmp_path: Path) -> None:
    """`difflib` keeps the longest run, `c d e`, so it counts 5 added and 4 removed lines."""
    (tmp_path / "old").write_text("a\nb\nx\ny\nc\nd\ne\n", encoding="utf-8")
    (tmp_path / "new").write_text("c\nd\ne\na\nb\nz\nx\ny\n", encoding="utf-8")
    command = ["git", "diff", "--no-index", "--numstat", "old", "new"]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stdout.split()[:2] == ["4", "3"]
    old = (tmp_path / "old").read_text(encoding="utf-8")
    new = (tmp_path / "new").read_text(encoding="utf-8")
    comparison = compare(old, new)
    assert (comparison.added, comparison.removed) == (4, 3)


def test_an_added_method_begins_with_its_def() -> None:
    old = "class A:\n    def b(self):\n        x\n\n    def d(self):\n        x\n"
    new = old.replace("    def d", "    def c(self):\n        x\n\n    def d")
    added = ("    def c(self):", "        x", "")
    assert compare(old, new).hunks == (Hunk(5, 5, (), added),)
    assert compare(new, old).hunks == (Hunk(5, 5, added, ()),)


def test_the_text_is_that_of_difflib_where_a_line_is_replaced() -> None:
    old = "".join(f"{number}\n" for number in range(30))
    new = old.replace("9\n", "nine\n")
    lines = [text.splitlines(keepends=True) for text in (old, new)]
    text = compare(old, new).text("old", "new")
    assert text == "".join(unified_diff(*lines, "old", "new"))


def test_very_many_edits_are_compared_in_another_way() -> None:
    """The shortest edit of texts that share most lines in another order takes long."""
    old = [f"x{number}" for number in range(3000)]
    blocks = shortest_edit_blocks(old, old[::-1])
    assert blocks == matching_blocks(old, old[::-1])


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
