"""The extension for VS Code is packaged, and what was packaged is loaded and opens a session with the server.

Node loads it, with a stand-in for the editor: the extension and the client in it are the real ones, and so is the server.
What VS Code makes of what it is told is not tested.
"""

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest


SOURCE = Path(__file__).resolve().parents[1] / "vscode"


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packaged extension, unpacked."""
    subprocess.run(["npm", "run", "package"], cwd=SOURCE, capture_output=True, check=True, timeout=300)
    folder = tmp_path_factory.mktemp("vscode")
    with zipfile.ZipFile(SOURCE / "modular.vsix") as package:
        package.extractall(folder)
    return folder / "extension"


def test_the_package_has_what_it_needs(unpacked: Path) -> None:
    found = {path.relative_to(unpacked).as_posix() for path in unpacked.iterdir()}
    assert found == {"LICENSE.txt", "extension.js", "node_modules", "package.json", "readme.md"}
    package = json.loads((unpacked / "package.json").read_text(encoding="utf-8"))
    assert package["contributes"]["configuration"]["properties"]["modular.command"]["default"] == ["modular", "lsp"]


def test_it_starts_the_server(unpacked: Path) -> None:
    server = [str(Path(sys.executable).with_name("modular")), "lsp"]
    command = ["node", str(SOURCE / "test" / "load.js"), str(unpacked), *server]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.stdout, done.returncode) == (f"the extension started `{' '.join(server)}`, which answered\n", 0), (
        done.stderr
    )


def test_a_command_that_is_not_there_is_noticed(unpacked: Path) -> None:
    command = ["node", str(SOURCE / "test" / "load.js"), str(unpacked), "no-such-command"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1
