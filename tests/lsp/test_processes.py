"""The server and the process that works on projects: neither needs the other to be well, and nothing is left behind."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lsp.texts import FILES, OLMO
from tests.lsp.wire import Wire
from tests.support import write_project


PATIENCE = 10.0
"""Seconds after which what was waited for will not come."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_project(tmp_path / "project", FILES)
    (tmp_path / "temporary").mkdir()
    return tmp_path / "project"


@pytest.fixture
def wire(root: Path) -> Iterator[Wire]:
    wire = Wire(root, {**os.environ, "TMPDIR": str(root.parent / "temporary")})
    with wire.process:
        yield wire
        wire.process.kill()


def worker(wire: Wire) -> int:
    """The process that works on projects."""
    lists = Path(f"/proc/{wire.process.pid}/task").glob("*/children")
    (found,) = [int(child) for each in lists for child in each.read_text(encoding="utf-8").split()]
    return found


def document(root: Path, version: int = 1) -> dict[str, Any]:
    return {"uri": (root / OLMO).as_uri(), "languageId": "python", "version": version}


def open_file(wire: Wire, root: Path, text: str = FILES[OLMO]) -> list[str]:
    """Open the modular file, and return the codes of what is wrong with it."""
    wire.send({"method": "textDocument/didOpen", "params": {"textDocument": {**document(root), "text": text}}})
    return diagnosed(wire, 1)


def diagnosed(wire: Wire, version: int) -> list[str]:
    """Wait for the diagnostics of a version of the file, and return their codes."""
    while (message := wire.read()).get("method") != "textDocument/publishDiagnostics" or (
        message["params"].get("version") != version
    ):
        pass
    return [each["code"] for each in message["params"]["diagnostics"]]


def hover(root: Path) -> dict[str, Any]:
    return {"textDocument": {"uri": (root / OLMO).as_uri()}, "position": {"line": 5, "character": 8}}


def is_gone(process: int) -> bool:
    """Wait until a process has ended."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        state = Path(f"/proc/{process}/stat")
        if not state.exists() or ") Z " in state.read_text(encoding="utf-8"):
            return True
        time.sleep(0.01)
    return False


def test_a_killed_process_is_followed_by_another_that_knows_what_is_open(wire: Wire, root: Path) -> None:
    assert open_file(wire, root, FILES[OLMO].replace("x + 1", "y + 1")) == ["MOD408"]
    process = worker(wire)
    os.kill(process, signal.SIGKILL)
    while Path(f"/proc/{process}").exists():
        time.sleep(0.01)  # until the server knows
    found = wire.ask("textDocument/hover", hover(root))["result"]
    assert "x = y + 1" in found["contents"]["value"]
    change = {"range": {"start": {"line": 11, "character": 12}, "end": {"line": 11, "character": 13}}, "text": "x"}
    params = {"textDocument": document(root, 2), "contentChanges": [change]}
    wire.send({"method": "textDocument/didChange", "params": params})
    assert diagnosed(wire, 2) == []


def test_a_question_to_a_process_that_dies_is_answered(wire: Wire, root: Path) -> None:
    assert open_file(wire, root) == []
    os.kill(worker(wire), signal.SIGSTOP)
    asked = wire.begin("textDocument/hover", hover(root))
    wire.ask("no/such", None)
    os.kill(worker(wire), signal.SIGKILL)
    assert wire.answer(asked)["result"] is None


def test_the_server_answers_while_the_other_process_is_busy(wire: Wire, root: Path) -> None:
    assert open_file(wire, root) == []
    os.kill(worker(wire), signal.SIGSTOP)
    asked = wire.begin("textDocument/hover", hover(root))
    command = {"command": "modular.showReferences", "arguments": [1, 2, [3]]}
    assert wire.ask("workspace/executeCommand", command)["result"] == [3]
    wire.send({"method": "$/cancelRequest", "params": {"id": asked}})
    assert wire.answer(asked)["error"]["code"] == -32800
    os.kill(worker(wire), signal.SIGCONT)
    assert wire.ask("textDocument/hover", hover(root))["result"] is not None


@pytest.mark.parametrize("stopped", [False, True])
def test_nothing_is_left_behind(wire: Wire, root: Path, stopped: bool) -> None:
    """Neither a process nor a file, though the one that works on projects may have to be ended by force."""
    assert open_file(wire, root) == []
    process = worker(wire)
    if stopped:
        os.kill(process, signal.SIGSTOP)
    assert wire.ask("shutdown", None)["result"] is None
    wire.send({"method": "exit"})
    assert wire.process.wait(2 * PATIENCE) == 0
    assert is_gone(process)
    assert stopped or list((root.parent / "temporary").iterdir()) == []


def test_a_killed_server_leaves_nothing_behind(wire: Wire, root: Path) -> None:
    assert open_file(wire, root) == []
    process = worker(wire)
    wire.process.kill()
    assert is_gone(process)
    assert list((root.parent / "temporary").iterdir()) == []
