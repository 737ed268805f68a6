"""A client that writes and reads messages as they are."""

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from tests.lsp.conftest import SERVER


class Wire:
    """The server's input and output, as bytes; its log goes to ``log``."""

    def __init__(
        self,
        root: Path,
        env: Mapping[str, str] | None = None,
        log: IO[bytes] | None = None,
        capabilities: Mapping[str, Any] | None = None,
    ) -> None:
        pipe = subprocess.PIPE
        errors = subprocess.DEVNULL if log is None else log
        self.process = subprocess.Popen(
            SERVER, stdin=pipe, stdout=pipe, stderr=errors, cwd=root, env=env
        )
        self.number = 0
        folder = {"uri": root.as_uri(), "name": "project"}
        self.ask(
            "initialize",
            {
                "processId": None,
                "capabilities": capabilities or {},
                "rootUri": None,
                "workspaceFolders": [folder],
            },
        )
        self.send({"method": "initialized", "params": {}})

    def write(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def ask(self, method: str, params: Any) -> dict[str, Any]:
        """Send a request, and return the message that answers it."""
        return self.answer(self.begin(method, params))

    def begin(self, method: str, params: Any) -> int:
        """Send a request, and return its number."""
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        return self.number

    def answer(self, number: int) -> dict[str, Any]:
        """Return the message that answers a request."""
        while (message := self.read()).get("id") != number:
            pass
        return message

    def read(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        length = 0
        while line := self.process.stdout.readline().strip():
            name, _, value = line.partition(b":")
            length = int(value) if name == b"Content-Length" else length
        message: dict[str, Any] = json.loads(self.process.stdout.read(length))
        return message
