"""Commands on a terminal of 80 columns: no line is longer, and no name is broken."""

import fcntl
import os
import re
import struct
import subprocess
import sys
import termios
from contextlib import suppress
from pathlib import Path

import pytest

from tests.support import write_project


PARENT = """
from torch import nn


class LlamaPreTrainedModelWithALongName(nn.Module):
    pass


class LlamaForSequenceClassificationWithHeads(LlamaPreTrainedModelWithALongName):
    pass


class LlamaForTokenClassificationWithHeads(LlamaPreTrainedModelWithALongName):
    pass
"""
MODULAR = """
from ..llama.modeling_llama import (
    LlamaForSequenceClassificationWithHeads,
    LlamaForTokenClassificationWithHeads,
)


class OlmoForSequenceClassificationWithHeads(LlamaForSequenceClassificationWithHeads):
    pass


class OlmoForTokenClassificationWithHeads(LlamaForTokenClassificationWithHeads):
    pass
"""
FILES = {
    "models/llama/modeling_llama.py": PARENT,
    "models/olmo/modular_olmo.py": MODULAR,
}
COLUMNS = 80
NAME = "OlmoForSequenceClassificationWithHeads"


def run_on_terminal(*arguments: str, cwd: Path) -> list[str]:
    """Return the lines that a command prints on standard output, a terminal."""
    screen, end = os.openpty()
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
    environment = {**os.environ, "NO_COLOR": "1"}
    environment.pop("COLUMNS", None)
    process = subprocess.Popen(
        [sys.executable, "-m", "modular", *arguments],
        cwd=cwd,
        env=environment,
        stdout=end,
        stderr=subprocess.DEVNULL,
    )
    os.close(end)
    output = b""
    # Linux reports an error when the other end of the terminal is closed.
    with suppress(OSError):
        while chunk := os.read(screen, 65536):
            output += chunk
    os.close(screen)
    process.wait()
    return output.decode().replace("\r\n", "\n").splitlines()


@pytest.mark.parametrize(
    "arguments",
    [
        ("convert", "olmo", "--diff"),
        ("new", "my_own_model", "--from", "llama", "--diff"),
        ("where", "models/llama/modeling_llama.py:9"),
        ("graph",),
        ("nearest", "models/llama/modeling_llama.py", "--verbose"),
        ("rule",),
    ],
    ids=lambda arguments: arguments[0],
)
def test_no_line_is_longer_than_the_terminal(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    write_project(tmp_path, FILES)
    lines = run_on_terminal(*arguments, cwd=tmp_path)
    listed = []
    for line in lines:
        # Code is shown as it is in the file.
        if line.startswith(("--- ", "+++ ", "@@")):
            break
        if ": class " in line:
            continue
        listed.append(line)
    assert len(listed) > 2
    assert max(map(len, listed)) <= COLUMNS


def test_names_stay_whole(tmp_path: Path) -> None:
    write_project(tmp_path, FILES)
    lines = run_on_terminal("convert", "olmo", "--diff", cwd=tmp_path)
    assert f"  {NAME} (OlmoPreTrainedModelWithALongName)" in lines
    graph = run_on_terminal("graph", cwd=tmp_path)
    assert "    LlamaForTokenClassificationWithHeads" in graph


def test_blame_shows_whole_lines_in_one_row_each(tmp_path: Path) -> None:
    write_project(tmp_path, FILES)
    run_on_terminal("convert", "olmo", cwd=tmp_path)
    rows = run_on_terminal("blame", "models/olmo/modeling_olmo.py", cwd=tmp_path)
    place = "models/llama/modeling_llama.py:13"
    code = "class OlmoForTokenClassificationWithHeads(OlmoPreTrainedModelWithALon"
    assert any(row.startswith(f"inherited {place} 12) {code}") for row in rows)


def test_a_page_is_rendered_on_a_terminal_and_is_markdown_in_a_pipe(
    tmp_path: Path,
) -> None:
    lines = run_on_terminal("rule", "MOD402", cwd=tmp_path)
    assert lines[0] == "MOD402 removed-member-still-used (warning)"
    assert not any(re.match("```|#", line) for line in lines)
    piped = subprocess.run(
        [sys.executable, "-m", "modular", "rule", "MOD402"],
        check=True,
        capture_output=True,
        text=True,
    )
    assert piped.stdout.startswith("# MOD402")
