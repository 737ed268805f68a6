"""Blames are taken from the cache where nothing that they depend on has changed."""

from contextlib import closing
from pathlib import Path

import pytest

from modular.project.opening import open_project
from modular.traceback import origins as module
from modular.traceback.blame import Blame, Blamer, blame


def all_blames(root: Path, *, cache: bool = True) -> list[Blame]:
    project = open_project(root)
    with closing(Blamer(project, cache=cache)) as blamer:
        return list(blamer.all(project.modular_files))


@pytest.fixture
def blamed(birds: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files whose lines were really traced."""
    found: list[str] = []
    origins = module.origins

    def counting(file, formatted, sources):  # type: ignore[no-untyped-def]
        found.append(file.path)
        return origins(file, formatted, sources)

    monkeypatch.setattr(module, "origins", counting)
    return found


def test_what_is_kept_is_what_was_found(birds: Path, blamed: list[str]) -> None:
    first = all_blames(birds)
    assert blamed == ["models/owl/modeling_owl.py", "models/owlet/modeling_owlet.py"]
    assert all_blames(birds) == first == all_blames(birds, cache=False)
    assert len(blamed) == 4, "the second time nothing was traced, without the cache everything"


def test_one_file_is_kept_as_well(birds: Path, blamed: list[str]) -> None:
    first = blame("models/owl/modeling_owl.py")
    assert blame("models/owl/modeling_owl.py") == first
    assert blamed == ["models/owl/modeling_owl.py"]


def test_a_line_more_in_the_parent_is_seen(birds: Path, blamed: list[str]) -> None:
    """The generated text is the same; only the origins move."""
    before = all_blames(birds)[0].lines[6]
    parent = birds / "models/hawk/modeling_hawk.py"
    parent.write_text("\n" + parent.read_text())
    after = all_blames(birds)[0].lines[6]
    assert (before.origin_line, after.origin_line) == (8, 9)
