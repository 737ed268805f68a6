"""Where a file cannot be written, that is an error, and all files of the model stay as they were."""

import errno
import os
import resource
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import IO

import pytest

from modular import Options, Report, Status, convert
from modular.run.writing import write_model
from modular.source.system import reading, writing
from tests.safety.projects import command, environment, leftovers, make, many_models, run, words


PATHS = [f"models/m1/{file_type}_m1.py" for file_type in ("configuration", "modeling", "processing", "tokenization")]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Two models that were converted, and whose modular files have changed since."""
    root = make(tmp_path / "project", many_models(2, "old"))
    convert(options=Options(root=root, cache=False))
    make(root, many_models(2, "new"))
    return root


def converted(root: Path) -> Report:
    return convert(options=Options(root=root, cache=False))


def assert_only_the_other_model_was_written(root: Path, report: Report, path: str, reason: str) -> None:
    assert [(diagnostic.code.id, diagnostic.place.path) for diagnostic in report.diagnostics] == [("MOD108", path)]
    assert reason in report.diagnostics[0].message
    assert [file.path for file in report.files if file.status is Status.ERROR] == PATHS
    assert words(root, 0) == ["new"] * 4
    assert leftovers(root) == []


@pytest.mark.parametrize("path", PATHS)
def test_a_folder_stands_in_the_way(root: Path, path: str) -> None:
    """Some of the files could be written: none is."""
    (root / path).unlink()
    (root / path / "inside").mkdir(parents=True)
    others = [root / other for other in PATHS if other != path]
    before = [other.read_bytes() for other in others]

    report = converted(root)

    assert_only_the_other_model_was_written(root, report, path, "directory")
    assert [other.read_bytes() for other in others] == before
    assert (root / path / "inside").is_dir()


@pytest.mark.parametrize("path", PATHS)
def test_a_file_that_must_not_be_replaced(root: Path, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes out only when some files are in place already: they are put back."""
    replace = os.replace

    def refusing(source: str | Path, target: str | Path) -> None:
        if target == root / path:
            raise PermissionError(errno.EPERM, "Operation not permitted", str(source))
        replace(source, target)

    monkeypatch.setattr(os, "replace", refusing)
    report = converted(root)

    assert_only_the_other_model_was_written(root, report, path, "Operation not permitted")
    assert words(root, 1) == ["old"] * 4


def test_new_files_are_taken_back(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in PATHS[:3]:
        (root / path).unlink()
    replace = os.replace

    def refusing(source: str | Path, target: str | Path) -> None:
        if target == root / PATHS[3]:
            raise PermissionError(errno.EPERM, "Operation not permitted", str(source))
        replace(source, target)

    monkeypatch.setattr(os, "replace", refusing)
    report = converted(root)

    assert_only_the_other_model_was_written(root, report, PATHS[3], "Operation not permitted")
    assert sorted(path.name for path in (root / "models/m1").iterdir()) == ["modular_m1.py", "tokenization_m1.py"]


def test_a_model_folder_is_a_file(tmp_path: Path) -> None:
    files = many_models(2, "old") | {"generated/m1": "not a folder"}
    pyproject = '[tool.modular]\nformatter = "none"\noutput = "generated"\n'
    root = make(tmp_path, files | {"pyproject.toml": pyproject})

    report = converted(root)

    assert [(diagnostic.code.id, diagnostic.place.path) for diagnostic in report.diagnostics] == [
        ("MOD108", "generated/m1/configuration_m1.py")
    ]
    assert len(list((root / "generated/m0").iterdir())) == 4


def limit_file_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no file grow beyond 20 bytes while models are written: to a program that is how a full disk looks."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)

    def limited(*arguments: object) -> object:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20, before[1]))
        try:
            return write_model(*arguments)  # type: ignore[arg-type]
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)

    monkeypatch.setattr("modular.run.run.write_model", limited)


def test_a_full_disk(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limit_file_size(monkeypatch)
    report = converted(root)
    assert [(diagnostic.code.id, diagnostic.place.path) for diagnostic in report.diagnostics] == [
        ("MOD108", "models/m0/configuration_m0.py"),
        ("MOD108", "models/m1/configuration_m1.py"),
    ]
    assert "too large" in report.diagnostics[0].message
    assert words(root, 0) == words(root, 1) == ["old"] * 4
    assert leftovers(root) == []


@pytest.mark.parametrize("formatter", ["ruff", "black", "none"])
@pytest.mark.parametrize("bytes_left", [0, 20, 300])
def test_no_room_for_anything(root: Path, formatter: str, bytes_left: int) -> None:
    """Neither for what the formatter works on, nor for the cache. Nothing is lost, and there is no traceback."""
    make(root, many_models(2, "new"), formatter)
    done = subprocess.run(
        command("convert"),
        cwd=root,
        env=environment(root.parent / "cache"),
        capture_output=True,
        encoding="utf-8",
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_left, bytes_left)),
    )
    assert done.returncode in (1, 2), done
    assert "too large" in done.stderr or "temporary" in done.stderr
    assert "Traceback" not in done.stderr
    assert words(root, 0) == words(root, 1) == ["old"] * 4
    assert leftovers(root) == []


def test_a_read_only_folder(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """To whoever may not write there, opening a new file says so; for root nothing is read-only."""

    def refusing(path: Path | int, *arguments: str, **options: str) -> IO[str]:
        if isinstance(path, Path) and path.parent == root / "models/m1":
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return open(path, *arguments, **options)  # type: ignore[call-overload,no-any-return]

    monkeypatch.setattr(writing, "open", refusing, raising=False)
    report = converted(root)

    assert_only_the_other_model_was_written(root, report, PATHS[0], "Permission denied")
    assert words(root, 1) == ["old"] * 4


def make_pipe(place: Path) -> None:
    os.mkfifo(place)


def make_socket(place: Path) -> None:
    os.mknod(place, stat.S_IFSOCK | 0o600)


def make_folder(place: Path) -> None:
    place.mkdir()


@pytest.mark.parametrize("kind", [make_pipe, make_socket, make_folder])
@pytest.mark.parametrize("arguments", [["check"], ["check", "--fix"], ["convert"], ["convert", "--diff"]])
def test_what_is_no_file(root: Path, kind: Callable[[Path], None], arguments: list[str]) -> None:
    """It is not waited for, and it stays: nobody has said that it may go."""
    (root / PATHS[1]).unlink()
    kind(root / PATHS[1])
    before = os.lstat(root / PATHS[1])
    done = run(root, *arguments, "--no-cache")
    assert "error[MOD108]: cannot be written: the path is" in done.stderr, done
    assert done.returncode == 1
    assert os.lstat(root / PATHS[1]) == before
    assert 'word = "old"\n' in (root / PATHS[0]).read_text(encoding="utf-8")


def test_a_generated_file_that_cannot_be_read(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not missing. (For root there is no such file, so opening one says so.)"""
    opened = os.open

    def refusing(path: str | Path, *arguments: int) -> int:
        if path == root / PATHS[1]:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return opened(path, *arguments)

    monkeypatch.setattr(reading.os, "open", refusing)
    report = converted(root)
    monkeypatch.undo()
    assert_only_the_other_model_was_written(root, report, PATHS[1], "cannot be read: Permission denied")
    assert words(root, 1) == ["old"] * 4
