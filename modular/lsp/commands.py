"""The commands that an editor can give, and what the one does that converts a model."""

from collections.abc import Sequence
from pathlib import Path

from modular.lsp.project_file import ProjectFile
from modular.run import api
from modular.run.api import Options, Status
from modular.system.errors import ModularError


CONVERT = "modular.convert"
"""Write what is generated from the modular files with some addresses."""

GO_TO_ORIGIN = "modular.goToOrigin"
"""Show where a line of a generated file comes from."""

SHOW_REFERENCES = "modular.showReferences"
"""Return the places that inherit from a class; editors that can show a list do it themselves."""


def convert(file: ProjectFile) -> tuple[Sequence[Path], str]:
    """Convert the model that a file belongs to as it is on disk; return the files that were written, and what to say."""
    modular = file.path if file.is_modular else file.workspace.generator(file.path)
    if modular is None:
        return (), "this file belongs to no modular file of the project"
    root = file.workspace.project.root
    on_disk = file.workspace.project.load(modular, {}).text
    is_saved = (
        file.workspace.texts.get(modular, on_disk).replace("\r\n", "\n") == on_disk
    )
    try:
        report = api.convert([str(root / modular)], options=Options(root=root, jobs=1))
    except ModularError as error:
        return (), f"nothing written: {error}"
    written = [
        root / output.path for output in report.files if output.status is Status.WRITTEN
    ]
    done = (
        f"wrote {', '.join(path.name for path in written)}"
        if written
        else "nothing to write"
    )
    unsaved = "" if is_saved else "; unsaved changes are not included"
    name = modular.rpartition("/")[2]
    return (
        written,
        f"{name}: {'nothing written, there are errors' if report.has_errors else done}{unsaved}",
    )
