"""Files are written all at once, below the root, and never through a link."""

import errno
import os
import resource
from collections.abc import Callable
from pathlib import Path

import pytest

from modular.system import writing
from modular.system.writing import (
    ChangedFileError,
    ForeignFileError,
    NewFile,
    NotRestoredError,
    Ours,
    OutsideRootError,
    write_file,
    write_files,
)


def generated(data: bytes) -> NewFile:
    """Return a new content for a file that may be replaced, whatever it contains."""
    return NewFile(data, Ours(lambda old: True), replaces_link=True)


def test_a_file_and_its_folders_are_made(tmp_path: Path) -> None:
    write_file(tmp_path / "a/b/file.txt", generated(b"new\n"), tmp_path)
    assert (tmp_path / "a/b/file.txt").read_bytes() == b"new\n"
    assert os.listdir(tmp_path / "a/b") == ["file.txt"]


def test_a_file_keeps_its_mode(tmp_path: Path) -> None:
    (tmp_path / "script").write_bytes(b"old")
    (tmp_path / "script").chmod(0o751)
    write_file(tmp_path / "script", generated(b"new"), tmp_path)
    assert (tmp_path / "script").stat().st_mode & 0o777 == 0o751


def test_a_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "kept").write_bytes(b"kept")
    (tmp_path / "file").symlink_to("kept")
    write_file(tmp_path / "file", generated(b"new"), tmp_path)
    assert not (tmp_path / "file").is_symlink()
    assert (tmp_path / "kept").read_bytes() == b"kept"


def test_the_staged_file_is_created_exclusively(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even if somebody could foresee its name, and had put a link there."""
    staged = tmp_path / ".foreseen.modular-tmp"
    monkeypatch.setattr(writing, "staged_path", lambda target: staged)
    (tmp_path / "kept").write_bytes(b"kept")
    staged.symlink_to("kept")
    with pytest.raises(FileExistsError) as error:
        write_file(tmp_path / "file", generated(b"new"), tmp_path)
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
        write_file(root / folder / "file", generated(b"new"), root)
    assert list(outside.iterdir()) == []


def test_a_root_that_is_reached_through_a_link(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (tmp_path / "way").symlink_to(root)
    (root / "link").symlink_to(outside)
    write_file(tmp_path / "way/file", generated(b"new"), root)
    assert (root / "file").read_bytes() == b"new"
    with pytest.raises(OutsideRootError):
        write_file(tmp_path / "way/link/file", generated(b"new"), root)


def test_a_place_outside_the_root_is_somebodys_own_choice(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    write_file(tmp_path / "build/file", generated(b"new"), tmp_path / "root")
    assert (tmp_path / "build/file").read_bytes() == b"new"


def test_files_that_belong_together_are_all_as_before(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")
    (tmp_path / "c").mkdir()
    with pytest.raises(IsADirectoryError) as error:
        write_files({tmp_path / name: generated(b"new") for name in "abc"}, tmp_path)
    assert error.value.filename == str(tmp_path / "c")
    assert (tmp_path / "a").read_bytes() == b"old"
    assert sorted(os.listdir(tmp_path)) == ["a", "c"]


def test_a_full_disk_leaves_nothing(tmp_path: Path) -> None:
    """To a program, a limit on the size of files looks like a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20, before[1]))
    try:
        with pytest.raises(OSError, match="too large"):
            write_file(tmp_path / "file", generated(b"x" * 21), tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert os.listdir(tmp_path) == []


def test_a_file_that_is_as_it_was_read_is_replaced(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"old")
    write_file(file, NewFile(b"new", expected=b"old"), tmp_path)
    assert file.read_bytes() == b"new"


@pytest.mark.parametrize("read", [b"older", b"o", b"OLD", None])
def test_nothing_is_written_if_one_file_differs_from_what_was_read(
    tmp_path: Path, read: bytes | None
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_bytes(b"old")
    second.write_bytes(b"old")
    with pytest.raises(ChangedFileError) as error:
        write_files(
            {
                first: NewFile(b"new", expected=b"old"),
                second: NewFile(b"new", expected=read),
            },
            tmp_path,
        )
    assert error.value.filename == str(second)
    assert (first.read_bytes(), second.read_bytes()) == (b"old", b"old")
    assert sorted(os.listdir(tmp_path)) == ["first", "second"]


def test_a_file_that_was_deleted_after_it_was_read_is_not_created_again(
    tmp_path: Path,
) -> None:
    with pytest.raises(ChangedFileError):
        write_file(tmp_path / "a", NewFile(b"new", expected=b""), tmp_path)
    assert os.listdir(tmp_path) == []


@pytest.fixture(params=["swap", "link"])
def replacing(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Replace files as on Linux, and as on a system that cannot swap two files."""
    if request.param == "link":

        def refuse(first: Path, second: Path) -> None:
            raise OSError(errno.ENOSYS, "no swap here")

        monkeypatch.setattr(writing, "_exchange", refuse)
    return str(request.param)


def call_before_replacing(
    monkeypatch: pytest.MonkeyPatch, function: Callable[[Path], None]
) -> None:
    """Call a function with the path of each file that is about to be replaced."""
    exchange, replace = writing._exchange, os.replace

    def call_and_exchange(first: Path, second: Path) -> None:
        function(second)
        exchange(first, second)

    def call_and_replace(source: Path, target: Path) -> None:
        function(target)
        replace(source, target)

    # Only the last step of each way is patched.
    if writing._exchange.__name__ == "refuse":
        monkeypatch.setattr(os, "replace", call_and_replace)
    else:
        monkeypatch.setattr(writing, "_exchange", call_and_exchange)


@pytest.mark.usefixtures("replacing")
def test_a_save_between_two_replacements_undoes_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_bytes(b"old")
    second.write_bytes(b"old")

    def save_second(target: Path) -> None:
        if target == first and first.read_bytes() == b"old":
            second.write_bytes(b"saved")

    call_before_replacing(monkeypatch, save_second)
    with pytest.raises(ChangedFileError):
        write_files(
            {
                first: NewFile(b"new", expected=b"old"),
                second: NewFile(b"new", expected=b"old"),
            },
            tmp_path,
        )
    assert (first.read_bytes(), second.read_bytes()) == (b"old", b"saved")
    assert sorted(os.listdir(tmp_path)) == ["first", "second"]


@pytest.mark.usefixtures("replacing")
def test_a_save_in_the_moment_of_the_replacement_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"old")

    def save(target: Path) -> None:
        if file.read_bytes() == b"old":
            file.write_bytes(b"saved")

    call_before_replacing(monkeypatch, save)
    with pytest.raises(ChangedFileError):
        write_file(file, NewFile(b"new", expected=b"old"), tmp_path)
    assert file.read_bytes() == b"saved"
    assert os.listdir(tmp_path) == ["file"]


def test_a_save_by_renaming_in_the_moment_of_the_replacement_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many editors save a new file and rename it."""
    file = tmp_path / "file"
    file.write_bytes(b"old")

    def save(target: Path) -> None:
        (tmp_path / "saved").write_bytes(b"saved")
        (tmp_path / "saved").rename(file)

    call_before_replacing(monkeypatch, save)
    with pytest.raises(ChangedFileError):
        write_file(file, NewFile(b"new", expected=b"old"), tmp_path)
    assert file.read_bytes() == b"saved"
    assert os.listdir(tmp_path) == ["file"]


def test_a_file_that_is_created_in_the_moment_of_writing_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = os.link

    def create_and_link(source: Path, target: Path) -> None:
        target.write_bytes(b"saved")
        link(source, target)

    monkeypatch.setattr(os, "link", create_and_link)
    with pytest.raises(ChangedFileError):
        write_file(tmp_path / "file", NewFile(b"new", expected=None), tmp_path)
    assert (tmp_path / "file").read_bytes() == b"saved"
    assert os.listdir(tmp_path) == ["file"]


def test_a_file_that_the_caller_does_not_recognize_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"precious")
    new = NewFile(b"new", Ours(lambda old: old.startswith(b"# made by us")))
    with pytest.raises(ForeignFileError):
        write_file(file, new, tmp_path)
    assert file.read_bytes() == b"precious"
    file.write_bytes(b"# made by us\n")
    write_file(file, new, tmp_path)
    assert file.read_bytes() == b"new"


def test_a_handwritten_file_with_a_second_name_is_not_separated_from_it(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").write_bytes(b"old")
    (tmp_path / "second").hardlink_to(tmp_path / "file")
    with pytest.raises(OSError, match="second name"):
        write_file(tmp_path / "file", NewFile(b"new", expected=b"old"), tmp_path)
    assert (tmp_path / "second").samefile(tmp_path / "file")
    assert (tmp_path / "file").read_bytes() == b"old"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can change the owner")
def test_root_keeps_the_owner_the_group_and_setgid(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"old")
    os.chown(file, 1234, 1235)
    file.chmod(0o2755)
    write_file(file, NewFile(b"new", expected=b"old"), tmp_path)
    state = file.stat()
    assert (state.st_uid, state.st_gid) == (1234, 1235)
    assert state.st_mode & 0o7777 == 0o2755


def test_an_expected_file_that_is_a_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared/file").write_bytes(b"old")
    (tmp_path / "link").symlink_to("shared/file")
    link = tmp_path / "link"
    write_file(link, NewFile(b"new", expected=b"old"), tmp_path)
    assert os.readlink(link) == "shared/file"
    assert (tmp_path / "shared/file").read_bytes() == b"new"
    assert os.listdir(tmp_path / "shared") == ["file"]


def test_an_expected_file_that_is_a_link_out_of_the_root_is_refused(
    tmp_path: Path,
) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "outside").write_bytes(b"old")
    (root / "link").symlink_to("../outside")
    with pytest.raises(OutsideRootError):
        write_file(root / "link", NewFile(b"new", expected=b"old"), root)
    assert (tmp_path / "outside").read_bytes() == b"old"


def test_a_failed_write_restores_links_and_modes(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("elsewhere")
    (tmp_path / "b").write_bytes(b"old")
    (tmp_path / "b").chmod(0o751)
    (tmp_path / "c").mkdir()
    with pytest.raises(IsADirectoryError):
        write_files({tmp_path / name: generated(b"new") for name in "abc"}, tmp_path)
    assert os.readlink(tmp_path / "a") == "elsewhere"
    assert (tmp_path / "b").read_bytes() == b"old"
    assert (tmp_path / "b").stat().st_mode & 0o777 == 0o751


def test_files_are_restored_where_links_are_not_supported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: object, **kwargs: object) -> None:
        raise OSError(errno.EOPNOTSUPP, "no hard links here")

    monkeypatch.setattr(os, "link", refuse)
    (tmp_path / "a").write_bytes(b"old")
    (tmp_path / "c").mkdir()
    with pytest.raises(IsADirectoryError):
        write_files({tmp_path / name: generated(b"new") for name in "abc"}, tmp_path)
    assert (tmp_path / "a").read_bytes() == b"old"
    assert sorted(os.listdir(tmp_path)) == ["a", "c"]


def test_files_that_cannot_be_restored_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The third replacement fails, and so does every restoring after it."""
    for name in "abc":
        (tmp_path / name).write_bytes(b"old")
    exchange = writing._exchange

    def exchange_two(first: Path, second: Path) -> None:
        if second.name == "c":
            raise OSError(errno.EIO, "I/O error", str(second))
        exchange(first, second)

    def fail(source: Path, target: Path) -> None:
        raise OSError(errno.EIO, "I/O error", str(target))

    monkeypatch.setattr(writing, "_exchange", exchange_two)
    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(NotRestoredError) as error:
        write_files(
            {tmp_path / name: generated(name.encode()) for name in "abc"}, tmp_path
        )
    backups = error.value.changed
    assert list(backups) == [tmp_path / "a", tmp_path / "b"]
    assert [backup and backup.read_bytes() for backup in backups.values()] == [
        b"old",
        b"old",
    ]
    assert error.value.filename == str(tmp_path / "c")
    assert error.value.strerror == "I/O error"
