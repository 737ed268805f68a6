"""A run that is killed at any moment leaves each model's files all old or all new."""

import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.safety.projects import PACKAGE, command, environment, leftovers, make, many_models, run, words
from tests.support import source


MODELS = 24
KILLS = 30


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project that was converted, and whose modular files have changed since."""
    root = tmp_path_factory.mktemp("killed") / "project"
    make(root, many_models(MODELS, "old"))
    assert run(root, "convert", "--jobs", "1").returncode == 0
    make(root, many_models(MODELS, "new"))
    assert all(words(root, number) == ["old"] * 4 for number in range(MODELS))
    return root


SLOW = source(
    """
    import os
    import time

    replace = os.replace


    def slowly(*paths):
        time.sleep(0.004)
        replace(*paths)


    os.replace = slowly
    """
)
"""Python runs this when it starts: renaming takes long enough to be met between the files of a model."""


def kill_while_it_writes(root: Path, cache: Path, delay: float) -> None:
    """Start a conversion, wait for its first file and some moments more, and kill it with all that belongs to it."""
    (cache / "slow").mkdir(parents=True, exist_ok=True)
    (cache / "slow/sitecustomize.py").write_text(SLOW, encoding="utf-8")
    folders = [root / f"models/m{number}" for number in range(MODELS)]
    before = sum(len(os.listdir(folder)) for folder in folders)
    process = subprocess.Popen(
        command("convert", "--jobs", "1"),
        cwd=root,
        env=environment(cache, PYTHONPATH=f"{cache / 'slow'}{os.pathsep}{PACKAGE}"),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    while process.poll() is None and sum(len(os.listdir(folder)) for folder in folders) == before:
        time.sleep(0.001)
    time.sleep(delay)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def test_each_model_is_all_old_or_all_new(old: Path, tmp_path: Path) -> None:
    moments = random.Random(20)
    cut_short = 0
    for number in range(KILLS):
        root = tmp_path / str(number)
        shutil.copytree(old, root)
        kill_while_it_writes(root, old.parent / "cache", moments.uniform(0, 0.3))
        models = [words(root, model) for model in range(MODELS)]
        assert all(model in (["old"] * 4, ["new"] * 4) for model in models)
        cut_short += ["old"] * 4 in models and ["new"] * 4 in models
        shutil.rmtree(root)
    assert cut_short > KILLS // 4, "the kills came too late to show anything"


def test_a_later_run_finishes_and_cleans_up(old: Path, tmp_path: Path) -> None:
    root = tmp_path / "project"
    shutil.copytree(old, root)
    kill_while_it_writes(root, old.parent / "cache", 0)
    (root / "models/m0/.modeling_m0.py.1-1.modular-tmp").write_text("half a fi", encoding="utf-8")
    assert run(root, "check").returncode == 1
    assert leftovers(root) != []

    assert run(root, "convert", "--jobs", "1").returncode == 0

    assert [words(root, model) for model in range(MODELS)] == [["new"] * 4] * MODELS
    assert leftovers(root) == []


def test_nothing_goes_on_after_the_kill(old: Path, tmp_path: Path) -> None:
    """The processes that convert end when the one that they work for is killed: the pipe that they all hold is closed."""
    root = tmp_path / "project"
    shutil.copytree(old, root)
    process = subprocess.Popen(
        command("convert", "--jobs", "4", "--no-cache"),
        cwd=root,
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    while process.poll() is None and len(children.read_text(encoding="utf-8").split()) < 2:
        time.sleep(0.001)
    process.kill()
    process.communicate(timeout=20)


INTERRUPTS = 6


def heed_signals() -> None:
    """What runs in the background, or behind `nohup`, is started with some of them ignored, and so would be its children."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("formatter", ["none", "ruff"])
def test_an_interrupted_run_leaves_nothing(old: Path, tmp_path: Path, number: int, formatter: str) -> None:
    """Neither in the project nor in the temporary folder, whenever it comes; each model is all old or all new."""
    moments = random.Random(int(number))
    interrupted = 0
    for attempt in range(INTERRUPTS):
        root, temporary = tmp_path / str(attempt), tmp_path / f"{attempt}-temporary"
        shutil.copytree(old, root)
        temporary.mkdir()
        make(root, many_models(MODELS, "new"), formatter)
        process = subprocess.Popen(
            command("convert", "--jobs", "2", "--no-cache"),
            cwd=root,
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
        assert leftovers(root) == []
        models = [words(root, model) for model in range(MODELS)]
        assert all(model in (["old"] * 4, ["new"] * 4) for model in models)
    assert interrupted > 0, "all runs were over before they were interrupted"


def test_a_mirror_that_cannot_be_deleted_ends_no_run(tmp_path: Path) -> None:
    """One so deep that Python cannot go down it, as older releases could leave it behind."""
    root = make(tmp_path / "project", many_models(1, "new"), "ruff")
    temporary = tmp_path / "temporary"
    deep = temporary / "modular-mirror-abandoned"
    deep.mkdir(parents=True)
    descriptor = os.open(deep, os.O_RDONLY)
    for _ in range(1500):
        os.mkdir("a", dir_fd=descriptor)
        below = os.open("a", os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = below
    os.close(descriptor)
    os.utime(deep, (1, 1))
    done = run(root, "check", TMPDIR=str(temporary))
    subprocess.run(["rm", "-rf", str(deep)], check=True)
    assert "4 missing" in done.stdout, done
