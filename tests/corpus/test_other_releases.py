"""Other releases of transformers: what was generated for them comes out byte for byte, too.

All models of the next release are converted, and every sixth model of older releases.
Older releases are also converted in a way that must not matter, so that no way needs a run
of its own.
"""

import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from bench.corpus import MODELS, make_project
from tests.corpus.respacing import respace
from tests.corpus.test_corpus import generated_files, modular
from tests.support import statuses


pytestmark = pytest.mark.slow


def unpack_release(release: str, folder: Path) -> Path:
    """Return a project with the models of another release."""
    [wheel] = Path(sys.prefix, "releases").glob(f"transformers-{release}-*.whl")
    with ZipFile(wheel) as packed:
        sources = [name for name in packed.namelist() if name.endswith(".py")]
        packed.extractall(folder, sources)
    return make_project(folder / "project", folder / "transformers")


def every_sixth_model(project: Path) -> list[str]:
    """Return the names of every sixth model with a modular file."""
    modular_files = sorted((project / MODELS).glob("*/modular_*.py"))
    return sorted({path.parent.name for path in modular_files[::6]})


def generated_files_of(project: Path, models: list[str]) -> list[str]:
    """Return the generated files of models, found without the tool."""
    return [
        path for path in generated_files(project) if Path(path).parent.name in models
    ]


def test_every_generated_file_of_the_next_release_is_identical(tmp_path: Path) -> None:
    project = unpack_release("5.24.0", tmp_path)
    done = modular(
        "check", "--output-format", "json", cwd=project, cache=tmp_path / "cache"
    )
    by_path = statuses(done)
    assert len(by_path) == 689
    assert sorted(by_path) == generated_files(project)
    assert set(by_path.values()) == {"identical"}


def test_links_the_current_folder_and_a_single_worker_do_not_matter(
    tmp_path: Path,
) -> None:
    """The root and the models are reached through symbolic links."""
    root = unpack_release("5.20.2", tmp_path)
    models = every_sixth_model(root)
    number = len(generated_files_of(root, models))
    assert number > 75
    (root / "src").rename(root / "tree")
    (root / "src").symlink_to(root / "tree")
    (tmp_path / "link").symlink_to(root)
    folder = tmp_path / "link" / MODELS
    done = modular(
        "check",
        "--root",
        str(tmp_path / "link"),
        *(str(folder / model) for model in models),
        "--jobs",
        "1",
        cwd=tmp_path,
        cache=tmp_path / "cache",
        seed="1",
    )
    assert f"{number} identical;" in done.stdout, (
        done.stdout[-2000:] + done.stderr[-2000:]
    )
    assert done.returncode == 0


def test_blanks_workers_and_the_output_folder_do_not_matter(tmp_path: Path) -> None:
    """The sources have more blanks, three workers run, and the files are written."""
    project = unpack_release("5.18.0", tmp_path)
    models = every_sixth_model(project)
    expected = generated_files_of(project, models)
    assert len(expected) > 75
    respace(project)
    done = modular(
        "convert",
        *(f"{MODELS}/{model}" for model in models),
        "--output",
        "output",
        "--jobs",
        "3",
        cwd=project,
        cache=tmp_path / "cache",
        seed="2",
    )
    assert done.returncode == 0, done.stderr[-2000:]
    written = sorted((project / "output").rglob("*.py"))
    assert len(written) == len(expected)
    different = [
        path
        for path in written
        if (project / MODELS / path.relative_to(project / "output")).read_bytes()
        != path.read_bytes()
    ]
    assert different == []
