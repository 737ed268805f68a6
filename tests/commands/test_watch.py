"""`modular watch`: what was saved is converted again, with what it can affect."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.flock import EAGLE, make_flock


OWL, OWLET = "models/owl/modeling_owl.py", "models/owlet/modeling_owlet.py"


def heed_ctrl_c() -> None:
    """Processes that a shell starts in the background ignore Ctrl-C; so may this test, and then its children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Watched:
    """`modular watch` in another process; its output goes to a file."""

    def __init__(self, root: Path, output: Path) -> None:
        self._output = output
        command = [
            sys.executable,
            "-m",
            "modular",
            "watch",
            "--jobs",
            "1",
        ]
        with open(output, "wb") as file:
            self.process = subprocess.Popen(
                command,
                cwd=root,
                stdout=file,
                stderr=subprocess.STDOUT,
                preexec_fn=heed_ctrl_c,
            )

    def wait_for(self, text: str) -> str:
        """Wait until the output ends with a line that ends with a text, and return all of it."""
        until = time.monotonic() + 60
        while time.monotonic() < until and self.process.poll() is None:
            output = self._output.read_text()
            if output.endswith(f"{text}\n"):
                return output
            time.sleep(0.02)
        raise AssertionError(f"waited for {text!r}: {self._output.read_text()}")


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is no signal there")
def test_from_start_to_ctrl_c(tmp_path: Path) -> None:
    root = make_flock(tmp_path / "flock", converted=False)
    watched = Watched(root, tmp_path / "output.txt")
    try:
        first = watched.wait_for("watching 2 modular files; press Ctrl-C to stop")
        assert "models/owl/modeling_owl.py: written\n" in first
        (root / "models/eagle/modeling_eagle.py").write_text(
            EAGLE.replace("return 1", "return 6")
        )
        changed = watched.wait_for("-        return 1\n+        return 6\n")
        assert "models/owlet/modeling_owlet.py: written (+1 -1)\n" in changed
        assert "return 6" in (root / OWLET).read_text()
        (root / "models/owlet/modular_owlet.py").write_text("class (\n")
        assert "models/owlet/modular_owlet.py:1:7" in watched.wait_for("1 error")
        watched.process.send_signal(signal.SIGINT)
        assert watched.process.wait(timeout=30) == 0
        assert "Traceback" not in (tmp_path / "output.txt").read_text()
    finally:
        watched.process.kill()
        watched.process.wait()


def test_wrong_use(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.modular]\nmodel = 3\n")
    done = subprocess.run(
        [sys.executable, "-m", "modular", "watch"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert (
        done.stderr
        == "error: pyproject.toml:2: tool.modular.model: unknown key; did you mean `models`?\n"
    )
