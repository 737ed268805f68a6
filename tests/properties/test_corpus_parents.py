"""What holds for every modular file over the parents of the corpus, tried on random ones."""

import ast
import os
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from hypothesis import HealthCheck, Phase, assume, given, settings

import modular
from bench.corpus import installed
from tests.properties.corpus_sources import MODEL, corpus_sources


EXAMPLES = int(os.environ.get("MODULAR_EXAMPLES", "12"))
SETTINGS = '[tool.modular]\nmodels = ["mine/models"]\npackage = "mine.models"\nformatter = "none"\n'
MODULAR = f"mine/models/{MODEL}/modular_{MODEL}.py"
ITS_OWN_FAULT = {
    "MOD302",
    "MOD303",
    "MOD304",
    "MOD305",
    "MOD306",
    "MOD307",
    "MOD421",
    "MOD442",
}
"""Errors of a modular file that random choices may well make.

It defines no configuration classes, for instance, which its parents import (MOD442).
"""


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    phases=(Phase.reuse, Phase.generate, Phase.shrink),
    suppress_health_check=list(HealthCheck),
)
@given(corpus_sources())
def test_what_comes_out_can_be_imported(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / MODULAR).parent.mkdir(parents=True)
        (root / MODULAR).write_text(text, encoding="utf-8")
        (root / "pyproject.toml").write_text(SETTINGS, encoding="utf-8")
        report = modular.convert(
            options=modular.Options(root=root, jobs=1, cache=False)
        )
        errors = {
            diagnostic.code.id
            for diagnostic in report.diagnostics
            if diagnostic.is_error
        }
        assert errors <= ITS_OWN_FAULT, report.diagnostics
        assume(not errors)
        generated = {
            path.stem: path.read_text(encoding="utf-8")
            for path in (root / MODULAR).parent.glob("*.py")
        }
        del generated[f"modular_{MODEL}"]
        assert generated
        for name, source in generated.items():
            tree = ast.parse(source)
            compile(tree, name, "exec")
            assert list(missing_imports(tree, generated)) == [], text
            assert list(used_too_early(tree)) == [], text
        unquoted = set[str]().union(*map(unquoted_names, generated.values()))
        for diagnostic in report.diagnostics:
            if diagnostic.code.id == "MOD408":
                # A class that a parent only names in quotes is not copied.
                name = diagnostic.message.split("`")[1]
                assert name not in unquoted, f"{diagnostic.message}\n{text}"


def unquoted_names(source: str) -> set[str]:
    """The names that code reads, without those in strings."""
    return {
        node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)
    }


def missing_imports(tree: ast.Module, generated: dict[str, str]) -> Iterator[str]:
    """The names that are imported from the library, or from the wrong one of the files beside this one, and are not there."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or node.module is None:
            continue
        if node.level:
            elsewhere = "".join(
                text for name, text in generated.items() if name != node.module
            )
            found = generated.get(node.module, "")
            yield from (
                alias.name
                for alias in node.names
                if is_class(alias.name, elsewhere, not_in=found)
            )
            continue
        if node.module.split(".")[0] == "transformers":
            text = library_text(node.module)
            yield from (
                f"{node.module}.{alias.name}"
                for alias in node.names
                if text is None or alias.name not in text
            )


def is_class(name: str, text: str, not_in: str) -> bool:
    """Whether a class stands in one text and not in another; one that stands in neither is for the author to write."""
    line = f"class {name}("
    return line in text.replace(":", "(") and line not in not_in.replace(":", "(")


@cache
def library_text(module: str) -> str | None:
    """The text of a module of the library; of a package, those of its modules and their names."""
    place = installed().joinpath(*module.split(".")[1:])
    if place.is_dir():
        files = sorted(place.glob("*.py"))
        inside = " ".join(path.stem for path in place.iterdir())
        return inside + "".join(file.read_text(encoding="utf-8") for file in files)
    file = place.with_suffix(".py")
    return file.read_text(encoding="utf-8") if file.is_file() else None


def used_too_early(tree: ast.Module) -> Iterator[str]:
    """The names that a statement uses while the module is imported, and that only a later one defines."""
    places = [set(_defined(node)) for node in tree.body]
    for index, node in enumerate(tree.body):
        before = set[str]().union(*places[:index])
        later = set[str]().union(*places[index:]) - before
        yield from sorted(set(_used(node)) & later)


def _defined(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.ClassDef | ast.FunctionDef):
        yield node.name
    elif isinstance(node, ast.Assign):
        yield from (
            target.id for target in node.targets if isinstance(target, ast.Name)
        )


def _used(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        yield node.id
    inner: list[ast.AST] = list(ast.iter_child_nodes(node))
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        inner = [*node.decorator_list, node.args, *filter(None, [node.returns])]
    elif isinstance(node, ast.Lambda):
        inner = [node.args]
    for child in inner:
        yield from _used(child)
