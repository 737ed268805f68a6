"""Paths that a project wants to write are refused if they are unsafe on any platform."""

import pytest

from modular.system.safe_paths import MAX_PATH_PARTS, problem


@pytest.mark.parametrize("path", ["x.py", "models/llama/modeling_llama.py", "a b/é.py"])
def test_a_path_below_the_root_is_safe(path: str) -> None:
    assert problem(path) == ""


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("../x.py", "points outside the project's root"),
        ("/x.py", "points outside the project's root"),
        ("C:x.py", "points outside the project's root"),
        ("a\\..\\..\\x.py", "points outside the project's root"),
        ("a/\x1b[2J.py", "has characters that cannot be printed"),
        ("a/-x.py", "has a part that begins with `-`, as options do"),
        ("a/" * MAX_PATH_PARTS + "x.py", "is too long"),
    ],
)
def test_an_unsafe_path_is_refused_with_a_reason(path: str, message: str) -> None:
    assert problem(path).startswith(message)
