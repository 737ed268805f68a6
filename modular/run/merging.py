"""Tells whether a file with merge conflicts is generated."""

from pathlib import Path

from modular.project.opening import find_root
from modular.project.project import model_name
from modular.run.engine import Engine
from modular.run.options import Options
from modular.run.selection import relative_to_root


def generating_model(path: str) -> str | None:
    """Return the model that generates a file, or None if people write the file.

    A model with errors generates no files.

    Args:
        path: The file, relative to the current folder.

    Raises:
        modular.settings.settings.SettingsError: The settings cannot be used.
    """
    options = Options(root=find_root(Path(path).absolute().parent))
    project = options.open(())
    project_path = relative_to_root(project, path)
    modular = None if project_path is None else project.generating_modular(project_path)
    if modular is None:
        return None
    engine = Engine(project, options)
    engine.run([modular])
    is_generated = project_path in engine.results[modular].outputs
    return model_name(modular) if is_generated else None
