"""Reads Markdown pages as lists of fenced blocks."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


ROOT = Path(__file__).resolve().parents[2]
PAGES = tuple(
    path.relative_to(ROOT).as_posix()
    for path in (
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        *sorted((ROOT / "docs").rglob("*.md")),
    )
)

_FENCE = re.compile(r"(?P<indent> *)(?P<ticks>```+)(?P<language>\S*)")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: where it begins, its language and text, and ``lead``, the paragraph above it in one line."""

    page: str
    line: int
    language: str
    text: str
    lead: str

    @property
    def place(self) -> str:
        """Where it is, for messages."""
        return f"{self.page}:{self.line}"


def read(page: str) -> str:
    """Return the text of a page by its path relative to the root."""
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(page: str, *languages: str) -> list[Block]:
    """Return the fenced blocks of a page, or those of some languages."""
    return [
        block for block in _blocks(page) if not languages or block.language in languages
    ]


def prose(page: str) -> str:
    """Return a page without its fenced blocks."""
    lines = read(page).splitlines()
    for block in _blocks(page):
        for index in range(block.line - 1, block.line + block.text.count("\n") + 1):
            lines[index] = ""
    return "\n".join(lines)


def _blocks(page: str) -> Iterator[Block]:
    lines = read(page).splitlines()
    above: list[str] = []
    index = 0
    while index < len(lines):
        fence = _FENCE.fullmatch(lines[index])
        if fence is None:
            above.append(lines[index])
            index += 1
            continue
        end = lines.index(fence["indent"] + fence["ticks"], index + 1)
        inside = (line.removeprefix(fence["indent"]) for line in lines[index + 1 : end])
        yield Block(
            page,
            index + 1,
            fence["language"],
            "".join(f"{line}\n" for line in inside),
            _last_paragraph(above),
        )
        above, index = [], end + 1


def _last_paragraph(lines: list[str]) -> str:
    paragraphs = re.split(r"\n\s*\n", "\n".join(lines).strip())
    return " ".join(paragraphs[-1].split())
