"""Reads the pages of a review as its script does."""

import json
import re
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Line:
    """What a model's page knows of a generated line."""

    kind: str
    path: str | None
    line: int
    owner: str
    in_modular: int
    renamed: str


def origins(page: str) -> dict[str, Line]:
    """Return what a page says of each generated line, by identifiers such as `modeling_owl.py-L2`."""
    found = re.search(r'<script type="application/json" id="origins">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return {
        f"{file['name']}-L{first + step}": Line(
            data["kinds"][kind],
            None if source is None else data["sources"][source]["path"],
            line + step,
            *data["owners"][owner],
        )
        for file in data["files"]
        for first, count, kind, source, line, owner in file["runs"]
        for step in range(count)
    }


def row(page: str, identifier: str) -> tuple[str, str]:
    """Return the classes of a row, and what stands on it."""
    found = re.search(rf'<div id="{re.escape(identifier)}" class="([^"]*)"><i>\d+</i>(.*?)\n</div>', page)
    assert found is not None
    return found[1], as_text(found[2])


def gone(page: str) -> list[str]:
    """Return the lines that are gone."""
    return [as_text(line) for line in re.findall(r'<div class="gone"><i></i>(.*?)\n</div>', page)]


def as_text(html: str) -> str:
    """Return what a reader sees of some HTML."""
    return unescape(re.sub("<[^>]*>", "", html))


def links(page: Path) -> list[tuple[Path, str]]:
    """Return where a page links to: files, and identifiers in them."""
    found = re.findall(r'(?:href|src)="([^"]*)"', page.read_text(encoding="utf-8"))
    parts = (unescape(link).partition("#") for link in found if link != "#")
    return [((page.parent / path).resolve() if path else page.resolve(), anchor) for path, _, anchor in parts]
