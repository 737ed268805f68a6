"""Two runs at once do not mix: one waits for the other, but not for ever."""

import subprocess
import threading
import time
from pathlib import Path

import pytest

from modular import Options, Status, check, convert
from modular.project import locking
from modular.project.locking import BusyError, exclusive, is_free
from tests.safety.projects import command, environment, leftovers, make, many_models, run, words


MODELS = 6


@pytest.fixture
def root(tmp_path: Path) -> Path:
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
    monkeypatch.setattr(locking, "PATIENCE", 0.2)
    with exclusive(root):
        report = convert(options=Options(root=root, cache=False))
    assert [(each.code.id, each.place.path) for each in report.diagnostics] == [("MOD108", ".")]
    assert "another run" in report.diagnostics[0].message
    assert words(root, 0) == [""] * 4


def test_a_check_waits_for_nobody(root: Path) -> None:
    with exclusive(root):
        assert check(options=Options(root=root, cache=False)).count(Status.MISSING) == 24
        assert convert(dry_run=True, options=Options(root=root, cache=False)).count(Status.MISSING) == 24


def test_a_killed_run_holds_nothing(root: Path) -> None:
    process = subprocess.Popen(command("convert"), cwd=root, env=environment(root.parent / "cache"))
    while process.poll() is None and is_free(root):
        time.sleep(0.001)
    process.kill()
    process.wait()
    assert run(root, "convert").returncode == 0


def test_the_lock_is_on_the_folder_whatever_it_is_called(tmp_path: Path) -> None:
    folder, link = tmp_path / "folder", tmp_path / "link"
    folder.mkdir()
    link.symlink_to(folder)
    with exclusive(folder), pytest.raises(BusyError, match="another run"), exclusive(link, patience=0):
        pass
    assert is_free(folder)


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
    assert is_free(tmp_path)
