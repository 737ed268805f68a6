"""The language server's measure: from a key stroke to its diagnostics, and answers after an edit of a parent file."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import IO, Any

from bench.corpus import MODELS
from bench.table import MEGABYTES, MILLISECONDS, SECONDS, Figure, Row


_MODEL = "bench_editor"
_PARENTS = {
    "llama": ("Llama", ("MLP", "Attention", "DecoderLayer", "Model", "ForCausalLM")),
    "clip": ("CLIP", ("MLP", "Attention", "EncoderLayer", "Encoder")),
    "mixtral": ("Mixtral", ("Experts", "Attention", "DecoderLayer", "Model")),
    "gemma2": ("Gemma2", ("MLP", "Attention", "DecoderLayer", "Model")),
}
_STROKES = 30
"""Key strokes that are measured in a file."""

_LOOKED_AT = f"{MODELS}/llama/modeling_llama.py"
_CONVERTED = ("mistral", "olmo", "gemma", "qwen2", "phi3")
"""Models that are converted while what depends on the Llama file is computed."""

_CAPABILITIES = {
    "workspace": {
        "workspaceFolders": True,
        "didChangeWatchedFiles": {"dynamicRegistration": True},
    },
    "textDocument": {
        "synchronization": {"didSave": True},
        "publishDiagnostics": {"versionSupport": True},
    },
    "general": {"positionEncodings": ["utf-16"]},
}


@dataclass(frozen=True, slots=True)
class EditorCost:
    """What a session took, in seconds and megabytes.

    ``diagnosed``: from the start of the process to the first diagnostics. ``short`` and ``long``: from each key stroke to its
    diagnostics, in a file of 500 and in one of 4,000 lines. ``references`` and ``conversions``: answers after an
    edit of a parent file that many models depend on. ``memory``: the most that the process had.
    """

    diagnosed: float
    short: tuple[float, ...]
    long: tuple[float, ...]
    references: tuple[float, ...]
    conversions: tuple[float, ...]
    memory: float


def measure(root: Path, environment: Mapping[str, str]) -> EditorCost:
    """Open the corpus, type in two synthetic modular files, and ask while a parent file is being looked at."""
    started = time.perf_counter()
    with _server(root, environment) as client:
        client.start(root)
        short, long = (
            _File(root / MODELS / f"{_MODEL}_{size}", size) for size in (500, 4000)
        )
        client.open(short.path, short.text)
        client.wait_for_diagnostics(short.path)
        diagnosed = time.perf_counter() - started
        client.ask(
            "textDocument/codeLens", {"textDocument": {"uri": short.path.as_uri()}}
        )  # all files are read
        short_strokes = tuple(
            client.stroke(short, number) for number in range(_STROKES)
        )
        client.open(long.path, long.text)
        client.wait_for_diagnostics(long.path)
        long_strokes = tuple(client.stroke(long, number) for number in range(_STROKES))
        references, conversions = _ask_after_edit(client, root)
        memory = client.memory()
        client.stop()
    return EditorCost(
        diagnosed, short_strokes, long_strokes, references, conversions, memory
    )


def _ask_after_edit(
    client: "_Client", root: Path
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Edit the Llama file, and ask for references and conversions at once."""
    llama = root / _LOOKED_AT
    text = llama.read_text(encoding="utf-8")
    client.open(llama, text)
    line = next(
        number
        for number, code in enumerate(text.split("\n"))
        if code.startswith("class LlamaMLP")
    )
    client.change(llama, line, len("class LlamaMLP(nn.Module):"), "  # changed")
    time.sleep(1.0)  # open files are diagnosed once nobody types
    place = {
        "textDocument": {"uri": llama.as_uri()},
        "position": {"line": line, "character": 8},
    }
    references, conversions = [], []
    for model in _CONVERTED:
        started = time.perf_counter()
        answer = client.ask(
            "textDocument/references",
            {**place, "context": {"includeDeclaration": False}},
        )
        references.append(time.perf_counter() - started)
        assert len(answer) > 10, answer
        uri = (root / MODELS / model / f"modular_{model}.py").as_uri()
        started = time.perf_counter()
        client.ask(
            "workspace/executeCommand",
            {"command": "modular.convert", "arguments": [uri]},
        )
        conversions.append(time.perf_counter() - started)
    return tuple(references), tuple(conversions)


class _File:
    """A modular file of about so many lines: classes that inherit from four models, and some of its own."""

    def __init__(self, folder: Path, size: int) -> None:
        folder.mkdir(exist_ok=True)
        self.path = folder / f"modular_{folder.name}.py"
        self.text = "\n".join(_lines(folder.name, size)) + "\n"
        self.path.write_text(self.text, encoding="utf-8")


def _lines(model: str, size: int) -> list[str]:
    lines = ["from torch import nn", ""]
    prefix = "".join(part.capitalize() for part in model.split("_"))
    for parent, (cased, endings) in _PARENTS.items():
        lines.append(
            f"from ..{parent}.modeling_{parent} import {', '.join(sorted(cased + ending for ending in endings))}"
        )
    for parent, (cased, endings) in _PARENTS.items():
        for ending in endings:
            lines += [
                "",
                "",
                f"class {prefix}{parent.capitalize()}{ending}({cased}{ending}):",
                *_method(8),
            ]
    number = 0
    while len(lines) < size:
        lines += [
            "",
            "",
            f"class {prefix}Block{number}(nn.Module):",
            *_init(),
            "",
            *_method(12),
        ]
        number += 1
    return lines


def _init() -> list[str]:
    linear = "nn.Linear(config.hidden_size, config.hidden_size)"
    projections = [f"        self.proj_{number} = {linear}" for number in range(4)]
    return [
        "    def __init__(self, config):",
        "        super().__init__()",
        *projections,
    ]


def _method(size: int) -> list[str]:
    return [
        "    def forward(self, hidden_states, scale=1.0, **kwargs):",
        *(
            f"        hidden_states = hidden_states * scale + {number}"
            for number in range(size)
        ),
        "        return hidden_states",
    ]


@dataclass
class _Client:
    """Just enough of a language client."""

    process: subprocess.Popen[bytes]
    input: IO[bytes]
    output: IO[bytes]
    number: int = 0
    versions: dict[Path, int] = field(default_factory=dict)

    def start(self, root: Path) -> None:
        """Greet the server as editors do."""
        folders = [{"uri": root.as_uri(), "name": "corpus"}]
        params = {
            "processId": None,
            "rootUri": None,
            "workspaceFolders": folders,
            "capabilities": _CAPABILITIES,
        }
        self.ask("initialize", params)
        self.tell("initialized", {})

    def open(self, file: Path, text: str) -> None:
        """Open a file."""
        self.versions[file] = 1
        document = {
            "uri": file.as_uri(),
            "languageId": "python",
            "version": 1,
            "text": text,
        }
        self.tell("textDocument/didOpen", {"textDocument": document})

    def change(
        self, file: Path, line: int, column: int, text: str, length: int = 0
    ) -> None:
        """Replace some characters of a line."""
        self.versions[file] += 1
        start = {"line": line, "character": column}
        change = {
            "range": {"start": start, "end": {**start, "character": column + length}},
            "text": text,
        }
        document = {"uri": file.as_uri(), "version": self.versions[file]}
        self.tell(
            "textDocument/didChange",
            {"textDocument": document, "contentChanges": [change]},
        )

    def stroke(self, file: _File, number: int) -> float:
        """Misspell a name in the middle of a file, or correct it again; return how long its diagnostics took."""
        lines = file.text.split("\n")
        line = lines.index(
            "        hidden_states = hidden_states * scale + 3", len(lines) // 2
        )
        column = len("        hidden_states = hidden_states * scal")
        started = time.perf_counter()
        self.change(file.path, line, column, "" if number % 2 else "x", number % 2)
        published = self.wait_for_diagnostics(file.path)
        took = time.perf_counter() - started
        assert any("scalxe" in diagnostic["message"] for diagnostic in published) == (
            number % 2 == 0
        ), published
        return took

    def wait_for_diagnostics(self, file: Path) -> list[dict[str, Any]]:
        """Return the diagnostics of the newest text of a file."""
        while True:
            message = self._read()
            params = message.get("params") or {}
            if (
                message.get("method") == "textDocument/publishDiagnostics"
                and params["uri"] == file.as_uri()
            ):
                if params.get("version") == self.versions[file]:
                    diagnostics: list[dict[str, Any]] = params["diagnostics"]
                    return diagnostics

    def ask(self, method: str, params: Mapping[str, Any]) -> Any:
        """Return the answer to a request."""
        self.number += 1
        self._send({"method": method, "params": params, "id": self.number})
        while (message := self._read()).get("id") != self.number or "method" in message:
            pass
        assert "error" not in message, message
        return message["result"]

    def tell(self, method: str, params: Mapping[str, Any]) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    def memory(self) -> float:
        """The most megabytes that the process had so far; 0 where the system does not tell."""
        status = Path(f"/proc/{self.process.pid}/status")
        lines = (
            status.read_text(encoding="utf-8").splitlines() if status.exists() else []
        )
        return next(
            (
                int(line.split()[1]) / 1000
                for line in lines
                if line.startswith("VmHWM:")
            ),
            0.0,
        )

    def stop(self) -> None:
        """End the server as editors do: it leaves nothing behind."""
        self.ask("shutdown", {})
        self.tell("exit", {})
        self.process.wait()

    def _send(self, message: Mapping[str, Any]) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.input.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        self.input.flush()

    def _read(self) -> dict[str, Any]:
        length = 0
        while line := self.output.readline().strip():
            if line.startswith(b"Content-Length:"):
                length = int(line.split(b":")[1])
        message: dict[str, Any] = json.loads(self.output.read(length))
        return message


@contextmanager
def _server(root: Path, environment: Mapping[str, str]) -> Iterator[_Client]:
    command = [str(Path(sys.executable).with_name("modular")), "lsp"]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command,
        cwd=root,
        env=dict(environment),
        stdin=pipe,
        stdout=pipe,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            assert process.stdin is not None and process.stdout is not None
            yield _Client(process, process.stdin, process.stdout)
        finally:
            process.kill()


def editor_rows(sessions: Sequence[EditorCost]) -> tuple[Row, ...]:
    """Make the table of some sessions: medians over them, the slowest answers, and the largest memory."""

    def strokes(what: str, times: Sequence[float], bound: float) -> Row:
        slowest = f"the slowest of {len(times)}: {1000 * max(times):.0f} ms"
        return Row(
            what, (Figure(1000 * median(times), bound, form=MILLISECONDS),), slowest
        )

    def slowest(what: str, times: Sequence[float]) -> Row:
        return Row(
            what,
            (Figure(max(times), 0.5, form=SECONDS),),
            f"median: {median(times):.2f} s",
        )

    return (
        Row(
            "from the start to the first diagnostics",
            (Figure(median(e.diagnosed for e in sessions), 1.5, SECONDS),),
        ),
        strokes(
            "key stroke to diagnostics, 500 lines, median",
            [t for e in sessions for t in e.short],
            100,
        ),
        strokes(
            "key stroke to diagnostics, 4,000 lines, median",
            [t for e in sessions for t in e.long],
            300,
        ),
        slowest(
            "references after an edit of a parent file, slowest",
            [t for e in sessions for t in e.references],
        ),
        slowest(
            "`modular.convert` of five models then, slowest",
            [t for e in sessions for t in e.conversions],
        ),
        Row(
            "peak memory",
            (Figure(max(e.memory for e in sessions), 400, form=MEGABYTES),),
        ),
    )
