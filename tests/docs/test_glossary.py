"""The glossary names classes and functions that exist."""

import ast
import re
from collections.abc import Iterator

from tests.docs.markdown import ROOT, read


def defined_names() -> Iterator[str]:
    """Yield the names of all classes and functions of the package."""
    for path in (ROOT / "modular").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                yield node.name


def rows() -> list[list[str]]:
    """Return the cells of each row of the glossary, without the heads of tables."""
    lines = [line for line in read("docs/glossary.md").split("\n") if line[:2] == "| "]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in cells if row[0] not in ("term", "---")]


def test_every_name_in_the_code_exists() -> None:
    names = set(re.findall(r"`(\w+)`", " ".join(row[2] for row in rows())))
    assert len(names) > 20
    assert names - set(defined_names()) == set()


def test_every_term_is_defined_once() -> None:
    terms = [row[0] for row in rows()]
    assert len(terms) >= 40
    assert len(terms) == len(set(terms))
