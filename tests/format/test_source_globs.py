"""Patterns of ruff's setting `src` are searched in bounded time."""

from pathlib import Path

import pytest

from modular.format import source_globs
from modular.format.source_globs import SourceGlobs


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for folder in ("packages/a/src", "packages/b/src", "packages/.hidden/src"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "packages/file").touch()
    return tmp_path


@pytest.mark.parametrize(
    ("pattern", "folders"),
    [
        ("packages/*", ("packages/a", "packages/b")),
        ("packages/[b]", ("packages/b",)),
        ("*/?/src", ("packages/a/src", "packages/b/src")),
        ("packages/.*", ("packages/.hidden",)),
        ("packages/*/../a", ("packages/a/../a",)),
        ("missing/*", ()),
        ("missing", ("missing",)),
        ("packages/*\0", ()),
    ],
)
def test_a_pattern_matches_folders(
    root: Path, pattern: str, folders: tuple[str, ...]
) -> None:
    assert SourceGlobs(root).expand([pattern]) == folders


def test_a_folder_with_several_links_to_it_is_found_once(root: Path) -> None:
    for number in range(8):
        (root / f"link{number}").symlink_to(".")
    pattern = "/".join(["*"] * 40) + "/src"
    assert SourceGlobs(root).expand([pattern]) == (
        "/".join(["link0"] * 38) + "/packages/a/src",
        "/".join(["link0"] * 38) + "/packages/b/src",
    )


def test_the_search_ends_after_many_names(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_globs, "MAX_COMPARED_NAMES", 100)
    patterns = ["packages/*"] * 99
    folders = SourceGlobs(root).expand(patterns)
    assert 2 <= len(folders) < 99


def test_the_number_of_matches_is_bounded(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_globs, "MAX_SOURCE_FOLDERS", 1)
    assert SourceGlobs(root).expand(["packages/*"]) == ("packages/a",)
