"""A check opens no file for writing but in the temporary folder and in the cache; nor does anything that it starts.

What Python opens, it says itself. What other programs do shows in the folders: whoever makes, changes or deletes a file
changes a time there that cannot be set.
"""

import os
import subprocess
from pathlib import Path

import pytest

from tests.safety.projects import PACKAGE, ended, make, many_models, start, state


WATCHER = """\
import os
import sys

LOG = os.open(os.environ["TRACE"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
CHANGES = ("os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.symlink", "os.link", "os.truncate", "os.chmod",
           "os.chown", "os.utime", "os.mkfifo", "os.mknod", "shutil.copyfile")
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


def watch(event, arguments):
    if event not in CHANGES and (event != "open" or not arguments[2] & WRITING):
        return
    given = arguments[:1] if event == "open" else arguments[event in ("os.symlink", "os.link") :]
    folder = arguments[-1] if event in ("os.mkdir", "os.remove", "os.rmdir") else -1
    for path in (os.fsdecode(path) for path in given if isinstance(path, (str, bytes))):
        if folder >= 0:
            path = os.path.join(os.readlink(f"/proc/self/fd/{folder}"), path)
        os.write(LOG, os.fsencode(os.path.abspath(path)) + b"\\n")


sys.addaudithook(watch)
"""
"""Python runs this when it starts, and so do the processes that it makes."""


class Sandbox:
    """A project, a user's home, and the two folders in which something may be written."""

    def __init__(self, folder: Path, settings: str = 'formatter = "ruff"') -> None:
        self.folder = folder
        self.root = folder / "project"
        own = {
            "pyproject.toml": f"[tool.modular]\n{settings}\n",
            "ruff.toml": 'cache-dir = ".ruff_cache"\n',
        }
        lone = dict.fromkeys(
            ("modular_lone.py", "src/modular_a.py"), "class LoneModel:\n    pass\n"
        )
        make(
            self.root,
            many_models(14, "old")
            | own
            | lone
            | {"modeling_lone.py": "x  =  1\n", "src/modeling_a.py": ""},
        )
        for name in ("home", "temp", "watcher"):
            (folder / name).mkdir()
        (folder / "watcher/sitecustomize.py").write_text(WATCHER, encoding="utf-8")
        self.before = self.state()

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        process = start(
            self.root,
            *arguments,
            HOME=str(self.folder / "home"),
            TMPDIR=str(self.folder / "temp"),
            PYTHONPATH=f"{self.folder / 'watcher'}{os.pathsep}{PACKAGE}",
            PYTHONDONTWRITEBYTECODE="1",
            TRACE=str(self.folder / "trace"),
        )
        return ended(process)

    def written(self, *allowed: str) -> list[str]:
        """What Python said that it wrote to outside of some folders."""
        folders = (os.devnull, *(str(self.folder / name) for name in allowed))
        paths = (self.folder / "trace").read_text(encoding="utf-8").splitlines()
        return [path for path in paths if not path.startswith(folders)]

    def state(self) -> dict[str, tuple[int, ...]]:
        """The state of all folders in which nothing may be written."""
        return state(self.root, self.folder / "home", self.folder / "watcher")


LOOKING = {
    "check --jobs 2": "missing",
    "check --no-cache": "missing",
    "check --output-format sarif": "modeling_m1.py",
    "check modular_lone.py src/modular_a.py": "modeling_lone.py",
    "convert --diff": "modeling_m1.py",
    "graph": "m1",
    "rule MOD101": "MOD101",
}
"""Commands, with a word that each prints. Files at the root are shown to the formatter by links: it must not write through one."""

SLOW = ('formatter = "black"', 'formatter = "none"', 'output = "generated"')


@pytest.mark.parametrize(
    "settings",
    [
        'formatter = "ruff"',
        *(pytest.param(settings, marks=pytest.mark.slow) for settings in SLOW),
    ],
)
def test_commands_that_only_look(tmp_path: Path, settings: str) -> None:
    sandbox = Sandbox(tmp_path, settings)
    for arguments, word in LOOKING.items():
        done = sandbox.run(*arguments.split())
        assert word in done.stdout, done
    assert sandbox.state() == sandbox.before
    assert sandbox.written("temp", "cache") == []
    assert any("modular-mirror-" in path for path in sandbox.written("cache"))
    assert list((tmp_path / "temp").iterdir()) == []


def test_that_a_conversion_is_seen(tmp_path: Path) -> None:
    """Both what Python says and the folders tell of what is written, or they would prove nothing."""
    sandbox = Sandbox(tmp_path)
    assert sandbox.run("convert").returncode == 0
    assert sandbox.state() != sandbox.before
    assert any(path.startswith(str(sandbox.root)) for path in sandbox.written())
