"""Messages that no editor should send: what can be answered is answered, and the server goes on."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from threading import Timer
from typing import IO, Any

import pytest

from tests.lsp.conftest import SERVER
from tests.lsp.texts import FILES, OLMO, OLMO_MADE
from tests.lsp.wire import Wire
from tests.support import write_project


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    write_project(folder, FILES)
    return folder


@pytest.fixture(scope="module")
def wire(root: Path) -> Iterator[Wire]:
    wire = Wire(root)
    with wire.process:
        yield wire
        wire.ask("shutdown", None)
        wire.send({"method": "exit"})
        assert wire.process.wait(10) == 0


def answers_in_order(wire: Wire, root: Path) -> bool:
    """Whether the server answers a request that is in order."""
    document = {
        "uri": (root / OLMO).as_uri(),
        "languageId": "python",
        "version": 1,
        "text": FILES[OLMO],
    }
    wire.send({"method": "textDocument/didOpen", "params": {"textDocument": document}})
    line = FILES[OLMO].split("\n").index("class OlmoMLP(LlamaMLP):")
    params = {
        "textDocument": {"uri": document["uri"]},
        "position": {"line": line, "character": len("class O")},
    }
    answer = wire.ask("textDocument/hover", params)
    return "class OlmoMLP" in answer["result"]["contents"]["value"]


def message(body: object) -> bytes:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return b"Content-Length: %d\r\n\r\n" % len(data) + data


def request(number: int, method: str, params: object) -> bytes:
    return message({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


def answers(output: IO[bytes], last: int) -> dict[int, object]:
    """Read the answers to requests, by number, up to the last one that is waited for; errors as their code."""
    found: dict[int, object] = {}
    while last not in found and (head := output.readline()):
        length = int(head.removeprefix(b"Content-Length: "))
        while output.readline().strip():
            pass
        body = json.loads(output.read(length))
        if body.get("id") is not None and "method" not in body:
            found[body["id"]] = (
                body["result"] if "result" in body else body["error"]["code"]
            )
    return found


BAD = [
    ("textDocument/hover", {"textDocument": {"uri": 5}, "position": {"line": "x"}}),
    (
        "textDocument/hover",
        {
            "textDocument": {"uri": "file:///x"},
            "position": {"line": 0, "character": 10**9},
        },
    ),
    ("textDocument/definition", {}),
    ("textDocument/completion", None),
    (
        "textDocument/didChange",
        {
            "textDocument": {"uri": "file:///never/opened.py", "version": 1},
            "contentChanges": [],
        },
    ),
    (
        "workspace/executeCommand",
        {"command": "modular.convert", "arguments": [{"x": [1]}]},
    ),
    ("workspace/executeCommand", {"command": "modular.goToOrigin", "arguments": []}),
    (
        "workspace/executeCommand",
        {"command": "modular.goToOrigin", "arguments": [1, "x", 2]},
    ),
    (
        "workspace/executeCommand",
        {"command": "modular.showReferences", "arguments": [1]},
    ),
    ("workspace/executeCommand", {"command": "rm", "arguments": []}),
    ("no/such", {"x": 1}),
]


@pytest.mark.parametrize(
    "data",
    [
        b"Content-Length: 9\r\n\r\n{not json",
        b"Content-Length: 2\r\n\r\n[]",
        b"Content-Length: 4\r\n\r\nnull",
        b"Content-Length: 3\r\n\r\n\xff\xfe\x00",
        b"Content-Length: nine\r\n\r\n",
        b"Content-Length: -9\r\n\r\n",
        b"Something: else\r\n\r\n",
        b'Content-Length: 17\r\n\r\n{"jsonrpc":"2.0"}',
    ],
)
def test_what_is_no_message(wire: Wire, root: Path, data: bytes) -> None:
    wire.write(data)
    assert answers_in_order(wire, root)


@pytest.mark.parametrize(
    "method", ["hover", "definition", "completion", "references", "codeAction"]
)
@pytest.mark.parametrize(
    "params", [None, [], {}, {"textDocument": {"uri": OLMO}, "position": {"line": -1}}]
)
def test_a_request_that_cannot_be_read_is_answered(
    wire: Wire, root: Path, method: str, params: Any
) -> None:
    assert (
        wire.ask(f"textDocument/{method}", params)["error"]["message"]
        == "Invalid Params"
    )
    assert answers_in_order(wire, root)


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("textDocument/didChange", {}),
        (
            "textDocument/didChange",
            {
                "textDocument": {"uri": "file:///etc/passwd", "version": 1},
                "contentChanges": [],
            },
        ),
        ("textDocument/didClose", {"textDocument": {"uri": "file:///nowhere"}}),
        (
            "workspace/didChangeWatchedFiles",
            {"changes": [{"uri": "file:///nowhere", "type": 99}]},
        ),
        ("workspace/didChangeConfiguration", {"settings": [1]}),
        (
            "workspace/didChangeWorkspaceFolders",
            {"event": {"added": [], "removed": [{"uri": "no", "name": "no"}]}},
        ),
        ("$/cancelRequest", {"id": 12345}),
        ("textDocument/nothing", [1, 2]),
    ],
)
def test_a_notification_that_makes_no_sense(
    wire: Wire, root: Path, method: str, params: Any
) -> None:
    wire.send({"method": method, "params": params})
    assert answers_in_order(wire, root)


@pytest.mark.parametrize(
    "arguments", [[], [5], [OLMO_MADE, "x"], [{"uri": OLMO}], [None, None, None]]
)
@pytest.mark.parametrize("command", ["modular.goToOrigin", "modular.convert"])
def test_commands_with_arguments_that_make_no_sense(
    wire: Wire, root: Path, command: str, arguments: list[Any]
) -> None:
    answer = wire.ask(
        "workspace/executeCommand", {"command": command, "arguments": arguments}
    )
    assert answer["result"] is None
    assert (root / OLMO_MADE).read_text(encoding="utf-8") == FILES[OLMO_MADE]


@pytest.mark.parametrize("line", [-5, 10**12])
def test_lines_that_are_not_there(wire: Wire, root: Path, line: int) -> None:
    """What no line of a generated file is comes from the modular file as a whole."""
    arguments = [(root / OLMO_MADE).as_uri(), line]
    result = wire.ask(
        "workspace/executeCommand",
        {"command": "modular.goToOrigin", "arguments": arguments},
    )["result"]
    assert (result["uri"], result["range"]["start"]["line"]) == (
        (root / OLMO).as_uri(),
        0,
    )


def test_an_editor_that_goes_away_takes_the_server_along(root: Path) -> None:
    wire = Wire(root)
    with wire.process:
        assert answers_in_order(wire, root)
        assert wire.process.stdin is not None
        wire.process.stdin.close()
        assert wire.process.wait(10) == 0


def test_no_request_ends_the_server(tmp_path: Path) -> None:
    write_project(tmp_path, FILES)
    folders = [{"uri": tmp_path.as_uri(), "name": "project"}]
    start = {
        "processId": None,
        "rootUri": tmp_path.as_uri(),
        "workspaceFolders": folders,
        "capabilities": {},
    }
    document = {
        "uri": (tmp_path / OLMO).as_uri(),
        "languageId": "python",
        "version": 1,
        "text": FILES[OLMO],
    }
    sent = [
        request(1, "initialize", start),
        message({"jsonrpc": "2.0", "method": "initialized", "params": {}}),
        message(
            {
                "jsonrpc": "2.0",
                "method": "textDocument/didOpen",
                "params": {"textDocument": document},
            }
        ),
        message(b"no json"),
        message(b"[]"),
        message({"jsonrpc": "2.0"}),
        *(
            request(number, method, params)
            for number, (method, params) in enumerate(BAD, start=100)
        ),
        request(
            2,
            "textDocument/hover",
            {
                "textDocument": {"uri": document["uri"]},
                "position": {"line": 5, "character": 8},
            },
        ),
    ]
    with subprocess.Popen(
        SERVER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as server:
        assert server.stdin is not None and server.stdout is not None
        patience = Timer(60, server.kill)
        patience.start()
        server.stdin.write(b"".join(sent))
        server.stdin.flush()
        replies = answers(server.stdout, 2)
        server.stdin.write(
            request(3, "shutdown", None) + message({"jsonrpc": "2.0", "method": "exit"})
        )
        server.stdin.flush()
        assert answers(server.stdout, 3) == {3: None}
        assert server.wait() == 0
        patience.cancel()
    assert "class OlmoMLP(nn.Module):" in str(replies[2])
