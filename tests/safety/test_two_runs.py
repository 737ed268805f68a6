"""Two runs at once do not mix: one waits for the other, but not for ever."""

import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from modular import Options, Status, check, convert
from modular.run import writing
from modular.run.writing import BusyError, exclusive
from tests.safety.projects import command, environment, leftovers, make, many_models, words


MODELS = 6


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MODULAR_CACHE_DIR", str(tmp_path / "cache"))
    return make(tmp_path / "project", many_models(MODELS, "old"))


def test_runs_at_once_all_succeed(root: Path) -> None:
    processes = [
        subprocess.Popen(command("convert"), cwd=root, env=environment(root.parent / "cache"), stdout=subprocess.PIPE)
        for _ in range(4)
    ]
    printed = [process.communicate(timeout=60)[0].decode() for process in processes]
    assert [process.returncode for process in processes] == [0] * 4
    assert sorted(text.partition(";")[0] for text in printed) == ["24 unchanged"] * 3 + ["24 written"]
    assert [words(root, number) for number in range(MODELS)] == [["old"] * 4] * MODELS
    assert leftovers(root) == []


def test_a_run_waits_and_then_sees_what_the_other_wrote(root: Path) -> None:
    with exclusive(root):
        process = subprocess.Popen(
            command("convert"), cwd=root, env=environment(root.parent / "cache"), stdout=subprocess.PIPE
        )
        time.sleep(1)
        assert process.poll() is None
        assert words(root, 0) == [""] * 4
        make(root, many_models(MODELS, "new"))
    process.communicate(timeout=60)
    assert words(root, 0) == ["new"] * 4


def test_a_run_does_not_wait_for_ever(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "PATIENCE", 0.2)
    with exclusive(root):
        report = convert(options=Options(root=root, cache=False))
    assert [(diagnostic.code.id, diagnostic.place.path) for diagnostic in report.diagnostics] == [("MOD108", ".")]
    assert "another run" in report.diagnostics[0].message
    assert words(root, 0) == [""] * 4


def test_a_check_waits_for_nobody(root: Path) -> None:
    with exclusive(root):
        assert check(options=Options(root=root, cache=False)).count(Status.MISSING) == 24
        assert convert(dry_run=True, options=Options(root=root, cache=False)).count(Status.MISSING) == 24


def test_a_killed_run_holds_nothing(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The system gives the lock of a process back when that ends."""
    monkeypatch.setattr(writing, "PATIENCE", 0.0)
    holding = "import sys, pathlib\nfrom modular.run.writing import exclusive\n"
    holding += "with exclusive(pathlib.Path(sys.argv[1])):\n    print('held', flush=True)\n    sys.stdin.read()\n"
    process = subprocess.Popen(
        [sys.executable, "-c", holding, str(root)],
        env=environment(root.parent / "cache"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None and process.stdout.readline() == b"held\n"
    with pytest.raises(BusyError), exclusive(root):
        pass
    process.kill()
    process.communicate()
    with exclusive(root):
        pass


def test_the_lock_is_on_the_folder_whatever_it_is_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "PATIENCE", 0.0)
    folder, link = tmp_path / "folder", tmp_path / "link"
    folder.mkdir()
    link.symlink_to(folder)
    with exclusive(folder), pytest.raises(BusyError, match="another run"), exclusive(link):
        pass
    with exclusive(link):
        pass


def test_the_lock_goes_from_thread_to_thread(tmp_path: Path) -> None:
    inside: list[int] = []

    def enter() -> None:
        with exclusive(tmp_path):
            inside.append(1)
            assert len(inside) == 1
            time.sleep(0.05)
            inside.pop()

    threads = [threading.Thread(target=enter) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert inside == []


def test_without_a_folder_for_the_lock_nobody_waits(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root.parent / "file").write_text("in the way", encoding="utf-8")
    monkeypatch.setenv("MODULAR_CACHE_DIR", str(root.parent / "file/cache"))
    assert convert(options=Options(root=root)).count(Status.WRITTEN) == 24
