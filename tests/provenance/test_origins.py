"""Lines are traced in what the sources are now, not in what the cache knows of them."""

from pathlib import Path

import pytest

import modular as api


OWL = "models/owl/modeling_owl.py"


def test_an_edited_parent_moves_the_origins(
    birds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The generated text is the same, so nothing else would tell."""
    monkeypatch.setenv("MODULAR_CACHE_DIR", str(tmp_path / "cache"))
    api.check(options=api.Options(root=birds))
    before = {
        line.line: (line.kind.value, line.path, line.origin_line)
        for line in api.blame(birds / OWL).lines
    }
    assert before[16] == ("merged", "models/hawk/modeling_hawk.py", 17)
    assert before[18] == ("own", "models/owl/modular_owl.py", 9)
    parent = birds / "models/hawk/modeling_hawk.py"
    parent.write_text("\n" + parent.read_text())
    lines = api.blame(birds / OWL).lines
    assert [line.origin_line for line in lines if line.line in (7, 16)] == [9, 18]
