"""Take the pictures of VS Code for its page and for the extension.

`python -m editors.tests.vscode_pictures CODE_SERVER FOLDER` needs chromium, playwright,
the packaged extension (`npm run package`) and the program of code-server, which is VS Code
in a browser.
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, expect

from editors.tests.session import MODULAR, make_project
from tests.browser.chromium import chromium
from tests.docs.markdown import ROOT


SIZE = {"width": 1280, "height": 460}
PATIENCE_MS = 60_000

_SETTINGS = {
    "breadcrumbs.enabled": False,
    "editor.minimap.enabled": False,
    "editor.fontSize": 14,
    "security.workspace.trust.enabled": False,
    "telemetry.telemetryLevel": "off",
    "window.commandCenter": False,
    "workbench.colorTheme": "Default Light Modern",
    "workbench.layoutControl.enabled": False,
    "workbench.startupEditor": "none",
}


@contextmanager
def editor(code_server: str, folder: Path) -> Iterator[str]:
    """Start VS Code with the extension, and give its address."""
    project = folder / "my_models"
    project.mkdir()
    make_project(project)
    with (project / "pyproject.toml").open("a", encoding="utf-8") as pyproject:
        # The banner would fill half of the preview.
        pyproject.write('\n[tool.modular.banner]\ntext = ""\n')
    command = [str(Path(sys.executable).with_name("modular")), "lsp"]
    settings = {**_SETTINGS, "modular.command": command}
    settings_file = folder / "data/User/settings.json"
    settings_file.parent.mkdir(parents=True)
    settings_file.write_text(json.dumps(settings), encoding="utf-8")
    options = ["--user-data-dir", folder / "data", "--extensions-dir", folder / "ext"]
    extension = ROOT / "editors/vscode/modular.vsix"
    subprocess.run(
        [code_server, *options, "--install-extension", extension], check=True
    )

    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [
            *[code_server, *options, "--bind-addr", f"127.0.0.1:{port}"],
            *["--auth", "none", "--disable-telemetry", "--disable-update-check"],
        ],
        env={**os.environ, "XDG_CONFIG_HOME": str(folder / "config")},
    )
    try:
        for _ in range(300):
            with socket.socket() as client:
                if client.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/?folder={project}"
    finally:
        server.terminate()
        server.wait()


def run_command(page: Page, name: str) -> None:
    """Run a command of the palette."""
    page.keyboard.press("F1")
    page.keyboard.type(name)
    page.locator(".quick-input-list .focused").get_by_text(name).first.wait_for()
    page.keyboard.press("Enter")


def take(page: Page, target: Path) -> None:
    """Take a picture of a finding with its fix, and one of the preview."""
    page.locator(".monaco-workbench").wait_for()
    page.keyboard.press("Control+P")
    page.keyboard.type(Path(MODULAR).name)
    page.locator(".quick-input-list .focused").wait_for()
    page.keyboard.press("Enter")
    run_command(page, "View: Toggle Primary Side Bar Visibility")
    page.locator(".squiggly-error").first.wait_for()
    run_command(page, "View: Toggle Problems")
    page.locator(".markers-panel .monaco-list-row").nth(1).wait_for()
    run_command(page, "Go to Next Problem in Files (Error, Warning, Info)")
    page.keyboard.press("Escape")
    page.keyboard.press("Control+.")
    page.get_by_text("Write `LlamaMLP`").first.wait_for()
    page.screenshot(path=target / "vscode-finding.png")

    page.keyboard.press("Enter")
    expect(page.locator(".squiggly-error")).to_have_count(0)
    run_command(page, "View: Toggle Panel Visibility")
    run_command(page, "modular: Show the generated file to the side")
    page.get_by_text("modeling_my_model.py").first.wait_for()
    page.get_by_text("+1 method").first.wait_for()
    page.screenshot(path=target / "vscode-preview.png")


def main(code_server: str, target: Path) -> None:
    """Take the pictures into a folder."""
    with tempfile.TemporaryDirectory(prefix="modular-vscode-") as made:
        with (
            editor(code_server, Path(made).resolve()) as address,
            chromium() as browser,
        ):
            page = browser.new_page(viewport=SIZE, color_scheme="light")
            page.set_default_timeout(PATIENCE_MS)
            expect.set_options(timeout=PATIENCE_MS)
            page.goto(address)
            take(page, target)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
