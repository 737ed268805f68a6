"""The mirror that is kept while somebody types: it shows what is around the files now, and is gone in the end."""

import shutil
import tempfile
from pathlib import Path

import pytest

from modular.format.formatting import find_undefined_in
from modular.run.kept_mirror import KeptMirror
from tests.support import write_project


OLMO = "models/olmo/modeling_olmo.py"
LLAMA = "models/llama/modeling_llama.py"


@pytest.fixture
def mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> KeptMirror:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    write_project(tmp_path / "project", {"ruff.toml": "", OLMO: ""})
    return KeptMirror(tmp_path / "project")


def undefined(mirror: KeptMirror, texts: dict[str, str]) -> list[tuple[str, int, str]]:
    found = find_undefined_in(mirror.hold(texts), texts)
    return [(each.path, each.line, each.name) for each in found]


def test_it_holds_one_text_after_the_other(mirror: KeptMirror) -> None:
    assert undefined(mirror, {OLMO: "x = 1\ny = sprig\n"}) == [(OLMO, 2, "sprig")]
    assert undefined(mirror, {OLMO: "x = 1\ny = x\n"}) == []
    assert undefined(mirror, {OLMO: "x\n", LLAMA: "y\n"}) == [(LLAMA, 1, "y"), (OLMO, 1, "x")]


def test_it_is_kept(mirror: KeptMirror) -> None:
    assert mirror.hold({OLMO: "x = 1\n"}) == mirror.hold({OLMO: "x = 2\n"})


def test_a_setting_of_the_formatter_that_changes_is_seen(mirror: KeptMirror, tmp_path: Path) -> None:
    assert undefined(mirror, {OLMO: "x = sprig\n"}) == [(OLMO, 1, "sprig")]
    (tmp_path / "project/ruff.toml").write_text('builtins = ["sprig"]\n', encoding="utf-8")
    assert undefined(mirror, {OLMO: "x = sprig\n"}) == []


def test_it_is_made_anew_where_somebody_has_deleted_it(mirror: KeptMirror, tmp_path: Path) -> None:
    assert undefined(mirror, {OLMO: "x = sprig\n"}) == [(OLMO, 1, "sprig")]
    for folder in (tmp_path / "temporary").iterdir():
        shutil.rmtree(folder)
    assert undefined(mirror, {OLMO: "x = twig\n"}) == [(OLMO, 1, "twig")]


def test_nothing_is_left_of_it(mirror: KeptMirror, tmp_path: Path) -> None:
    mirror.hold({OLMO: "x = 1\n"})
    assert len(list((tmp_path / "temporary").iterdir())) == 1
    mirror.close()
    assert list((tmp_path / "temporary").iterdir()) == []
