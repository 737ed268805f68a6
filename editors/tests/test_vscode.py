"""The extension for VS Code is packaged, and what was packaged is loaded and opens a session with the server.

Node loads it, with a stand-in for the editor: the extension and the client in it are the real ones, and so is the server.
What VS Code makes of what it is told is not tested.
"""

import json
import struct
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.lsp.texts import FILES, OLMO, OLMO_MADE
from tests.support import write_project


SOURCE = Path(__file__).resolve().parents[1] / "vscode"
MODULAR = [str(Path(sys.executable).with_name("modular")), "lsp"]
BY_INTERPRETER = ["-P", "-m", "modular", "lsp"]
RUNNING = [
    "$(sync~spin) modular: modular is starting",
    "$(check) modular: modular is running",
]
REPOSITORY = "https://github.com/modular-models/modular"
WALKTHROUGH = ["install", "open", "preview", "fix", "convert"]
INSTALL = f'run `pip install "modular-models[lsp] @ git+{REPOSITORY}"`'


NO_PREVIEW = (
    "Open a file called modular_<model>.py first. If this is one, fix its errors: "
    "it cannot be converted yet."
)
REFUSING_SERVER = """\
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

server = LanguageServer("refusing", "1")


def refuse(params):
    raise JsonRpcException("no answer", lsp.LSPErrorCodes.RequestFailed)


server.feature(lsp.TEXT_DOCUMENT_HOVER)(refuse)
server.feature(lsp.TEXT_DOCUMENT_COMPLETION)(refuse)
server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION)(refuse)
server.feature(lsp.TEXT_DOCUMENT_RENAME)(refuse)
server.feature("modular/preview")(refuse)
server.start_io()
"""


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packaged extension, unpacked."""
    subprocess.run(
        ["npm", "run", "package"],
        cwd=SOURCE,
        capture_output=True,
        check=True,
        timeout=300,
    )
    folder = tmp_path_factory.mktemp("vscode")
    with zipfile.ZipFile(SOURCE / "modular.vsix") as package:
        package.extractall(folder)
    return folder / "extension"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose `.venv` has the interpreter of the tests."""
    write_project(tmp_path, FILES)
    python = tmp_path / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    return tmp_path


def outcome(unpacked: Path, path: str = "/usr/bin:/bin", **scenario: Any) -> Any:
    """What came of a session with some settings, and with `PATH`."""
    command = [
        "node",
        str(SOURCE / "test/load.js"),
        str(unpacked),
        json.dumps({"settings": {}, **scenario}),
    ]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={"PATH": path},
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_package_is_one_bundle(unpacked: Path) -> None:
    found = {
        path.relative_to(unpacked).as_posix()
        for path in unpacked.rglob("*")
        if path.is_file()
    }
    assert found == {
        "LICENSE.txt",
        "changelog.md",
        "dist/extension.js",
        "images/icon.png",
        "package.json",
        "readme.md",
        *(f"walkthrough/{step}.md" for step in WALKTHROUGH),
    }


def test_the_extension_can_be_published(unpacked: Path) -> None:
    """A registry shows its icon, repository and change log."""
    package = json.loads((unpacked / "package.json").read_text(encoding="utf-8"))
    assert "private" not in package
    assert package["repository"]["url"] == f"{REPOSITORY}.git"
    assert len(package["keywords"]) == len(set(package["keywords"])) > 3
    icon = (unpacked / package["icon"]).read_bytes()
    assert icon.startswith(b"\x89PNG")
    assert struct.unpack(">II", icon[16:24]) == (128, 128)
    readme = (unpacked / "readme.md").read_text(encoding="utf-8")
    assert f"]({REPOSITORY}/raw/HEAD/editors/vscode/images/" in readme


def test_each_step_of_the_walkthrough_has_a_command_and_an_event(
    unpacked: Path,
) -> None:
    package = json.loads((unpacked / "package.json").read_text(encoding="utf-8"))
    (walkthrough,) = package["contributes"]["walkthroughs"]
    assert [step["id"] for step in walkthrough["steps"]] == WALKTHROUGH
    for step in walkthrough["steps"]:
        assert "](command:" in step["description"], step["id"]
        assert step["completionEvents"], step["id"]
        assert (unpacked / step["media"]["markdown"]).is_file()


def test_only_a_trusted_workspace_names_the_command_or_converts_on_save(
    unpacked: Path,
) -> None:
    package = json.loads((unpacked / "package.json").read_text(encoding="utf-8"))
    trust = package["capabilities"]["untrustedWorkspaces"]
    assert trust["supported"] == "limited"
    assert trust["restrictedConfigurations"] == [
        "modular.command",
        "modular.interpreter",
        "modular.convertOnSave",
    ]


def test_the_command_of_the_settings_comes_first(unpacked: Path, project: Path) -> None:
    found = outcome(unpacked, settings={"command": MODULAR}, folder=str(project))
    assert (found["command"].split(), found["messages"]) == (MODULAR, [])
    assert found["states"][:2] == RUNNING
    assert {"modular.convert", "modular.goToOrigin", "modular.showReferences"} <= set(
        found["commands"]
    )


def test_the_interpreter_of_the_settings(unpacked: Path, project: Path) -> None:
    found = outcome(
        unpacked, settings={"interpreter": sys.executable}, folder=str(project)
    )
    assert found["command"].split() == [sys.executable, *BY_INTERPRETER]


def test_the_interpreter_of_the_python_extension(unpacked: Path, project: Path) -> None:
    found = outcome(unpacked, python=sys.executable, folder=str(project))
    assert found["command"].split() == [sys.executable, *BY_INTERPRETER]


def test_the_interpreter_of_the_project(unpacked: Path, project: Path) -> None:
    """The Python extension has one without modular."""
    found = outcome(unpacked, python="/bin/false", folder=str(project))
    assert found["command"].split() == [
        str(project / ".venv/bin/python"),
        *BY_INTERPRETER,
    ]
    assert found["states"][:2] == RUNNING


def test_the_interpreter_of_the_second_folder_is_found(
    unpacked: Path, project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    notes = tmp_path_factory.mktemp("notes")
    found = outcome(unpacked, folder=[str(notes), str(project)])
    assert found["messages"] == []
    assert found["command"].split()[0] == str(project / ".venv/bin/python")


def test_a_workspace_without_modular_files_sees_nothing(
    unpacked: Path, tmp_path: Path
) -> None:
    (tmp_path / "app.py").write_text("x = 1\n", encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text("[tool.ruff]\n", encoding="utf-8")
    found = outcome(unpacked, folder=str(tmp_path))
    assert (found["states"], found["messages"], found["contexts"]) == ([], [], [])


def test_a_workspace_with_settings_of_modular_starts_the_server(
    unpacked: Path, tmp_path: Path
) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.modular]\n", encoding="utf-8")
    found = outcome(unpacked, folder=str(tmp_path))
    assert len(found["messages"]) == 1


def test_each_command_of_the_palette_says_when_it_is_of_use(unpacked: Path) -> None:
    package = json.loads((unpacked / "package.json").read_text(encoding="utf-8"))
    commands = {each["command"] for each in package["contributes"]["commands"]}
    palette = package["contributes"]["menus"]["commandPalette"]
    assert {entry["command"] for entry in palette if entry["when"]} == commands


def test_a_workspace_that_is_not_trusted_runs_no_program_of_its_own(
    unpacked: Path, project: Path
) -> None:
    found = outcome(unpacked, trusted=False, folder=str(project))
    assert found["messages"] == [
        f"modular was not found: {INSTALL}, or set modular.interpreter"
    ]
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    assert (
        outcome(unpacked, path, trusted=False, folder=str(project))["command"].split()
        == MODULAR
    )


def test_what_to_install_is_said(unpacked: Path, tmp_path: Path) -> None:
    bare = tmp_path / "python"
    bare.write_text("#!/bin/sh\necho modular pygls\n", encoding="utf-8")
    bare.chmod(0o755)
    found = outcome(unpacked, settings={"interpreter": str(bare)}, restarted=True)
    assert found["messages"] == [
        f"modular and pygls are not installed for {bare}: {INSTALL}"
    ]
    assert found["states"] == [f"$(error) modular: {found['messages'][0]}"]
    assert found["buttons"] == [["Retry", "Open Settings"]]
    assert found["contexts"] == ["modular.isWanted"]


def test_retry_starts_the_server_after_it_was_installed(
    unpacked: Path, tmp_path: Path
) -> None:
    """The interpreter lacks modular when it is asked first, and has it from then on."""
    python = tmp_path / "python"
    python.write_text(
        f'#!/bin/sh\n[ -e {tmp_path}/asked ] && exec {sys.executable} "$@"\n'
        f"touch {tmp_path}/asked; echo modular\n",
        encoding="utf-8",
    )
    python.chmod(0o755)
    found = outcome(
        unpacked,
        settings={"interpreter": str(python)},
        restarted=True,
        chosen="Retry",
    )
    problem = f"modular is not installed for {python}: {INSTALL}"
    assert found["messages"] == [problem]
    assert found["states"][:3] == [f"$(error) modular: {problem}", *RUNNING]


def test_the_walkthrough_shows_the_preview_of_the_last_modular_file(
    unpacked: Path, project: Path
) -> None:
    """The walkthrough is no editor of text, so no editor is active."""
    found = outcome(
        unpacked,
        settings={"command": MODULAR},
        folder=str(project),
        opened=str(project / OLMO),
    )
    assert found["contexts"] == [
        "modular.hasOpenedFile",
        "modular.isWanted",
        "modular.isRunning",
    ]
    assert found["preview"]["text"] == FILES[OLMO_MADE]


def half_typed_texts() -> list[str]:
    """Return a modular file at moments while somebody types a class and a method."""
    text = FILES[OLMO] + "\n\nclass OlmoNorm(LlamaNorm):\n    def forward(self, x"
    new = len(FILES[OLMO])
    lengths = [new + 5, new + 12, new + 20, new + 28, len(text) - 16, len(text) - 3]
    return [text[:length] for length in [*lengths, len(text)]]


def test_half_typed_text_shows_no_error(unpacked: Path, project: Path) -> None:
    found = outcome(
        unpacked,
        settings={"command": MODULAR},
        folder=str(project),
        typed=[str(project / OLMO), half_typed_texts()],
    )
    assert found["messages"] == []
    assert {"hover", "completion", "codeAction", "preview"} <= set(found["answered"])
    assert set(found["refused"]) <= {"rename", "prepareRename"}


def test_failed_requests_show_no_error(unpacked: Path, tmp_path: Path) -> None:
    """The server refuses whatever it is asked about a document."""
    server = tmp_path / "refuses.py"
    server.write_text(REFUSING_SERVER, encoding="utf-8")
    found = outcome(
        unpacked,
        settings={"command": [sys.executable, str(server)]},
        restarted=True,
        typed=[str(tmp_path / "modular_olmo.py"), ["class OlmoMLP(Lla"]],
    )
    assert set(found["refused"]) == {"hover", "completion", "codeAction", "rename"}
    assert found["messages"] == [NO_PREVIEW]


def test_a_changed_setting_restarts_the_server(unpacked: Path) -> None:
    found = outcome(
        unpacked,
        settings={"interpreter": "/bin/false"},
        restarted=True,
        changed={"interpreter": sys.executable},
    )
    problem = (
        "`/bin/false`, the setting modular.interpreter, is no Python 3.11 or later"
    )
    assert found["messages"] == [problem]
    assert found["states"][:3] == [f"$(error) modular: {problem}", *RUNNING]


def test_the_preview_is_the_generated_file_at_the_same_place(
    unpacked: Path, project: Path
) -> None:
    line = FILES[OLMO].split("\n").index("        x = x + 1")
    settings = {"command": MODULAR}
    found = outcome(
        unpacked,
        settings=settings,
        folder=str(project),
        preview=[str(project / OLMO), line],
    )
    generated = FILES[OLMO_MADE]
    expected = {
        "text": generated,
        "language": "python",
        "line": generated.split("\n").index("        x = x + 1"),
        "tab": f"Preview {Path(OLMO_MADE).name}",
    }
    assert found["preview"] == expected
