"""`modular lsp` as a command: what it loads, and what it says without the packages that it needs."""

import subprocess
import sys
from pathlib import Path

from tests.support import loaded


def test_its_help_loads_nothing_of_the_server(tmp_path: Path) -> None:
    assert loaded(tmp_path, ["lsp", "--help"], {"libcst", "rich", "pygls", "lsprotocol"}) == "[]"


def test_the_language_server_names_what_it_lacks() -> None:
    code = "import sys\nsys.modules['pygls'] = None\nfrom modular.cli.main import main\nmain(['lsp'])\n"
    done = subprocess.run([sys.executable, "-c", code], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert (done.stderr, done.returncode) == (
        "error: pygls is not installed: run `pip install 'modular-models[lsp]'`\n",
        2,
    )
