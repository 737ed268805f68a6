"""All files of a model are replaced, or none: whatever the disk refuses, whoever kills a run, and whoever runs meanwhile."""

import errno
import os
import random
import resource
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from modular import Options, Report, Status, check, convert
from modular.run import writing as run_writing
from modular.run.writing import BusyError, exclusive, write_model
from modular.source.system import reading, writing
from tests.safety.projects import PACKAGE, command, environment, leftovers, make, many_models, run, words


MODELS = 6
PATHS = [f"models/m1/{file_type}_m1.py" for file_type in ("configuration", "modeling", "processing", "tokenization")]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project that was converted, and whose modular files have changed since."""
    monkeypatch.setenv("MODULAR_CACHE_DIR", str(tmp_path / "cache"))
    root = make(tmp_path / "project", many_models(MODELS, "old"))
    converted(root)
    return make(root, many_models(MODELS, "new"))


def converted(root: Path) -> Report:
    return convert(options=Options(root=root, cache=False))


def assert_only_the_other_models_were_written(root: Path, report: Report, path: str, reason: str) -> None:
    assert [(diagnostic.code.id, diagnostic.place.path) for diagnostic in report.diagnostics] == [("MOD108", path)]
    assert reason in report.diagnostics[0].message
    assert [file.path for file in report.files if file.status is Status.ERROR] == PATHS
    assert words(root, 0) == ["new"] * 4
    assert leftovers(root) == []


def refuse(monkeypatch: pytest.MonkeyPatch, module: Any, name: str, refused: Callable[..., bool]) -> None:
    """Let a function of the system refuse some of its arguments, as it does for files of somebody else.

    For root, whom tests may run as, nothing is read-only.
    """
    function = getattr(module, name, open)

    def refusing(*arguments: Any, **options: Any) -> Any:
        if refused(*arguments):
            raise PermissionError(errno.EPERM, "Operation not permitted", str(arguments[0]))
        return function(*arguments, **options)

    monkeypatch.setattr(module, name, refusing, raising=False)


@pytest.mark.parametrize("path", PATHS)
def test_a_folder_stands_in_the_way(root: Path, path: str) -> None:
    """Some of the files could be written: none is."""
    (root / path).unlink()
    (root / path / "inside").mkdir(parents=True)
    others = [root / other for other in PATHS if other != path]
    before = [other.read_bytes() for other in others]
    assert_only_the_other_models_were_written(root, converted(root), path, "directory")
    assert [other.read_bytes() for other in others] == before
    assert (root / path / "inside").is_dir()


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("new", [False, True])
def test_a_file_that_must_not_be_replaced(root: Path, path: str, new: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes out only when some files are in place already: they are put back, or taken away."""
    for other in PATHS[: PATHS.index(path)] if new else []:
        (root / other).unlink()
    before = words(root, 1)
    refuse(monkeypatch, os, "replace", lambda source, target: target == root / path)
    assert_only_the_other_models_were_written(root, converted(root), path, "Operation not permitted")
    assert words(root, 1) == before


def test_a_folder_that_is_read_only(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refuse(monkeypatch, writing, "open", lambda path, *_: Path(str(path)).parent == root / "models/m1")
    assert_only_the_other_models_were_written(root, converted(root), PATHS[0], "Operation not permitted")
    assert words(root, 1) == ["old"] * 4


def test_a_generated_file_that_cannot_be_read(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not missing."""
    with monkeypatch.context() as patch:
        refuse(patch, reading.os, "open", lambda path, *_: path == root / PATHS[1])
        report = converted(root)
    assert_only_the_other_models_were_written(root, report, PATHS[1], "cannot be read: Operation not permitted")
    assert words(root, 1) == ["old"] * 4


def test_a_model_folder_is_a_file(tmp_path: Path) -> None:
    files = many_models(2, "old") | {"generated/m1": "not a folder"}
    pyproject = '[tool.modular]\nformatter = "none"\noutput = "generated"\n'
    root = make(tmp_path, files | {"pyproject.toml": pyproject})

    report = converted(root)

    assert [(diagnostic.code.id, diagnostic.place.path) for diagnostic in report.diagnostics] == [
        ("MOD108", "generated/m1/configuration_m1.py")
    ]
    assert len(list((root / "generated/m0").iterdir())) == 4


def test_a_full_disk(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """To a program it looks as if no file could grow beyond some size, here 20 bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)

    def limited(*arguments: object) -> object:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20, before[1]))
        try:
            return write_model(*arguments)  # type: ignore[arg-type]
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)

    monkeypatch.setattr("modular.run.run.write_model", limited)
    report = converted(root)
    paths = [f"models/m{number}/configuration_m{number}.py" for number in range(MODELS)]
    assert [(diagnostic.code.id, diagnostic.place.path) for diagnostic in report.diagnostics] == [
        ("MOD108", path) for path in paths
    ]
    assert "too large" in report.diagnostics[0].message
    assert words(root, 0) == words(root, 1) == ["old"] * 4
    assert leftovers(root) == []


@pytest.mark.parametrize("formatter", ["ruff", "black", "none"])
@pytest.mark.parametrize("bytes_left", [0, 20, 300])
def test_no_room_for_anything(root: Path, formatter: str, bytes_left: int) -> None:
    """Neither for what the formatter works on, nor for the cache. Nothing is lost, and there is no traceback."""
    make(root, many_models(MODELS, "new"), formatter)
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


def make_socket(place: Path) -> None:
    os.mknod(place, stat.S_IFSOCK | 0o600)


@pytest.mark.parametrize("kind", [os.mkfifo, make_socket, os.mkdir])
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


KILLED_BETWEEN_RENAMES = """\
import os

replace = os.replace

def killed_after(staged, target):
    replace(staged, target)
    if str(target).endswith("modeling_m1.py"):
        os.kill(os.getpid(), 9)

os.replace = killed_after
"""
"""Python runs this when it starts."""


def test_a_kill_between_two_files_of_a_model(root: Path, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(KILLED_BETWEEN_RENAMES, encoding="utf-8")
    variables = environment(tmp_path / "cache", PYTHONPATH=f"{tmp_path}{os.pathsep}{PACKAGE}")
    killed = subprocess.run(command("convert", "--jobs", "1"), cwd=root, env=variables, timeout=60)
    assert killed.returncode == -signal.SIGKILL
    assert words(root, 1) == ["new", "new", "old", "old"]
    assert leftovers(root) != []

    report = check(["m0", "m1"], options=Options(root=root, cache=False))
    assert [file.path for file in report.files if file.status is Status.STALE] == [
        "models/m1/processing_m1.py",
        "models/m1/tokenization_m1.py",
    ]

    assert run(root, "convert", "--jobs", "1").returncode == 0
    assert [words(root, model) for model in range(MODELS)] == [["new"] * 4] * MODELS
    assert leftovers(root) == []


def heed_signals() -> None:
    """What runs in the background, or with `nohup`, is started with some of them ignored, and so would be its children."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("formatter", ["none", "ruff"])
def test_an_interrupted_run_leaves_nothing(root: Path, tmp_path: Path, number: int, formatter: str) -> None:
    """Neither in the project nor in the temporary folder, whenever it comes; each model is all old or all new."""
    moments = random.Random(int(number))
    interrupted = 0
    for attempt in range(6):
        copy, temporary = tmp_path / str(attempt), tmp_path / f"{attempt}-temporary"
        shutil.copytree(root, copy)
        temporary.mkdir()
        make(copy, many_models(MODELS, "new"), formatter)
        process = subprocess.Popen(
            command("convert", "--jobs", "2", "--no-cache"),
            cwd=copy,
            env=environment(tmp_path / "cache", TMPDIR=str(temporary)),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            preexec_fn=heed_signals,
        )
        time.sleep(moments.uniform(0.2, 1.2))
        os.killpg(process.pid, number)
        process.communicate(timeout=60)
        interrupted += process.returncode != 0
        assert list(temporary.iterdir()) == []
        assert leftovers(copy) == []
        models = [words(copy, model) for model in range(MODELS)]
        assert all(model in (["old"] * 4, ["new"] * 4) for model in models)
    assert interrupted > 0, "all runs were over before they were interrupted"


def test_runs_at_once_all_succeed(root: Path) -> None:
    processes = [
        subprocess.Popen(command("convert"), cwd=root, env=environment(root.parent / "cache"), stdout=subprocess.PIPE)
        for _ in range(4)
    ]
    printed = [process.communicate(timeout=60)[0].decode() for process in processes]
    assert [process.returncode for process in processes] == [0] * 4
    assert sorted(text.partition(";")[0] for text in printed) == ["24 unchanged"] * 3 + ["24 written"]
    assert [words(root, number) for number in range(MODELS)] == [["new"] * 4] * MODELS
    assert leftovers(root) == []


def test_a_run_waits_and_then_sees_what_the_other_wrote(root: Path) -> None:
    make(root, many_models(MODELS, "newer"))
    with exclusive(root):
        process = subprocess.Popen(command("convert"), cwd=root, env=environment(root.parent / "cache"))
        time.sleep(1)
        assert process.poll() is None
        assert words(root, 0) == ["old"] * 4
        make(root, many_models(MODELS, "new"))
    process.communicate(timeout=60)
    assert words(root, 0) == ["new"] * 4


def test_a_run_does_not_wait_for_ever(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_writing, "PATIENCE", 0.2)
    with exclusive(root):
        report = converted(root)
    assert [(diagnostic.code.id, diagnostic.place.path) for diagnostic in report.diagnostics] == [("MOD108", ".")]
    assert "another run" in report.diagnostics[0].message
    assert words(root, 0) == ["old"] * 4


def test_a_check_waits_for_nobody(root: Path) -> None:
    with exclusive(root):
        assert check(options=Options(root=root, cache=False)).count(Status.STALE) == 24
        assert convert(dry_run=True, options=Options(root=root, cache=False)).count(Status.STALE) == 24


def test_a_killed_run_holds_nothing(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The system gives the lock of a process back when that ends."""
    monkeypatch.setattr(run_writing, "PATIENCE", 0.0)
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
    monkeypatch.setattr(run_writing, "PATIENCE", 0.0)
    folder, link = tmp_path / "folder", tmp_path / "link"
    folder.mkdir()
    link.symlink_to(folder)
    with exclusive(folder), pytest.raises(BusyError, match="another run"), exclusive(link):
        pass
    with exclusive(link):
        pass


def test_without_a_folder_for_the_lock_nobody_waits(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root.parent / "file").write_text("in the way", encoding="utf-8")
    monkeypatch.setenv("MODULAR_CACHE_DIR", str(root.parent / "file/cache"))
    assert convert(options=Options(root=root)).count(Status.WRITTEN) == 24
