"""What shells complete for `modular infer` and `modular nearest`."""

from pathlib import Path

import pytest

from tests.flock import completed, make_flock


@pytest.mark.parametrize(
    "command",
    ["infer", "infer owl --from", "infer owl --not-from", "nearest x.py --before"],
)
def test_models_written_by_hand_or_not(tmp_path: Path, command: str) -> None:
    assert completed(f"modular {command} e", make_flock(tmp_path)) == ["plain,eagle"]


def test_nearest_takes_a_file(tmp_path: Path) -> None:
    assert completed("modular nearest models/ow", tmp_path) == ["file,models/ow"]
