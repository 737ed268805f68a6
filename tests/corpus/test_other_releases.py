"""Other releases of transformers: what was generated for them comes out byte for byte, too."""

import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from bench.corpus import make_project
from tests.corpus.test_corpus import generated_files, modular
from tests.support import statuses


pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("release", "count"), [("5.18.0", 597), ("5.20.2", 627), ("5.24.0", 689)]
)
def test_every_generated_file_of_another_release_is_identical(
    release: str, count: int, tmp_path: Path
) -> None:
    [wheel] = Path(sys.prefix, "releases").glob(f"transformers-{release}-*.whl")
    with ZipFile(wheel) as packed:
        packed.extractall(
            tmp_path, [name for name in packed.namelist() if name.endswith(".py")]
        )
    project = make_project(tmp_path / "project", tmp_path / "transformers")
    done = modular(
        "check", "--output-format", "json", cwd=project, cache=tmp_path / "cache"
    )
    by_path = statuses(done)
    assert len(by_path) == count
    assert sorted(by_path) == generated_files(project)
    assert {path for path, status in by_path.items() if status != "identical"} == set()
