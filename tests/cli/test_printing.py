"""Streams that cannot take what is printed, and projects that cannot be looked through."""

import os
import subprocess
import sys
from pathlib import Path

from tests.safety.projects import command, environment, make


CHILD = "from ..base.modeling_base import BaseModel\n\n\nclass ChildModel(BaseModel):\n    pass\n"
FILES = {
    "models/base/modeling_base.py": "class BaseModel:\n    name = '🚨'\n",
    "models/child/modular_child.py": CHILD,
}


def check(
    root: Path, stdout: int, **variables: str
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        command("check", "--no-cache"),
        cwd=root,
        env=environment(root.parent / "cache", **variables),
        stdout=stdout,
        stderr=subprocess.PIPE,
        timeout=60,
    )


def test_a_stream_that_knows_fewer_letters(tmp_path: Path) -> None:
    done = check(
        make(tmp_path / "project", FILES), subprocess.PIPE, PYTHONIOENCODING="latin-1"
    )
    assert done.returncode == 1
    assert b"+    name = '\\U0001f6a8'\n" in done.stdout
    assert b"Traceback" not in done.stderr


def test_a_reader_that_has_enough(tmp_path: Path) -> None:
    root = make(tmp_path / "project", FILES)
    reading, writing = os.pipe()
    os.close(reading)
    done = check(root, writing)
    os.close(writing)
    assert done.returncode != 0
    assert b"Traceback" not in done.stderr and b"Exception" not in done.stderr


def test_entries_that_cannot_be_looked_at(tmp_path: Path) -> None:
    """They are passed over, and the others are not lost with them."""
    root = make(tmp_path / "project", FILES)
    (root / "models/loop").mkdir()
    os.symlink("modular_loop.py", root / "models/loop/modular_loop.py")
    os.symlink("itself", root / "models/itself")
    if sys.platform == "linux":
        (root / os.fsdecode(b"models/loop/modular_\xff.py")).write_text(CHILD)
    (root / "models/a\nimport os\n#").mkdir()
    (root / "models/a\nimport os\n#/modular_a.py").write_text(CHILD)
    done = subprocess.run(
        command("convert", "--no-cache"),
        cwd=root,
        env=environment(tmp_path / "cache"),
        capture_output=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"\n1 written;" in done.stdout
