"""Staged files of a killed process do not survive the next run of any command."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from modular.cli.main import main
from modular.system.leftovers import delete_leftovers, staged_path


WRITING = """\
import signal, sys
from pathlib import Path
from modular.system.writing import EXCHANGE_EVENT, NewFile, Ours, write_files

folder = Path(sys.argv[1])
replaced = []

def stop(event, arguments):
    if event in ("os.link", EXCHANGE_EVENT):
        if len(replaced) == 2:
            print("ready", flush=True)
            signal.raise_signal(getattr(signal, sys.argv[2]))
        replaced.append(event)

sys.addaudithook(stop)
new = NewFile(b"new", Ours(lambda old: True))
write_files({folder / name: new for name in ("a", "tests/b", "deep/er/c", "d")}, folder)
"""
"""Writes four files, and raises a signal when it has replaced two of them."""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("MODULAR_CACHE_DIR", str(folder))
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "a").write_bytes(b"old")
    return folder


def start(folder: Path, number: str) -> subprocess.Popen[str]:
    """Start to write files, and return when the signal is raised."""
    command = [sys.executable, "-c", WRITING, str(folder), number]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def staged(folder: Path) -> list[str]:
    paths = folder.rglob("*.modular-tmp")
    return sorted(str(path.parent.relative_to(folder)) for path in paths)


@pytest.fixture
def stopped(project: Path) -> Iterator[subprocess.Popen[str]]:
    process = start(project, "SIGSTOP")
    os.waitpid(process.pid, os.WUNTRACED)
    yield process
    process.kill()
    process.wait()


@pytest.mark.parametrize("command", [["rule", "MOD101"], ["clean"]])
def test_any_command_deletes_the_staged_files_of_a_killed_process(
    project: Path, cache: Path, command: list[str]
) -> None:
    start(project, "SIGKILL").communicate()
    assert staged(project) == [".", ".", "deep/er"]  # one is the backup of `a`
    assert CliRunner().invoke(main, command).exit_code == 0
    assert staged(project) == []
    assert list((cache / "staged").iterdir()) == []
    assert (project / "a").read_bytes() == b"new"


def test_the_staged_files_of_a_live_process_stay(
    project: Path, stopped: subprocess.Popen[str]
) -> None:
    before = staged(project)
    delete_leftovers()
    assert staged(project) == before
    os.kill(stopped.pid, signal.SIGCONT)
    stopped.communicate()
    assert stopped.returncode == 0
    assert staged(project) == []
    assert (project / "d").read_bytes() == b"new"


def test_a_process_that_ends_leaves_no_record(project: Path, cache: Path) -> None:
    command = [sys.executable, "-c", WRITING, str(project), "SIGCONT"]
    subprocess.run(command, check=True, capture_output=True)
    assert list((cache / "staged").iterdir()) == []
    assert staged(project) == []


def test_only_staged_files_are_deleted(project: Path, cache: Path) -> None:
    """Somebody else can write a record, too; it names folders, and no files."""
    start(project, "SIGKILL").communicate()
    (record,) = (cache / "staged").glob("*.jsonl")
    other = project / f".{record.stem}.py"
    other.write_text("mine", encoding="utf-8")
    link = project / f".{record.stem}-link.modular-tmp"
    link.symlink_to("a")
    with open(record, "a", encoding="utf-8") as file:
        file.write('[1]\n{}\n"relative"\n"/\\u0000"\n[[[[\n"incomp')
    delete_leftovers()
    assert staged(project) == []
    assert other.read_text(encoding="utf-8") == "mine"
    assert (project / "a").read_bytes() == b"new"


def test_files_are_staged_without_a_folder_for_records(
    project: Path, cache: Path
) -> None:
    cache.write_text("in the way", encoding="utf-8")
    environment = {**os.environ, "MODULAR_CACHE_DIR": str(cache)}
    command = [sys.executable, "-c", WRITING, str(project), "SIGCONT"]
    subprocess.run(command, check=True, capture_output=True, env=environment)
    assert (project / "d").read_bytes() == b"new"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_a_forked_process_has_its_own_record(project: Path, cache: Path) -> None:
    first = staged_path(project / "a")
    first.write_bytes(b"parent")
    child = os.fork()
    if child == 0:
        staged_path(project / "a").write_bytes(b"child")
        os._exit(0)
    os.waitpid(child, 0)
    assert len(staged(project)) == 2
    delete_leftovers()
    assert [path.read_bytes() for path in project.glob("*.modular-tmp")] == [b"parent"]
    first.unlink()
