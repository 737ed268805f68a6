"""Which model file defines a name: asked where an author has named no file."""

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from modular.project.project import Project
from modular.rules.files import file_types
from modular.rules.settings import MODELS
from modular.source import module as modules
from modular.source.loading import LARGEST
from modular.source.system.reading import read_bytes


def find_import(project: Project, name: str) -> str | None:
    """Return the module, as a modular file names it in an import, of the first model file that defines a name.

    Looked at first are the models by whose names the name begins. None if no file defines it.
    """
    for prefix, folder in _folders(project, name):
        for file in sorted(folder.glob("*.py")):
            if file_types.of_file(file.stem, project.settings) is not None and _defines(file, name):
                return f"{prefix}{folder.name}.{file.stem}"
    return None


def _folders(project: Project, name: str) -> Iterator[tuple[str, Path]]:
    """The models' folders, and what is before their names in an import."""
    places = [("..", project.root / models) for models in project.models_folders]
    if project.library is not None:
        places.append((f"{project.settings.library_name}.{MODELS}.", project.library.models))
    folders = [
        (prefix, folder) for prefix, place in places if place.is_dir() for folder in place.iterdir() if folder.is_dir()
    ]

    def rank(candidate: tuple[str, Path]) -> tuple[bool, int, str]:
        model = candidate[1].name.replace("_", "")
        return not name.lower().startswith(model), -len(model), candidate[1].name

    yield from sorted(folders, key=rank)


def _defines(file: Path, name: str) -> bool:
    with suppress(OSError):
        text = read_bytes(file, LARGEST).decode(errors="replace")
        if re.search(rf"^(?:class|def|async def) +{re.escape(name)}\b", text, re.MULTILINE):
            return any(statement.name == name for statement in modules.read(file.name, text).block.statements)
    return False
