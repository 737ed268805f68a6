"""From values to pages: Jinja2 with everything escaped, and where the pages stand."""

from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from modular.review.highlighting import visible


HERE = Path(__file__).parent


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["visible"] = visible
    return environment


def render(template: str, page: str, **values: Any) -> str:
    """Return a page; ``page`` is its path below the folder of the review."""
    up = "../" * page.count("/")
    return _environment().get_template(template).render(up=up, **values)


def model_path(name: str) -> str:
    """Return the path of a model's page, below the folder of the review, for the model's shown name."""
    return f"models/{name}.html"


def source_path(path: str) -> str:
    """Return the path of a source's page, below the folder of the review."""
    parts = ("up" if part == ".." else part for part in PurePosixPath(path).parts)
    return f"files/{'/'.join(parts)}.html"


def link(page: str, target: str, anchor: str = "") -> str:
    """Return the link from one page to another one, both by their paths, or to a line there."""
    where = "../" * page.count("/") + quote(target)
    return f"{where}#{quote(anchor)}" if anchor else where


def line_anchor(path: str, line: int) -> str:
    """Return the identifier of a line on a page."""
    return f"{PurePosixPath(path).name}-L{line}"
