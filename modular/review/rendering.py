"""From values to pages: Jinja2 with everything escaped, and where the pages appear."""

import re
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from modular.project.project import model_name
from modular.review.visible_text import visible


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


def line_prefix(path: str, modular: str) -> str:
    """Return what lines' identifiers begin with on a model's page: `modeling-` for the `modeling_owl.py` of the owl."""
    file_type = PurePosixPath(path).stem.removesuffix(f"_{model_name(modular)}")
    return re.sub(r"\W", "_", file_type) + "-"
