"""Files in which somebody is typing: each request is answered, and the log stays empty."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lsp.texts import AYA, FILES, LLAMA, OLMO, OLMO_MADE
from tests.lsp.wire import Wire
from tests.support import write_project


HALF_TYPED = [
    "class X(Lla",
    "class X(LlamaMLP, ",
    "class X(LlamaMLP):\n    def forward(self, x",
    "class X(LlamaMLP):\n    @property.",
    "class X(LlamaMLP):\n    def __init__(self):\n        self.a, self[ = 1",
    "class X(LlamaMLP)",
    "class X(k=1, *a):\n    pass",  # Python, but LibCST cannot read it
]

POSITION_REQUESTS = [
    "definition",
    "implementation",
    "hover",
    "references",
    "completion",
]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("project")


@pytest.fixture(scope="module")
def wire(root: Path) -> Iterator[Wire]:
    """A server, the log of which must be empty at the end."""
    write_project(root, FILES)
    with open(root / "log", "w+b") as log:
        wire = Wire(root, log=log)
        with wire.process:
            yield wire
            wire.ask("shutdown", None)
            wire.send({"method": "exit"})
        log.seek(0)
        assert log.read() == b""


def requests(root: Path, path: str, text: str) -> Iterator[tuple[str, Any]]:
    """Every request about a file: of those about a position, on each line with a name."""
    document = {"uri": (root / path).as_uri()}
    start = {"line": 0, "character": 0}
    end = {"line": text.count("\n") + 1, "character": 0}
    about_all = {"textDocument": document, "range": {"start": start, "end": end}}
    for line, line_text in enumerate(text.split("\n")):
        if any(
            word in line_text for word in ("class ", "super()", "import L", "self[")
        ):
            position = {"line": line, "character": len(line_text)}
            for name in POSITION_REQUESTS:
                params = {"textDocument": document, "position": position}
                if name == "references":
                    params["context"] = {"includeDeclaration": False}
                yield f"textDocument/{name}", params
    for only in ([], ["source.fixAll"]):
        context = {"diagnostics": [], "only": only}
        yield "textDocument/codeAction", {**about_all, "context": context}
    yield "textDocument/codeLens", {"textDocument": document}
    yield "textDocument/inlayHint", about_all
    yield "modular/preview", {"textDocument": document}
    arguments = [document["uri"], 2]
    command = {"command": "modular.goToOrigin", "arguments": arguments}
    yield "workspace/executeCommand", command


def notify(wire: Wire, name: str, **params: Any) -> None:
    wire.send({"method": f"textDocument/{name}", "params": params})


def open_file(wire: Wire, root: Path, path: str, text: str) -> dict[str, str]:
    """Open a file with a text; return what names it in requests."""
    uri = (root / path).as_uri()
    item = {"uri": uri, "languageId": "python", "version": 1, "text": text}
    notify(wire, "didOpen", textDocument=item)
    return {"uri": uri}


def report_change(wire: Wire, root: Path, path: str) -> None:
    changes = [{"uri": (root / path).as_uri(), "type": 2}]
    method = "workspace/didChangeWatchedFiles"
    wire.send({"method": method, "params": {"changes": changes}})


@pytest.mark.parametrize("typed", HALF_TYPED)
@pytest.mark.parametrize("path", [OLMO, LLAMA, AYA])
@pytest.mark.parametrize("is_open", [True, False], ids=["open", "on disk"])
def test_every_request_about_half_typed_files_is_answered(
    wire: Wire, root: Path, path: str, typed: str, is_open: bool
) -> None:
    text = f"{FILES[path]}\n\n{typed}"
    opened = {}
    if is_open:
        opened[path] = open_file(wire, root, path, text)
    else:
        (root / path).write_text(text, encoding="utf-8")
        report_change(wire, root, path)
    if OLMO not in opened:
        opened[OLMO] = open_file(wire, root, OLMO, FILES[OLMO])

    texts = {OLMO: FILES[OLMO], OLMO_MADE: FILES[OLMO_MADE], path: text}
    for asked, asked_text in texts.items():
        for method, params in requests(root, asked, asked_text):
            answer = wire.ask(method, params)
            assert "error" not in answer, (method, params, answer)

    for document in opened.values():
        notify(wire, "didClose", textDocument=document)
    (root / path).write_text(FILES[path], encoding="utf-8")
    report_change(wire, root, path)


def test_what_is_above_a_half_typed_class_is_still_explained(
    wire: Wire, root: Path
) -> None:
    document = open_file(wire, root, OLMO, f"{FILES[OLMO]}\n\nclass X(Lla")
    position = {"line": 5, "character": 8}
    params = {"textDocument": document, "position": position}
    (location,) = wire.ask("textDocument/definition", params)["result"]
    assert location["uri"] == (root / LLAMA).as_uri()

    position = {"line": FILES[OLMO].count("\n") + 2, "character": 11}
    params = {"textDocument": document, "position": position}
    bases = wire.ask("textDocument/completion", params)["result"]
    assert [item["label"] for item in bases] == ["LlamaNorm"]
    notify(wire, "didClose", textDocument=document)
