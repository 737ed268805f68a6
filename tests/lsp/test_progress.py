"""The editor shows the progress of reading a project's modular files."""

from pathlib import Path
from typing import Any

from tests.lsp.texts import FILES, OLMO
from tests.lsp.wire import Wire
from tests.support import write_project


def open_olmo(wire: Wire, root: Path) -> None:
    document = {
        "uri": (root / OLMO).as_uri(),
        "languageId": "python",
        "version": 1,
        "text": FILES[OLMO],
    }
    wire.send({"method": "textDocument/didOpen", "params": {"textDocument": document}})


def values_until_the_end(wire: Wire, token: str) -> list[dict[str, Any]]:
    """Return the reports about one progress bar."""
    values: list[dict[str, Any]] = []
    while not values or values[-1]["kind"] != "end":
        message = wire.read()
        if message.get("method") == "$/progress":
            assert message["params"]["token"] == token
            values.append(message["params"]["value"])
    return values


def test_a_progress_bar_is_shown_while_modular_files_are_read(tmp_path: Path) -> None:
    write_project(tmp_path, FILES)
    for number in range(40):
        folder = f"models/copy{number}"
        path = f"{folder}/modular_copy{number}.py"
        write_project(tmp_path, {path: f"class Copy{number}:\n    pass\n"})
    wire = Wire(tmp_path, capabilities={"window": {"workDoneProgress": True}})
    with wire.process:
        open_olmo(wire, tmp_path)
        message = wire.read()
        while message.get("method") != "window/workDoneProgress/create":
            message = wire.read()
        wire.send({"id": message["id"], "result": None})
        values = values_until_the_end(wire, message["params"]["token"])
        wire.process.kill()
    assert values[0]["kind"] == "begin"
    assert values[0]["title"] == "Reading modular files"
    percentages = [value["percentage"] for value in values[:-1]]
    assert percentages == sorted(percentages)
    assert percentages[-1] > percentages[0]


def test_an_editor_without_progress_bars_is_not_asked(tmp_path: Path) -> None:
    write_project(tmp_path, FILES)
    wire = Wire(tmp_path)
    with wire.process:
        open_olmo(wire, tmp_path)
        methods = [wire.read().get("method")]
        while methods[-1] != "textDocument/publishDiagnostics":
            methods.append(wire.read().get("method"))
        document = {"uri": (tmp_path / OLMO).as_uri()}
        wire.ask("textDocument/codeLens", {"textDocument": document})
        wire.process.kill()
    assert "window/workDoneProgress/create" not in methods
