"""After a run that was killed `check` says what differs, and `convert` mends it; one that is asked to end leaves nothing."""

import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from modular import Options, Status, check
from tests.safety.projects import PACKAGE, command, environment, leftovers, make, many_models, run, words
from tests.support import source


MODELS = 24


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project that was converted, and whose modular files have changed since."""
    root = tmp_path_factory.mktemp("killed") / "project"
    make(root, many_models(MODELS, "old"))
    assert run(root, "convert", "--jobs", "1").returncode == 0
    make(root, many_models(MODELS, "new"))
    assert all(words(root, number) == ["old"] * 4 for number in range(MODELS))
    return root


KILLED_BETWEEN_RENAMES = source(
    """
    import os
    import signal

    replace = os.replace


    def killed_after(staged, target):
        replace(staged, target)
        if str(target).endswith("modeling_m1.py"):
            os.kill(os.getpid(), signal.SIGKILL)


    os.replace = killed_after
    """
)
"""Python runs this when it starts."""


def test_a_kill_between_two_files_of_a_model(old: Path, tmp_path: Path) -> None:
    root = tmp_path / "project"
    shutil.copytree(old, root)
    (tmp_path / "sitecustomize.py").write_text(KILLED_BETWEEN_RENAMES, encoding="utf-8")
    variables = environment(tmp_path / "cache", PYTHONPATH=f"{tmp_path}{os.pathsep}{PACKAGE}")
    killed = subprocess.run(
        command("convert", "--jobs", "1"), cwd=root, env=variables, capture_output=True, timeout=60
    )
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


INTERRUPTS = 6


def heed_signals() -> None:
    """What runs in the background, or behind `nohup`, is started with some of them ignored, and so would be its children."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


@pytest.mark.slow
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
