"""A check opens no file for writing but in the temporary folder and in the cache; nor does anything that it starts.

What Python opens, it says itself. What other programs do shows in the folders: whoever makes, changes or deletes a file
changes a time there that cannot be set.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.safety.projects import PACKAGE, make, many_models, state


WATCHER = """\
import json
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
        os.write(LOG, (json.dumps([event, os.path.abspath(path)]) + "\\n").encode())


sys.addaudithook(watch)
"""
"""Python runs this when it starts, and so do the processes that it makes."""


class Sandbox:
    """A project, a user's home, and the two folders in which something may be written."""

    def __init__(self, folder: Path, settings: str) -> None:
        self.folder = folder
        self.root = make(folder / "project", many_models(14, "old") | {"pyproject.toml": settings, "ruff.toml": RUFF})
        for name in ("home", "temp", "cache", "watcher"):
            (folder / name).mkdir()
        (folder / "trace").touch()
        (folder / "watcher/sitecustomize.py").write_text(WATCHER, encoding="utf-8")

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        variables = {
            "HOME": str(self.folder / "home"),
            "TMPDIR": str(self.folder / "temp"),
            "MODULAR_CACHE_DIR": str(self.folder / "cache"),
            "PYTHONPATH": f"{self.folder / 'watcher'}{os.pathsep}{PACKAGE}",
            "PYTHONDONTWRITEBYTECODE": "1",
            "TRACE": str(self.folder / "trace"),
            "PATH": os.environ["PATH"],
        }
        command = [sys.executable, "-P", "-m", "modular", *arguments]
        return subprocess.run(command, cwd=self.root, env=variables, capture_output=True, encoding="utf-8", timeout=60)

    def opened(self) -> set[tuple[str, str]]:
        """What Python said that it wrote to."""
        lines = (self.folder / "trace").read_text(encoding="utf-8").splitlines()
        return {(event, path) for event, path in map(json.loads, lines)}

    def outside(self) -> list[tuple[str, str]]:
        """What of it was in neither of the two folders."""
        allowed = (f"{self.folder / 'temp'}{os.sep}", f"{self.folder / 'cache'}", os.devnull)
        return sorted(opening for opening in self.opened() if not opening[1].startswith(allowed))

    def state(self) -> dict[str, tuple[int, ...]]:
        """The state of all folders in which nothing may be written."""
        return state(self.root, self.folder / "home", self.folder / "watcher")


RUFF = 'cache-dir = ".ruff_cache"\n'

SETTINGS = {
    "ruff": '[tool.modular]\nformatter = "ruff"\n',
    "black": '[tool.modular]\nformatter = "black"\n',
    "none": '[tool.modular]\nformatter = "none"\n',
    "an output folder": '[tool.modular]\noutput = "generated"\n',
}


@pytest.mark.parametrize(
    "name", ["ruff", *(pytest.param(name, marks=pytest.mark.slow) for name in SETTINGS if name != "ruff")]
)
def test_a_check(tmp_path: Path, name: str) -> None:
    sandbox = Sandbox(tmp_path, SETTINGS[name])
    before = sandbox.state()
    for arguments in (["--jobs", "2"], ["--no-cache"], ["--output-format", "sarif"]):
        assert "missing" in sandbox.run("check", *arguments).stdout
    assert sandbox.state() == before
    assert sandbox.outside() == []
    assert any("modular-mirror-" in path for _, path in sandbox.opened())
    assert list((tmp_path / "temp").iterdir()) == []


def test_a_check_of_files_at_the_root(tmp_path: Path) -> None:
    """The formatter sees the project's own files there by links: it must not write through one."""
    sandbox = Sandbox(tmp_path, SETTINGS["ruff"])
    files = {f"{stem}.py": "class LoneModel:\n    pass\n" for stem in ("modular_lone", "src/modular_a")}
    make(sandbox.root, files | {"modeling_lone.py": "x  =  1\n", "src/modeling_a.py": ""}, "ruff")
    before = sandbox.state()
    done = sandbox.run("check", "modular_lone.py", "src/modular_a.py")
    assert "2 stale" in done.stdout, done
    assert sandbox.state() == before
    assert sandbox.outside() == []


def test_other_commands_that_only_look(tmp_path: Path) -> None:
    sandbox = Sandbox(tmp_path, SETTINGS["ruff"])
    before = sandbox.state()
    for arguments in (["convert", "--diff"], ["stats"], ["graph"], ["rule", "MOD101"], ["cache", "dir"]):
        assert sandbox.run(*arguments).returncode == 0, arguments
    assert sandbox.state() == before
    assert sandbox.outside() == []


def test_that_a_conversion_is_seen(tmp_path: Path) -> None:
    """Both ways of looking find what writes, or they would prove nothing."""
    sandbox = Sandbox(tmp_path, SETTINGS["none"])
    before = sandbox.state()
    assert sandbox.run("convert").returncode == 0
    assert sandbox.state() != before
    assert any(path.startswith(str(sandbox.root)) for _, path in sandbox.outside())
