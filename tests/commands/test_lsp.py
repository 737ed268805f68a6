"""`modular lsp` as a command: what it loads, what it says without the packages that it needs, and its log."""

import subprocess
import sys
from pathlib import Path

from tests.lsp.texts import FILES, LLAMA
from tests.lsp.wire import Wire
from tests.support import loaded, write_project


def test_its_help_loads_nothing_of_the_server(tmp_path: Path) -> None:
    assert (
        loaded(tmp_path, ["lsp", "--help"], {"libcst", "rich", "pygls", "lsprotocol"})
        == "[]"
    )


def test_the_language_server_names_what_it_lacks() -> None:
    code = "import sys\nsys.modules['pygls'] = None\nfrom modular.cli.main import main\nmain(['lsp'])\n"
    done = subprocess.run(
        [sys.executable, "-c", code],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert (done.stderr, done.returncode) == (
        'error: pygls is not installed: run `pip install "modular-models[lsp] @ '
        'git+https://github.com/modular-models/modular"`\n',
        2,
    )


def test_a_request_that_is_refused_is_answered_and_not_logged(tmp_path: Path) -> None:
    write_project(tmp_path / "project", FILES)
    place = {
        "line": FILES[LLAMA].split("\n").index("class LlamaMLP(nn.Module):"),
        "character": len("class Llama"),
    }
    document = {"uri": (tmp_path / "project" / LLAMA).as_uri()}
    with (tmp_path / "log").open("wb") as log:
        wire = Wire(tmp_path / "project", log=log)
        with wire.process:
            renaming = {"textDocument": document, "position": place, "newName": "class"}
            assert wire.ask("textDocument/rename", renaming)["error"]["message"] == (
                "`class` is not a name in Python; use letters, digits and `_`, and no keyword"
            )
            wire.ask("shutdown", None)
            wire.send({"method": "exit"})
    assert (tmp_path / "log").read_text() == ""
