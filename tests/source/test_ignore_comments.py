"""`# modular: ignore[MOD405]`: what it silences, that it is in no generated file, and when it is reported itself."""

import pytest

from modular.source import ignore_comments
from modular.source.diagnostics import Problem
from modular.source.edits import apply_edits
from tests import support
from tests.conftest import Flatten


PARENT = """
    from torch import nn


    class LlamaMLP(nn.Module):
        def forward(self, x):
            return x


    class LlamaNorm(nn.Module):
        eps = 1
    """
OUTPUT = """\
from torch import nn


class MyModelTextMLP(nn.Module):
    def forward(self, x):
        return x


class MyModelNorm(nn.Module):
    eps = 1
"""


def modular(head: str = "", line: str = "", above: str = "") -> str:
    """A modular file with two prefixes (MOD405 on the first class), and a comment at one place."""
    return f"""
    {head}
    from ..llama.modeling_llama import LlamaMLP, LlamaNorm


    {above}
    class MyModelTextMLP(LlamaMLP):{line}
        pass


    class MyModelNorm(LlamaNorm):
        pass
    """


def test_a_warning_is_reported_without_an_ignore_comment(flatten: Flatten) -> None:
    assert flatten(modular(), PARENT).codes == [("MOD405", 6)]


@pytest.mark.parametrize("place", ["line", "head"])
@pytest.mark.parametrize(
    "comment",
    [
        "# modular: ignore[MOD405]",
        "#modular:ignore[MOD405]",
        "# modular: ignore[MOD4]",
        "# modular: ignore[MOD408, MOD405] because both are meant",
    ],
)
def test_an_ignore_comment_suppresses_a_warning(
    flatten: Flatten, comment: str, place: str
) -> None:
    flattened = flatten(
        modular(**{place: f"  {comment}" if place == "line" else comment}), PARENT
    )
    assert (flattened.codes, flattened.only) == ([], OUTPUT)


def test_other_comments_of_the_line_stay(flatten: Flatten) -> None:
    files = flatten(
        """
        class MyModelMLP:
            width = 1  # wide  # modular: ignore[MOD4]  # noqa: E501
            depth = 2  # deep  # modular: ignore[MOD4] # modular: ignore[MOD4]
            text = "# modular: ignore[MOD4]"
        """
    )
    assert files.only == (
        "class MyModelMLP:\n"
        "    width = 1  # wide  # noqa: E501\n"
        "    depth = 2  # deep\n"
        '    text = "# modular: ignore[MOD4]"\n'
    )
    assert files.codes == [("MOD491", 2), ("MOD491", 3), ("MOD491", 3)]


def test_a_fix_removes_a_line_together_with_its_comment(flatten: Flatten) -> None:
    text = modular(above="import json  # modular: ignore[MOD408]")
    findings = flatten(text, PARENT).diagnostics
    (unused,) = [item for item in findings if item.code is Problem.UNUSED_IMPORT]
    fixed = apply_edits(support.source(text), unused.fixes[0].edits)
    assert "json" not in fixed
    assert "ignore" not in fixed


@pytest.mark.parametrize(
    ("places", "line", "message"),
    [
        (
            {"line": "  # modular: ignore[MOD408]"},
            6,
            "there is no warning `MOD408` on this line to silence",
        ),
        (
            {"head": "# modular: ignore[MOD408]"},
            1,
            "there is no warning `MOD408` in this file to silence",
        ),
        (
            {"above": "# modular: ignore[MOD405]"},
            5,
            "there is no warning `MOD405` on this line to silence",
        ),
        (
            {"line": "  # modular: ignore"},
            6,
            "this comment names no code, so it silences nothing",
        ),
        (
            {"line": "  # modular: ignore[MOD202]"},
            6,
            "there is no warning `MOD202` on this line to silence",
        ),
    ],
)
def test_a_comment_that_suppresses_nothing_is_reported(
    flatten: Flatten, places: dict[str, str], line: int, message: str
) -> None:
    flattened = flatten(modular(**places), PARENT)
    assert ("MOD405", 6) in flattened.codes
    assert f"MOD491 line {line}: {message}" in flattened.messages
    assert flattened.only == OUTPUT


def test_a_warning_of_the_formatter_is_suppressed_too(flatten: Flatten) -> None:
    files = flatten(
        """
        class MyModelMLP:
            def forward(self, x):
                return rotate(x)  # modular: ignore[MOD408]
        """
    )
    assert files.codes == []
    assert (
        files.only
        == "class MyModelMLP:\n    def forward(self, x):\n        return rotate(x)\n"
    )


def test_errors_are_not_suppressed_and_then_no_comment_is_unused(
    flatten: Flatten,
) -> None:
    flattened = flatten(
        """
        # modular: ignore[MOD405]
        from ..llama.modeling_llama import LlamaMlp  # modular: ignore[MOD202]


        class MyModelMLP(LlamaMlp):
            pass
        """,
        PARENT,
    )
    assert flattened.codes == [("MOD202", 2)]


def test_the_mark_of_a_comment() -> None:
    comment = ignore_comments.read("a.py", "x = 1  # modular: ignore[MOD4]  \ny = 2\n")
    (found,) = comment.comments
    assert (found.place.line, found.place.column, found.place.width) == (1, 8, 23)
    assert comment.text == "x = 1\ny = 2\n"
