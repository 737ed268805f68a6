"""All files of a model are replaced, or none: whatever the disk refuses, whoever kills a run, and whoever runs meanwhile."""

import errno
import os
import resource
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from modular import Options, Status, convert
from modular.run import writing as run_writing
from modular.run.writing import BusyError, exclusive
from modular.system import writing
from tests.safety.projects import (
    PACKAGE,
    checked,
    converted,
    ended,
    errors,
    make,
    many_models,
    run,
    start,
)


MODELS = 6
PATHS = [
    f"models/m1/{file_type}_m1.py"
    for file_type in ("configuration", "modeling", "processing", "tokenization")
]
OLD, NEW = ["old"] * 4, ["new"] * 4


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A project that was converted, and whose modular files have changed since. Nothing is left beside its files."""
    monkeypatch.setenv("MODULAR_CACHE_DIR", str(tmp_path / "cache"))
    root = make(tmp_path / "project", many_models(MODELS, "old"))
    converted(root)
    yield make(root, many_models(MODELS, "new"))
    assert leftovers(root) == []


def words(root: Path) -> list[list[str]]:
    """Return which word is in each file of each model: nothing if there is no file, all but the end of half a file."""
    return [
        [_word(root / path.replace("m1", f"m{number}")) for path in PATHS]
        for number in range(MODELS)
    ]


def _word(path: Path) -> str:
    return (
        path.read_text(encoding="utf-8").rpartition(' = "')[2].removesuffix('"\n')
        if path.exists()
        else ""
    )


def leftovers(root: Path) -> list[Path]:
    """Return what a run has put beside its files."""
    return [*root.rglob(".*")]


def refuse(monkeypatch: pytest.MonkeyPatch, module: Any, name: str, part: str) -> None:
    """Let a function of the system refuse paths with this part. For root, whom tests may run as, nothing is read-only."""
    function = getattr(module, name, open)

    def refusing(*arguments: Any, **options: Any) -> Any:
        if any(part in str(argument) for argument in arguments):
            raise PermissionError(errno.EACCES, "Permission denied", str(arguments[0]))
        return function(*arguments, **options)

    monkeypatch.setattr(module, name, refusing, raising=False)


@pytest.mark.parametrize("new", [False, True])
@pytest.mark.parametrize(
    ("module", "name", "part", "path", "message"),
    [
        *((writing, "_exchange", path, path, "cannot be written") for path in PATHS),
        (writing, "open", "models/m1/.", PATHS[0], "cannot be written"),
        (os, "open", PATHS[1], PATHS[1], "the file cannot be read"),
    ],
)
def test_what_the_system_refuses(
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    module: Any,
    name: str,
    part: str,
    path: str,
    message: str,
    new: bool,
) -> None:
    """Files that are in place already are put back, or taken away; a file that cannot be read is not missing."""
    for other in PATHS[: PATHS.index(path)] if new else []:
        (root / other).unlink()
    before = words(root)[1]
    with monkeypatch.context() as patch:
        refuse(patch, module, name, part)
        report = converted(root)
    assert errors(report) == [("MOD108", path)]
    assert f"{message}: Permission denied" in report.diagnostics[0].message
    assert [file.path for file in report.files if file.status is Status.ERROR] == PATHS
    assert words(root) == [before if number == 1 else NEW for number in range(MODELS)]


def test_a_model_folder_is_a_file(tmp_path: Path) -> None:
    settings = '[tool.modular]\nformatter = "none"\noutput = "generated"\n'
    files = {"generated/m1": "not a folder", "pyproject.toml": settings}
    report = converted(make(tmp_path, many_models(2, "old") | files))
    assert errors(report) == [("MOD108", "generated/m1/configuration_m1.py")]
    assert len(list((tmp_path / "generated/m0").iterdir())) == 4


@pytest.mark.parametrize("formatter", ["ruff", "black", "none"])
@pytest.mark.parametrize("bytes_left", [0, 20, 300])
def test_a_full_disk(root: Path, formatter: str, bytes_left: int) -> None:
    """To a program it looks as if no file could grow beyond some size: the cache's and the formatter's could not, either."""
    begin = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (bytes_left, bytes_left))
    done = ended(start(make(root, {}, formatter), "convert", begin=begin))
    assert done.returncode in (1, 2), done
    assert "too large" in done.stderr or "temporary" in done.stderr
    assert "Traceback" not in done.stderr
    assert words(root) == [OLD] * MODELS


@pytest.mark.parametrize("kind", [os.mkfifo, os.mkdir])
@pytest.mark.parametrize(
    "arguments", [["check"], ["check", "--fix"], ["convert"], ["convert", "--diff"]]
)
def test_what_is_no_file(
    root: Path, kind: Callable[[Path], None], arguments: list[str]
) -> None:
    """It is not waited for, and it stays: nobody has said that it may go."""
    (root / PATHS[1]).unlink()
    kind(root / PATHS[1])
    before = os.lstat(root / PATHS[1])
    done = run(root, *arguments, "--no-cache")
    assert "error[MOD108]: cannot be written: the path is" in done.stderr
    assert done.returncode == 1
    assert os.lstat(root / PATHS[1]) == before
    assert 'word = "old"\n' in (root / PATHS[0]).read_text(encoding="utf-8")


STOPPING = """\
import os, re, signal, sys

def stop(event, arguments):
    if re.search(os.environ["STOP_AT"], f"{event} {arguments}"):
        signal.raise_signal(signal.SIGSTOP)

sys.addaudithook(stop)
"""
"""Python runs this when it starts."""

SWAPS = r"modular\.exchange .*/processing_m1\.py"
"""When two of the files of a model are in place, and two are not."""


def stopped(root: Path, moment: str) -> subprocess.Popen[str]:
    """Start to convert a project, and stop that at the first event of Python that a regular expression matches."""
    folder = root.parent / "python"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(STOPPING, encoding="utf-8")
    path = f"{folder}{os.pathsep}{PACKAGE}"
    process = start(
        root,
        "convert",
        "--no-cache",
        begin=heed_signals,
        PYTHONPATH=path,
        # Only what the run leaves behind is looked for, and no compiled module.
        PYTHONDONTWRITEBYTECODE="1",
        STOP_AT=moment,
        TMPDIR=str(folder),
    )
    os.waitpid(process.pid, os.WUNTRACED)
    return process


def heed_signals() -> None:
    """What runs in the background, or with `nohup`, is started with some of them ignored, and so would be its children."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize(
    ("moment", "word"), [(r"subprocess\.Popen .*json-lines", "old"), (SWAPS, "new")]
)
def test_an_interrupted_run_leaves_nothing(
    root: Path, number: int, moment: str, word: str
) -> None:
    """Neither in the project nor in the temporary folder, whenever it comes; each model is all old or all new."""
    process = stopped(root, moment)
    os.killpg(process.pid, number)
    os.killpg(process.pid, signal.SIGCONT)
    done = ended(process)
    assert (done.returncode, done.stderr.strip()) == (128 + number, "")
    assert os.listdir(root.parent / "python") == ["sitecustomize.py"]
    assert [word] * 4 in words(root)
    assert all(model in (OLD, NEW) for model in words(root))


def test_a_stop_and_a_kill_between_two_files_of_a_model(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another run does not wait for ever, a check does not wait, and the system gives back the lock of a killed process.

    The lock is on the folder, whatever it is called.
    """
    monkeypatch.setattr(run_writing, "LOCK_TIMEOUT_S", 0.2)
    (root.parent / "link").symlink_to(root)
    process = stopped(root, SWAPS)
    report = converted(root)
    assert (
        errors(report) == [("MOD108", ".")]
        and "another run" in report.diagnostics[0].message
    )
    with pytest.raises(BusyError), exclusive(root.parent / "link"):
        pass
    dry = convert(dry_run=True, options=Options(root=root, cache=False))
    assert checked(root).count(Status.STALE) == dry.count(Status.STALE) == 18
    process.kill()
    assert ended(process).returncode == -signal.SIGKILL
    assert words(root) == [NEW, ["new", "new", "old", "old"], *[OLD] * (MODELS - 2)]
    assert leftovers(root) != []
    assert run(root, "convert", "--jobs", "1").returncode == 0
    assert words(root) == [NEW] * MODELS


def test_a_run_waits_and_then_sees_what_the_other_wrote(root: Path) -> None:
    make(root, many_models(MODELS, "newer"))
    with exclusive(root):
        process = start(root, "convert")
        time.sleep(1)
        assert process.poll() is None
        assert words(root) == [OLD] * MODELS
        make(root, many_models(MODELS, "new"))
    ended(process)
    assert words(root) == [NEW] * MODELS


def test_without_a_folder_for_the_lock_nobody_waits(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root.parent / "file").write_text("in the way", encoding="utf-8")
    monkeypatch.setenv("MODULAR_CACHE_DIR", str(root.parent / "file/cache"))
    assert convert(options=Options(root=root)).count(Status.WRITTEN) == 24
