"""Reads the pages of a review as its script does."""

import json
import re
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Line:
    """What a model's page knows of a generated line: its kind and origin, what it belongs to, and who wrote it."""

    kind: str
    path: str | None
    line: int
    owner: str
    in_modular: int
    renamed: str
    written: str


def origins(page: str) -> dict[str, Line]:
    """Return what a page says of each generated line, by identifiers such as `modeling-L2`."""
    match = re.search(
        r'<script type="application/json" id="origins">(.*?)</script>', page, re.DOTALL
    )
    assert match is not None
    data: dict[str, Any] = json.loads(match[1])
    return {
        f"{file['prefix']}L{run[0] + step}": _line(data, run, step)
        for file in data["files"]
        for run in file["runs"]
        for step in range(run[1])
    }


def _line(data: dict[str, Any], run: list[int | None], step: int) -> Line:
    _, _, kind, source, line, owner, *written = run
    paths = [source["path"] for source in data["sources"]]
    origin, first = written or (source, line)
    return Line(
        data["kinds"][kind]["name"],
        None if source is None else paths[source],
        line + step,
        *data["owners"][owner],
        "" if origin is None else f"{paths[origin]}:{first + step}",
    )


def row(page: str, identifier: str) -> tuple[str, str]:
    """Return the classes of a row, and what stands on it."""
    match = re.search(
        rf'<li id={re.escape(identifier)}(?: class="?([^">]*)"?)?>(.*)\n', page
    )
    assert match is not None
    return match[1] or "", as_text(match[2])


def gone(page: str) -> list[str]:
    """Return the lines that are gone."""
    return [as_text(line) for line in re.findall(r"<li class=gone>(.*)\n", page)]


def as_text(html: str) -> str:
    """Return what a reader sees of some HTML."""
    return unescape(re.sub("<[^>]*>", "", html))


def links(page: Path) -> list[tuple[Path, str]]:
    """Return where a page links to: files, and identifiers in them."""
    found = re.findall(r'(?:href|src)="([^"]*)"', page.read_text(encoding="utf-8"))
    parts = (unescape(link).partition("#") for link in found)
    return [
        (
            (page.parent / path.split("?")[0]).resolve() if path else page.resolve(),
            anchor,
        )
        for path, _, anchor in parts
    ]
