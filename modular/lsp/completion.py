"""Completion: parent models, files and classes in imports, and the attributes of the parent in `del self.`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from modular.lsp import syntax
from modular.lsp.definitions import parent_class
from modular.lsp.documents import Spot
from modular.lsp.workspace import Workspace
from modular.rules.classes.methods import methods
from modular.source.assignments import assigned_target
from modular.source.blocks import Kind


_FROM = re.compile(r"\s*from\s+(\.+|[\w.]*\.)([\w.]*)\Z")
_NAMES = re.compile(r"from\s+(\.*)([\w.]+)\s+import\s*\(?[\w\s,]*\Z")
_DEL = re.compile(r"\s*del\s(?:[\w\s.,]*,)?\s*self\.(\w*)\Z")
_FARTHEST = 40
"""Lines that an import statement may go back."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """What may be written: a model, a file, a class or another name, or an attribute; and what it is."""

    name: str
    kind: str
    detail: str = ""


def completion(workspace: Workspace, path: str, spot: Spot) -> list[Proposal]:
    """Return what may stand at the cursor of a modular file; nothing where it is not ours to say."""
    if not workspace.is_modular(path):
        return []
    lines = workspace.lines(path)[: spot.line]
    before = (lines[-1] if len(lines) == spot.line else "")[: spot.column - 1]
    if match := _DEL.match(before):
        return list(_attributes(workspace, path, spot))
    if match := _FROM.match(before):
        return list(_modules(workspace, path, match.group(1) + match.group(2)))
    if match := _NAMES.search("\n".join([*lines[-_FARTHEST:-1], before])):
        return list(_names(workspace, path, len(match.group(1)), match.group(2)))
    return []


def _modules(workspace: Workspace, path: str, written: str) -> Iterator[Proposal]:
    """The models, or the model files of one, behind what is written of a module."""
    project = workspace.project
    dots = len(written) - len(written.lstrip("."))
    parts = written[dots:].split(".")[:-1]
    probe = (
        [*parts, "model", "modeling_model"]
        if not _is_model(workspace, path, dots, parts)
        else [*parts, "modeling_model"]
    )
    depth = 2 if probe[len(parts) : len(parts) + 1] == ["model"] else 1
    folders = {
        PurePosixPath(found).parents[depth - 1] for found in project.resolve_module(path, dots, ".".join(probe))
    }
    own = PurePosixPath(path).parent.name
    for folder in sorted(folders):
        place = project.locate(f"{folder}/_").parent
        for entry in sorted(place.iterdir()) if place.is_dir() else ():
            if depth == 2 and entry.is_dir() and entry.name.isidentifier() and entry.name not in (own, "__pycache__"):
                yield Proposal(entry.name, "model")
            elif depth == 1 and entry.suffix == ".py" and workspace.is_model_file(f"{folder}/{entry.name}"):
                yield Proposal(entry.stem, "file", f"{folder}/{entry.name}")


def _is_model(workspace: Workspace, path: str, dots: int, parts: list[str]) -> bool:
    """Whether the last part of a module, as far as it is written, is that of a model's folder."""
    found = workspace.project.resolve_module(path, dots, ".".join([*parts, "modeling_model"])) if parts else ()
    return any(workspace.project.locate(each).parent.is_dir() for each in found)


def _names(workspace: Workspace, path: str, dots: int, module: str) -> Iterator[Proposal]:
    """What can be imported from a parent file: its classes first."""
    project = workspace.project
    paths = project.resolve_module(path, dots, module)
    found = next((each for each in paths if workspace.converter.exists(each)), None)
    if found is None:
        return
    statements = syntax.module_of(found, workspace.text(found)).block.statements
    for kind, word in ((Kind.CLASS, "class"), (Kind.FUNCTION, "function"), (Kind.ASSIGNMENT, "name")):
        names = (each.name for each in statements if each.kind is kind and each.name != "__all__")
        yield from (Proposal(name, word, found) for name in dict.fromkeys(names))


def _attributes(workspace: Workspace, path: str, spot: Spot) -> Iterator[Proposal]:
    """What the parent's method assigns to `self`."""
    file, lines = workspace.converter.read(path), workspace.lines(path)
    owner, method = _enclosing(lines, spot.line)
    parent = parent_class(workspace, file, owner) if file is not None else None
    if parent is None:
        return
    found = methods(parent.body.statements)
    for each in [found[method]] if method in found else []:
        targets = (assigned_target(statement) for statement in each.body.statements)
        names = (target.text.removeprefix("self.") for target in targets if target and target.text.startswith("self."))
        yield from (Proposal(name, "attribute", f"{parent.name}.{method}") for name in dict.fromkeys(names))


def _enclosing(lines: list[str], line: int) -> tuple[str, str]:
    """The names of the class and of the method around a line, as its indents tell: the line itself is half typed."""
    owner = method = ""
    for text in lines[line - 1 :: -1]:
        if not method and (match := re.match(r"\s+(?:async\s+)?def\s+(\w+)", text)):
            method = match.group(1)
        if match := re.match(r"class\s+(\w+)", text):
            owner = match.group(1)
            break
    return owner, method
