"""Spells the functions and constants of parent files in a way of their own."""

import ast
import re
from collections.abc import Iterator, Mapping
from posixpath import basename, dirname, join, normpath


_TAG = re.compile(r"_q\d+z\b")


def spell_apart(texts: Mapping[str, str]) -> dict[str, str]:
    """Return files in which no two parent files give a function or constant one name.

    `rotate_half` of the third file becomes `rotate_half_q3z`, also where another file
    imports it. Names that a modular file defines or imports keep their spelling, because
    it replaces the definitions of its parents by them (`docs/inheritance.md`). So do
    texts for docstrings, names with the name of the model, which is replaced, and
    classes: the names of classes say in which file they are generated.

    Args:
        texts: The texts of the modular files and of their parent files, by path.
    """
    replaced: set[str] = set()
    for path, text in texts.items():
        if "/modular_" in path:
            replaced.update(_defined_names(text))
            replaced.update(name for _, name in _imported_names(path, text))
    spellings: dict[str, dict[str, str]] = {}
    for number, (path, text) in enumerate(sorted(texts.items())):
        is_parent = "/modular_" not in path
        names = set(_defined_names(text)) - replaced if is_parent else set()
        model = basename(dirname(path))
        names = {name for name in names if model not in name.lower()}
        spellings[path] = {name: f"{name}_q{number}z" for name in names}
    # A file can import a name from a file that imports it, too.
    for _ in range(3):
        for path, text in texts.items():
            for source, name in _imported_names(path, text):
                new_name = spellings.get(source, {}).get(name)
                if new_name is not None:
                    spellings[path].setdefault(name, new_name)
    return {path: _respell(text, spellings[path]) for path, text in texts.items()}


def without_tags(text: str) -> list[str]:
    """Return the lines of a text with the common spellings, in alphabetical order.

    The order of imports and definitions depends on their names.
    """
    return sorted(_TAG.sub("", text).split("\n"))


def _defined_names(text: str) -> Iterator[str]:
    """Yield the functions and assigned names at module level, without special ones."""
    for statement in ast.parse(text).body:
        targets: list[ast.expr] = []
        match statement:
            case ast.FunctionDef(name=name):
                yield name
            case ast.Assign():
                targets = statement.targets
            case ast.AnnAssign(target=target):
                targets = [target]
        for target in targets:
            if isinstance(target, ast.Name):
                is_special = target.id.startswith("__")
                if not is_special and not target.id.endswith("_DOCSTRING"):
                    yield target.id


def _imported_names(path: str, text: str) -> Iterator[tuple[str, str]]:
    """Yield the path of a file and a name for each name that a file imports from it."""
    for statement in ast.walk(ast.parse(text)):
        if isinstance(statement, ast.ImportFrom) and statement.module:
            module = statement.module.replace(".", "/")
            folder = path
            for _ in range(statement.level):
                folder = dirname(folder)
            source = normpath(join(folder, module)) if statement.level else module
            for alias in statement.names:
                yield f"{source}.py", alias.name


def _respell(text: str, spellings: Mapping[str, str]) -> str:
    """Return a text with other names, except in attributes and keyword arguments."""
    if not spellings:
        return text
    names = "|".join(sorted(map(re.escape, spellings), key=len, reverse=True))
    # The name of a keyword argument is in brackets, so it begins no line.
    uses = re.compile(
        rf"^(?:{names})\b|(?<![\w.])(?:{names})\b(?! *=[^=])", re.MULTILINE
    )
    return uses.sub(lambda match: spellings[match[0]], text)
