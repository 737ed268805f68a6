"""Diagnostics as workflow commands."""

from pathlib import Path

import pytest

from modular.cli.rendering.github import render
from modular.source.diagnostics import Place
from tests.samples import ERROR, INFO, WARNING


ROOT = Path("/project")
OLMO = "models/olmo/modular_olmo.py"


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests do not run in a workflow, or it is not theirs."""
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)


def test_a_command_for_each_diagnostic() -> None:
    assert render([WARNING, ERROR], ROOT) == (
        "::error file=models/olmo/modular_olmo.py,line=12,endLine=12,col=36,endColumn=44,"
        "title=MOD202 name-not-in-parent::`models/llama/modeling_llama.py` has no `LlamaMlp`"
        "%0Ahint: did you mean `LlamaMLP`?\n"
        "::warning file=models/olmo/modular_olmo.py,line=7,endLine=7,col=9,endColumn=19,"
        "title=MOD402 removed-member-still-used::`del self.x` removes only the assignment"
        "%0Aread at models/llama/modeling_llama.py:105: return self.x%0Ahint: override `forward` as well\n"
    )


def test_an_info_is_a_notice_below_errors_and_warnings() -> None:
    lines = render([INFO, WARNING, ERROR], ROOT).splitlines()
    assert [line.split(" ")[0] for line in lines] == [
        "::error",
        "::warning",
        "::notice",
    ]


def test_what_github_would_drop_is_in_the_log() -> None:
    found = [
        WARNING._replace(place=WARNING.place._replace(line=line))
        for line in range(1, 13)
    ]
    lines = render(found, ROOT).splitlines()
    rest = [
        f"warning[MOD402]: `del self.x` removes only the assignment --> {OLMO}:{line}:9"
        for line in (11, 12)
    ]
    assert [line.startswith("::warning ") for line in lines] == [True] * 10 + [
        False
    ] * 2
    assert lines[10:] == rest


def test_paths_are_those_of_the_checkout(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    assert render([ERROR], tmp_path / "python").startswith(
        "::error file=python/models/olmo/modular_olmo.py,"
    )
    assert render([ERROR], tmp_path).startswith(
        "::error file=models/olmo/modular_olmo.py,"
    )
    assert render([ERROR], ROOT).startswith("::error file=models/olmo/modular_olmo.py,")


def test_what_would_end_a_message_or_a_property_is_escaped() -> None:
    place = Place("a,b:c%/modular_x.py", 1, 1, 1)
    rendered = render(
        [
            ERROR._replace(
                place=place, message="50% of\r\n::error::this, that: all", hint=""
            )
        ],
        ROOT,
    )
    assert rendered == (
        "::error file=a%2Cb%3Ac%25/modular_x.py,line=1,endLine=1,col=1,endColumn=2,"
        "title=MOD202 name-not-in-parent::50%25 of%0D%0A::error::this, that: all\n"
    )
