"""The walk through a page notices what is not as the page says."""

from pathlib import Path

import pytest

from tests.docs.markdown import Block
from tests.docs.walk import agrees, is_step, steps, walk


def console(text: str) -> Block:
    return Block("page.md", 1, "console", text, "")


def file(lead: str, text: str) -> Block:
    return Block("page.md", 1, "python", text, lead)


def verdicts(folder: Path, *blocks: Block) -> list[bool]:
    """Whether each step agrees with what is seen."""
    return [agrees(step, seen) for step, seen in walk(steps(blocks), folder)]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("$ echo one\none\n", [True]),
        ("$ echo one\ntwo\n", [False]),
        ("$ echo one\n", [False]),
        ("$ true\n$ echo one\none\n", [True, True]),
        ("$ false\n", [False]),
        ("$ false\n$ echo $?\n1\n", [True, True]),
        ("$ false\n$ echo $?\n0\n", [True, False]),
        ("$ printf 'a\\nb\\nc\\n'\na\n...\nc\n", [True]),
        ("$ printf 'a\\nb\\nc\\n'\na\n...\nd\n", [False]),
        ("$ echo wrong >&2\nwrong\n", [True]),
        ("$ echo a \\\n  b\na b\n", [True]),
        ("$ mkdir deep && cd deep\n$ basename $PWD\ndeep\n", [True, True]),
    ],
)
def test_commands(tmp_path, text, expected):
    assert verdicts(tmp_path, console(text)) == expected


def test_files_are_written_as_they_are_shown(tmp_path):
    text = "a = '$HOME'\n\n\nb = `2`\n"
    assert verdicts(
        tmp_path, file("Some words. Write `a.py`:", text), file("Add to `a.py`:", "c\n")
    ) == [True, True]
    assert (tmp_path / "a.py").read_text(encoding="utf-8") == text + "c\n"


def test_a_folder_is_made_for_what_is_given_only(tmp_path):
    assert verdicts(
        tmp_path,
        file("Given a parent, `x/y/a.py`:", "a\n"),
        file("Write `z/a.py`:", "a\n"),
    ) == [
        True,
        True,
        False,
    ]


def test_what_a_file_holds(tmp_path):
    given = file("Write `a.py`:", "one\ntwo\nthree\nfour\n")
    assert verdicts(
        tmp_path, given, file("The file `a.py` now contains:", "two\nthree\n")
    ) == [True, True]
    assert verdicts(
        tmp_path, given, file("And `a.py` contains:", "one\n...\nfour\n")
    ) == [
        True,
        True,
    ]
    assert verdicts(tmp_path, given, file("And `a.py` contains:", "two\nfour\n")) == [
        True,
        False,
    ]


def test_other_blocks_are_no_steps():
    assert not is_step(file("Some code:", "a = 1\n"))
    assert not is_step(Block("page.md", 1, "sh", "make test\n", ""))
