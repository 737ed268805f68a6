"""What code means is asked of `semantics`: few other modules look at syntax trees."""

import ast
from collections.abc import Iterator
from pathlib import Path

import modular


PACKAGE = Path(modular.__file__).parent
DOORS = ("conversion", "flatten", "rules", "semantics", "source")
"""The packages that read code, and those that write it."""

FORBIDDEN = frozenset(
    {
        "ast.NodeTransformer",
        "ast.NodeVisitor",
        "ast.iter_child_nodes",
        "ast.parse",
        "ast.walk",
        "cst.CSTTransformer",
        "cst.CSTVisitor",
        "cst.parse_module",
        "libcst.parse_module",
        "symtable",
    }
)

EXCEPTIONS = {
    "refactor/member_references.py": "edits names, and needs the place of each node",
}
"""The other modules that look at trees, with the reasons. The list only gets shorter."""


def forbidden_names(text: str) -> Iterator[str]:
    """The names of a source that look at trees without asking `semantics`."""
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Attribute(value=ast.Name(id=module), attr=name):
                if f"{module}.{name}" in FORBIDDEN:
                    yield f"{module}.{name}"
            case ast.ImportFrom(module=str(module)):
                names = {module, *(f"{module}.{alias.name}" for alias in node.names)}
                yield from names & FORBIDDEN
            case ast.Import():
                yield from {alias.name for alias in node.names} & FORBIDDEN


def test_other_modules_do_not_look_at_trees() -> None:
    found = set()
    for path in PACKAGE.rglob("*.py"):
        relative = path.relative_to(PACKAGE)
        if relative.parts[0] not in DOORS:
            if any(forbidden_names(path.read_text(encoding="utf-8"))):
                found.add(relative.as_posix())
    assert sorted(found - EXCEPTIONS.keys()) == [], "ask `modular.semantics` instead"
    assert sorted(EXCEPTIONS.keys() - found) == [], "remove them from the exceptions"


def test_each_way_to_look_at_trees_is_found() -> None:
    text = "import symtable\nfrom ast import walk\nast.parse(x)\nast.unparse(x)\n"
    assert sorted(forbidden_names(text)) == ["ast.parse", "ast.walk", "symtable"]
