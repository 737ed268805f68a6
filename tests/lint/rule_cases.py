"""The examples of the rules' pages, converted as the command on them would."""

from collections.abc import Mapping
from contextlib import chdir
from pathlib import Path

from modular.cli.rendering.stale import stale_files
from modular.cli.rule_pages import Block
from modular.run import api
from modular.source.diagnostics import Diagnostic


_BYTES = {
    "saved as Latin-1": lambda text: text.encode("latin-1"),
    "... stands for 100,000 minus signs": lambda text: text.replace("...", "-" * 100_000).encode(),
    "... stands for 400,000 numbers": lambda text: text.replace("...", "1234, " * 400_000).encode(),
}
"""What a remark on a file says about its bytes."""


def data(block: Block) -> bytes:
    """Return what is on disk."""
    return _BYTES.get(block.remark, str.encode)(block.text)


def report(folder: Path, files: Mapping[str, Block], command: str = "") -> list[Diagnostic]:
    """Give the command in a project with these files, and return what is reported."""
    root = folder / "project"
    for path, content in {"pyproject.toml": b"", **{path: data(block) for path, block in files.items()}}.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    run = api.check if command.startswith("modular check") else api.convert
    with chdir(root):
        done = run(tuple(command.split()[2:]), options=api.Options(root=root, cache=False))
    return [*done.diagnostics, *stale_files(done.files)]
