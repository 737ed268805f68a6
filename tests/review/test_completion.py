"""What shells complete for `modular impact`."""

from pathlib import Path

from tests.flock import completed, make_flock


def test_a_model_or_a_file(tmp_path: Path) -> None:
    make_flock(tmp_path)
    assert completed("modular impact e", tmp_path) == ["plain,eagle"]
    assert completed("modular impact models/ow", tmp_path) == ["file,models/ow"]
