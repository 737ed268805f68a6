"""Files are written all at once, below the root, and never through a link."""

import os
import resource
from pathlib import Path

import pytest

from modular.system.writing import OutsideRootError, write_file, write_files


def test_a_file_and_its_folders_are_made(tmp_path: Path) -> None:
    write_file(tmp_path / "a/b/file.txt", b"new\n", tmp_path)
    assert (tmp_path / "a/b/file.txt").read_bytes() == b"new\n"
    assert os.listdir(tmp_path / "a/b") == ["file.txt"]


def test_a_file_keeps_its_mode(tmp_path: Path) -> None:
    (tmp_path / "script").write_bytes(b"old")
    (tmp_path / "script").chmod(0o751)
    write_file(tmp_path / "script", b"new", tmp_path)
    assert (tmp_path / "script").stat().st_mode & 0o777 == 0o751


def test_a_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "kept").write_bytes(b"kept")
    (tmp_path / "file").symlink_to("kept")
    write_file(tmp_path / "file", b"new", tmp_path)
    assert not (tmp_path / "file").is_symlink()
    assert (tmp_path / "kept").read_bytes() == b"kept"


def test_the_staged_file_is_created_exclusively(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even if somebody could foresee its name, and had put a link there."""
    monkeypatch.setattr(os, "urandom", bytes)
    (tmp_path / "kept").write_bytes(b"kept")
    (tmp_path / ".0000000000000000.modular-tmp").symlink_to("kept")
    with pytest.raises(FileExistsError) as error:
        write_file(tmp_path / "file", b"new", tmp_path)
    assert error.value.filename == str(tmp_path / "file")
    assert (tmp_path / "kept").read_bytes() == b"kept"


@pytest.mark.parametrize("folder", ["link", "link/made", "inside/link"])
def test_a_folder_that_leads_out_of_the_root(tmp_path: Path, folder: str) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    (root / "inside").mkdir(parents=True)
    outside.mkdir()
    (root / "link").symlink_to(outside)
    (root / "inside/link").symlink_to(outside)
    with pytest.raises(OutsideRootError):
        write_file(root / folder / "file", b"new", root)
    assert list(outside.iterdir()) == []


def test_a_root_that_is_reached_through_a_link(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (tmp_path / "way").symlink_to(root)
    (root / "link").symlink_to(outside)
    write_file(tmp_path / "way/file", b"new", root)
    assert (root / "file").read_bytes() == b"new"
    with pytest.raises(OutsideRootError):
        write_file(tmp_path / "way/link/file", b"new", root)


def test_a_place_outside_the_root_is_somebodys_own_choice(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    write_file(tmp_path / "build/file", b"new", tmp_path / "root")
    assert (tmp_path / "build/file").read_bytes() == b"new"


def test_files_that_belong_together_are_all_as_before(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")
    (tmp_path / "c").mkdir()
    with pytest.raises(IsADirectoryError) as error:
        write_files({tmp_path / name: b"new" for name in "abc"}, tmp_path)
    assert error.value.filename == str(tmp_path / "c")
    assert (tmp_path / "a").read_bytes() == b"old"
    assert sorted(os.listdir(tmp_path)) == ["a", "c"]


def test_a_full_disk_leaves_nothing(tmp_path: Path) -> None:
    """To a program, a limit on the size of files looks like a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20, before[1]))
    try:
        with pytest.raises(OSError, match="too large"):
            write_file(tmp_path / "file", b"x" * 21, tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert os.listdir(tmp_path) == []
