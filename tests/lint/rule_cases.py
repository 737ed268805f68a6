"""The examples of the findings' pages, converted as the command on them would."""

import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path

from modular.cli.rendering.by_cause import file_diagnostic
from modular.lint.rule_book import Page
from modular.run import api
from modular.source.diagnostics import Diagnostic


_BYTES = {
    "saved as Latin-1": lambda text: text.encode("latin-1"),
    "... stands for 100,000 minus signs": lambda text: text.replace(
        "...", "-" * 100_000
    ).encode(),
    "... stands for 400,000 numbers": lambda text: text.replace(
        "...", "1234, " * 400_000
    ).encode(),
}
"""What a remark on a file says about its bytes."""

_BLOCK = re.compile(
    r"^(?P<role>Given|Invalid|Finding|Fixed|Valid)(?: `(?P<path>[^`\n]+)`| command)?(?: \((?P<remark>[^)\n]+)\))?:\n\n"
    r"```\w+\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_COMMAND = "$ "
_ADDED = "in git's index"
"""A remark on a file of a repository."""


@dataclass(frozen=True)
class Block:
    """A fenced block of a page: what it is an example of, the file's path (empty: a command or a finding), and a remark."""

    role: str
    path: str
    remark: str
    text: str


@dataclass(frozen=True)
class Case:
    """An example of a page: files by path, the command that is given (by default all is converted), and what comes of it.

    ``finding`` is what is reported, as `path:line:column: message` and the hint; ``fixed`` the files after the first autofix.
    """

    files: Mapping[str, Block]
    command: str
    finding: str
    fixed: Mapping[str, Block]


def cases(page: Page) -> Iterator[Case]:
    """Yield the examples, each with the files that are given for all of them; one ends where another role begins anew."""
    given: dict[str, Block] = {}
    case: list[Block] = []
    for match in _BLOCK.finditer(page.text):
        block = Block(**match.groupdict(default=""))
        if block.role == "Given":
            given[block.path] = block
            continue
        if block.role in ("Invalid", "Valid") and case and case[-1].role != block.role:
            yield _case(given, case)
            case = []
        case.append(block)
    yield _case(given, case)


def _case(given: Mapping[str, Block], blocks: list[Block]) -> Case:
    sources = [block for block in blocks if block.role in ("Invalid", "Valid")]
    return Case(
        files={
            **given,
            **{
                block.path: block
                for block in sources
                if not block.text.startswith(_COMMAND)
            },
        },
        command=next(
            (
                block.text[2:].strip()
                for block in sources
                if block.text.startswith(_COMMAND)
            ),
            "",
        ),
        finding=next((block.text for block in blocks if block.role == "Finding"), ""),
        fixed={block.path: block for block in blocks if block.role == "Fixed"},
    )


def data(block: Block) -> bytes:
    """Return what is on disk."""
    return _BYTES.get(block.remark, str.encode)(block.text)


def report(
    folder: Path, files: Mapping[str, Block], command: str = ""
) -> list[Diagnostic]:
    """Give the command in a project with these files, and return what is reported."""
    root = folder / "project"
    for path, content in {
        "pyproject.toml": b'[tool.modular]\npreset = "transformers"\n',
        **{path: data(block) for path, block in files.items()},
    }.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    run = api.check if command.startswith("modular check") else api.convert
    arguments = command.split()[2:]
    options = api.Options(
        root=root,
        cache=False,
        info=True,
        force="--force" in arguments,
        require_added="--require-added" in arguments,
    )
    if options.require_added:
        added = [path for path, block in files.items() if block.remark == _ADDED]
        make_repository(root, added)
    targets = tuple(name for name in arguments if not name.startswith("--"))
    with chdir(root):
        done = run(targets, options=options)
    differing = (
        file
        for file in done.files
        if file.status in (api.Status.STALE, api.Status.MISSING)
    )
    return [*done.diagnostics, *map(file_diagnostic, differing)]


def make_repository(root: Path, added: Sequence[str]) -> None:
    """Make a git repository of a folder, with some of its files in the index."""
    for arguments in (["init", "--quiet"], ["add", "--", *added]):
        subprocess.run(["git", *arguments], cwd=root, check=True)
