"""References: the classes that inherit from a class, and who else takes a name."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from modular.lsp import syntax
from modular.lsp.documents import Spot
from modular.lsp.index import Use
from modular.lsp.workspace import Workspace
from modular.source.blocks import Kind
from modular.source.diagnostics import Place
from modular.source.places import place_of_word


@dataclass(frozen=True, slots=True)
class Lens:
    """What stands above a class: where it is called, how many models inherit, and where they do."""

    place: Place
    title: str
    uses: Sequence[Use]


def references(workspace: Workspace, path: str, spot: Spot) -> list[Place]:
    """Return where modular files take what the cursor is on: a name of a model file, or of what a modular file makes."""
    text, spot = workspace.readable(path, spot)
    word = syntax.word_at(text.split("\n"), spot)
    return [] if word is None else [use.place for use in _uses(workspace, path, word.name)]


def lenses(workspace: Workspace, path: str) -> list[Lens]:
    """Return a lens for each class of a file from which models inherit."""
    found = []
    for statement in syntax.module_of(path, workspace.text(path)).block.statements:
        if statement.kind is Kind.CLASS:
            uses = [use for use in _of_file(workspace, path, statement.name) if use.child]
            if models := len({use.modular for use in uses}):
                title = "1 model inherits from this" if models == 1 else f"{models} models inherit from this"
                found.append(Lens(place_of_word(statement.own, statement.name), title, uses))
    return found


def _uses(workspace: Workspace, path: str, name: str) -> list[Use]:
    """The uses of a name where it is defined; from a modular file also those of what it imports."""
    found = _of_file(workspace, path, name)
    if workspace.is_modular(path) and (file := workspace.file(path)) is not None and name in file.parent_of:
        found += workspace.index.uses(file.parent_of[name], file.original_names[name])
    return found


def _of_file(workspace: Workspace, path: str, name: str) -> list[Use]:
    paths: Iterable[str] = workspace.outputs(path) if workspace.is_modular(path) else [path]
    return [use for each in paths for use in workspace.index.uses(each, name)]
