"""The editor's measure: how long a server takes to open a project, and from a key stroke to its diagnostics."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from bench.corpus import MODELS


_MODEL = "bench_editor"
MODULAR = f"{MODELS}/{_MODEL}/modular_{_MODEL}.py"
"""The synthetic modular file, below the corpus."""

LINES = 2000
"""Its lines, about."""

_PARENTS = ("llama", "clip", "mixtral", "gemma2")
_CLASSES = {
    "llama": ("LlamaMLP", "LlamaAttention", "LlamaDecoderLayer", "LlamaModel", "LlamaForCausalLM"),
    "clip": ("CLIPMLP", "CLIPAttention", "CLIPEncoderLayer", "CLIPEncoder"),
    "mixtral": ("MixtralExperts", "MixtralAttention", "MixtralDecoderLayer", "MixtralModel"),
    "gemma2": ("Gemma2MLP", "Gemma2Attention", "Gemma2DecoderLayer", "Gemma2Model"),
}
_CASED = {"llama": "Llama", "clip": "CLIP", "mixtral": "Mixtral", "gemma2": "Gemma2"}
_STROKES = 40
"""Key strokes that are measured in a session."""

_CAPABILITIES = {
    "workspace": {
        "workspaceFolders": True,
        "configuration": True,
        "didChangeWatchedFiles": {"dynamicRegistration": True},
    },
    "textDocument": {
        "synchronization": {"didSave": True},
        "publishDiagnostics": {"relatedInformation": True, "versionSupport": True},
        "completion": {"completionItem": {"snippetSupport": False, "documentationFormat": ["markdown", "plaintext"]}},
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "definition": {"linkSupport": True},
        "references": {},
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
        "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}},
        "codeLens": {},
    },
    "window": {"showDocument": {"support": True}, "showMessage": {}},
    "general": {"positionEncodings": ["utf-16"]},
}
"""What an editor can do, in about as many words as editors use."""


@dataclass(frozen=True, slots=True)
class EditorCost:
    """What one session took: seconds, all but the last from the start of the server's process, and its megabytes.

    ``greeted``: it has answered `initialize`. ``answered``: it has answered a question about the modular file, which was
    opened at once. ``diagnosed``: it has published the first diagnostics of that file. ``strokes``: from each key stroke to
    the diagnostics that it gives. ``memory``: the most that it had, with every modular file of the corpus read.
    ``cpu`` and ``stroke_cpu``: the CPU seconds of its processes until ``diagnosed``, and of them and ruff for a key stroke.
    """

    greeted: float
    answered: float
    diagnosed: float
    strokes: tuple[float, ...]
    memory: float
    cpu: float
    stroke_cpu: float


def measure(root: Path, environment: Mapping[str, str]) -> EditorCost:
    """Open the synthetic modular file in the corpus project, and type in the middle of it."""
    file = root / MODULAR
    text = modular_text()
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, encoding="utf-8")
    try:
        started = time.perf_counter()
        with _server(root, environment) as client:
            greeted = client.start(root)
            answered, diagnosed, cpu = client.open(file, text)
            client.settle(file)
            before = client.cpu()
            strokes = tuple(client.stroke(file, text, number) for number in range(_STROKES))
            stroke_cpu, memory = (client.cpu() - before) / _STROKES, client.memory()
            client.stop()
        return EditorCost(greeted - started, answered - started, diagnosed - started, strokes, memory, cpu, stroke_cpu)
    finally:
        file.unlink()
        file.parent.rmdir()


def modular_text() -> str:
    """Make a modular file of about 2,000 lines: classes that inherit from four models, and some of its own."""
    lines = ["from torch import nn", ""]
    lines += [f"from ..{each}.modeling_{each} import {', '.join(sorted(_CLASSES[each]))}" for each in _PARENTS]
    for model in _PARENTS:
        for name in _CLASSES[model]:
            ending = name.removeprefix(_CASED[model])
            lines += ["", "", f"class BenchEditor{model.capitalize()}{ending}({name}):", *_method("forward", 8)]
    number = 0
    while len(lines) < LINES:
        lines += ["", "", f"class BenchEditorBlock{number}(nn.Module):", *_init(), "", *_method("forward", 12)]
        number += 1
    return "\n".join(lines) + "\n"


def _init() -> list[str]:
    return [
        "    def __init__(self, config):",
        "        super().__init__()",
        *(f"        self.proj_{each} = nn.Linear(config.hidden_size, config.hidden_size)" for each in range(4)),
    ]


def _method(name: str, size: int) -> list[str]:
    return [
        f"    def {name}(self, hidden_states, scale=1.0, **kwargs):",
        *(f"        hidden_states = hidden_states * scale + {each}" for each in range(size)),
        "        return hidden_states",
    ]


class _Client:
    """Just enough of a language client."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None and process.stdout is not None
        self._process = process
        self._input: IO[bytes] = process.stdin
        self._output: IO[bytes] = process.stdout
        self._version = 1

    def start(self, root: Path) -> float:
        """Greet the server as editors do; return when it answered."""
        folders = [{"uri": root.as_uri(), "name": "corpus"}]
        params = {"processId": None, "rootUri": None, "workspaceFolders": folders, "capabilities": _CAPABILITIES}
        self._send("initialize", params, 1)
        while self._read().get("id") != 1:
            pass
        answered = time.perf_counter()
        self._send("initialized", {})
        return answered

    def open(self, file: Path, text: str) -> tuple[float, float, float]:
        """Open a file, and ask at once from what its first class inherits.

        Return when that was answered, when there were diagnostics, and the CPU seconds until then.
        """
        document = {"uri": file.as_uri(), "languageId": "python", "version": 1, "text": text}
        self._send("textDocument/didOpen", {"textDocument": document})
        lines = text.split("\n")
        line = next(number for number, each in enumerate(lines) if each.startswith("class "))
        place = {"line": line, "character": lines[line].index("(") + 1}
        self._send("textDocument/definition", {"textDocument": {"uri": file.as_uri()}, "position": place}, 2)
        answered = diagnosed = cpu = 0.0
        while not answered or not diagnosed:
            message = self._read()
            if message.get("id") == 2:
                assert message["result"]["uri"].endswith("modeling_llama.py"), message
                answered = time.perf_counter()
            elif self._diagnostics(message, file) is not None:
                diagnosed, cpu = time.perf_counter(), self.cpu()
        return answered, diagnosed, cpu

    def settle(self, file: Path) -> None:
        """Wait until the server has read who inherits from whom, as an editor that shows lenses does."""
        self._send("textDocument/codeLens", {"textDocument": {"uri": file.as_uri()}}, 3)
        while self._read().get("id") != 3:
            pass

    def stroke(self, file: Path, text: str, number: int) -> float:
        """Type a letter of an undefined name in the middle of the file, or delete it; return the seconds until it is said."""
        line = text.split("\n").index("        hidden_states = hidden_states * scale + 3", len(text.split("\n")) // 2)
        place = {"line": line, "character": len("        hidden_states = hidden_states * scal")}
        end = {**place, "character": place["character"] + (number % 2)}
        self._version += 1
        change = {"range": {"start": place, "end": end}, "text": "" if number % 2 else "x"}
        document = {"uri": file.as_uri(), "version": self._version}
        started = time.perf_counter()
        self._send("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
        found = self._wait(file)
        took = time.perf_counter() - started
        assert any("scalxe" in each["message"] for each in found) == (number % 2 == 0), found
        return took

    def memory(self) -> float:
        """The most megabytes that the server's processes had so far, together; 0 where the system does not tell."""
        return sum(map(_most_memory, _family(self._process.pid)))

    def cpu(self) -> float:
        """The CPU seconds of the server's processes, and of what they have run, so far; 0 where the system does not tell."""
        return sum(map(_cpu, _family(self._process.pid)))

    def stop(self) -> None:
        """End the server as editors do: it leaves nothing behind."""
        self._send("shutdown", {}, 4)
        while self._read().get("id") != 4:
            pass
        self._send("exit", {})
        self._process.wait()

    def _wait(self, file: Path) -> list[dict[str, Any]]:
        """Return the diagnostics of the newest text."""
        while True:
            if (found := self._diagnostics(self._read(), file)) is not None:
                return found

    def _diagnostics(self, message: Mapping[str, Any], file: Path) -> list[dict[str, Any]] | None:
        """The diagnostics of the newest text of a file, if a message says them."""
        params = message.get("params") or {}
        if message.get("method") != "textDocument/publishDiagnostics" or params["uri"] != file.as_uri():
            return None
        return params["diagnostics"] if params.get("version") == self._version else None

    def _send(self, method: str, params: Mapping[str, Any], number: int | None = None) -> None:
        body = {"jsonrpc": "2.0", "method": method, "params": params} | ({} if number is None else {"id": number})
        data = json.dumps(body).encode()
        self._input.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        self._input.flush()

    def _read(self) -> dict[str, Any]:
        length = 0
        while line := self._output.readline().strip():
            if line.startswith(b"Content-Length:"):
                length = int(line.split(b":")[1])
        message: dict[str, Any] = json.loads(self._output.read(length))
        return message


def _family(process: int) -> list[int]:
    """A process and those that it has started."""
    lists = Path(f"/proc/{process}/task").glob("*/children")
    return [process, *(int(child) for each in lists for child in each.read_text(encoding="utf-8").split())]


def _most_memory(process: int) -> float:
    status = Path(f"/proc/{process}/status")
    lines = status.read_text(encoding="utf-8").splitlines() if status.exists() else []
    return next((int(line.split()[1]) / 1000 for line in lines if line.startswith("VmHWM:")), 0.0)


def _cpu(process: int) -> float:
    state = Path(f"/proc/{process}/stat")
    fields = state.read_text(encoding="utf-8").rpartition(")")[2].split() if state.exists() else []
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def _server(root: Path, environment: Mapping[str, str]) -> Iterator[_Client]:
    command = [str(Path(sys.executable).with_name("modular")), "lsp"]
    started = subprocess.Popen(
        command,
        cwd=root,
        env=dict(environment),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    with started as process:
        try:
            yield _Client(process)
        finally:
            process.kill()
