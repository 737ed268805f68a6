"""What no client sends that is right, written to the server's standard input as it is."""

import json
import subprocess
from pathlib import Path
from threading import Timer
from typing import IO

import pytest

from tests.lsp.conftest import SERVER
from tests.lsp.texts import FILES, OLMO
from tests.support import write_project


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
    "between", [b"", message(b"no json"), message(b"[]"), message({"jsonrpc": "2.0"})]
)
def test_no_request_ends_the_server(tmp_path: Path, between: bytes) -> None:
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
        between,
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
