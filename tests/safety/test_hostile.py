"""Hostile sources end in an error within bounded time and memory, never in a crash or a traceback."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest


pytestmark = pytest.mark.slow

CHILD = "from ..base.modeling_base import BaseMLP\n\n\nclass ChildMLP(BaseMLP):\n    pass\n"
BASE = "class BaseMLP:\n    pass\n"
DEEP = 100_000
MEMORY = 1_500_000_000
SECONDS = 60

HOSTILE: dict[str, tuple[bytes, str]] = {
    "parentheses": (b"x = " + b"(" * DEEP + b")" * DEEP + b"\n", "MOD101|MOD106"),
    "brackets": (b"x = " + b"[" * DEEP + b"]" * DEEP + b"\n", "MOD101|MOD106"),
    "unary operators": (b"x = " + b"-" * DEEP + b"1\n", "MOD106"),
    "words": (b"x = " + b"not " * DEEP + b"1\n", "MOD106"),
    "attributes": (b"x = a" + b".a" * DEEP + b"\n", "MOD106"),
    "calls": (b"x = a" + b"()" * DEEP + b"\n", "MOD106"),
    "binary operators": (b"x = 1" + b" + 1" * DEEP + b"\n", "MOD106"),
    "powers": (b"x = 1" + b" ** 1" * DEEP + b"\n", "MOD106"),
    "lambdas": (b"x = " + b"lambda: " * DEEP + b"1\n", "MOD106"),
    "indents": (b"".join(b" " * depth + b"if x:\n" for depth in range(1000)) + b" " * 1000 + b"x\n", "MOD101|MOD106"),
    "f-strings": (b"x = " + b'f"{' * 1000 + b"1" + b'}"' * 1000 + b"\n", "MOD101|MOD106"),
    "a NUL byte": (b"x = 1\0\n", "MOD102"),
    "UTF-16": ("x = 'é'\n".encode("utf-16"), "MOD102"),
    "Latin-1": ("x = 'é'\n".encode("latin-1"), "MOD102"),
    "an open string": (b'x = """\n' + b"a\n" * 1000, "MOD101"),
    "an open bracket": (b"x = (\n" + b"a,\n" * 1000, "MOD101"),
    "a line of 50 MB": (b"x = '" + b"a" * 50_000_000 + b"'\n", "MOD110"),
}


def bounded() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def convert(root: Path, files: dict[str, bytes]) -> subprocess.CompletedProcess[str]:
    """Convert a project in a process of its own, with little memory and time; a crash is a negative return code."""
    for path, data in {"pyproject.toml": b"[tool.modular]\n", **files}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
    command = [sys.executable, "-m", "modular", "convert", "--root", str(root), "--jobs", "1", "--no-cache"]
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
        preexec_fn=bounded,
        env={**os.environ, "NO_COLOR": "1"},
    )


@pytest.mark.parametrize("name", HOSTILE)
def test_in_a_modular_file(tmp_path: Path, name: str) -> None:
    data, codes = HOSTILE[name]
    modular = data if data.startswith(b"\xff") else CHILD.encode() + data
    files = {"models/base/modeling_base.py": BASE.encode(), "models/child/modular_child.py": modular}
    done = convert(tmp_path, files)
    assert done.returncode == 1, (done.returncode, done.stderr[-500:])
    assert any(code in done.stderr for code in codes.split("|")), done.stderr[-500:]
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "models/child/modeling_child.py").exists()


@pytest.mark.parametrize("name", HOSTILE)
def test_in_a_parent_file(tmp_path: Path, name: str) -> None:
    """What the child does not need of it may go unseen; but it is an error, or the child is right."""
    data, _ = HOSTILE[name]
    base = data if data.startswith(b"\xff") else BASE.encode() + data
    files = {"models/base/modeling_base.py": base, "models/child/modular_child.py": CHILD.encode()}
    done = convert(tmp_path, files)
    assert done.returncode in (0, 1), (done.returncode, done.stderr[-500:])
    assert "Traceback" not in done.stderr
    output = tmp_path / "models/child/modeling_child.py"
    assert output.exists() == (done.returncode == 0)
    if done.returncode == 0:
        assert output.read_text(encoding="utf-8").endswith("\nclass ChildMLP:\n    pass\n")


@pytest.mark.parametrize("name", ["parentheses", "a NUL byte", "UTF-16", "an open string"])
def test_in_the_settings(tmp_path: Path, name: str) -> None:
    done = convert(tmp_path, {"pyproject.toml": HOSTILE[name][0], "models/child/modular_child.py": CHILD.encode()})
    assert done.returncode == 2
    assert "pyproject.toml" in done.stderr
    assert "Traceback" not in done.stderr
