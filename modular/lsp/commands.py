"""Names the commands of the editor, and converts or lifts the model of a file."""

import asyncio
import sys
from pathlib import Path
from typing import NamedTuple

from modular.lsp.project_file import ProjectFile
from modular.run import api
from modular.run.api import Options, Status
from modular.system.errors import ModularError


CONVERT = "modular.convert"
"""Write the files that are generated from the modular files with the given URIs."""

LIFT = "modular.lift"
"""Move the edits of the generated files with the given URIs to their modular files."""

GO_TO_ORIGIN = "modular.goToOrigin"
"""Show the origin of a line of a generated file."""

SHOW_REFERENCES = "modular.showReferences"
"""Return the classes that inherit from a class; editors may show the list themselves."""


_LIFT_TIMEOUT_S = 120


class Conversion(NamedTuple):
    """The files that a command wrote, and a message for the user."""

    written: list[Path]
    message: str


def convert(file: ProjectFile) -> Conversion:
    """Convert the model that a modular or generated file belongs to.

    The text on disk is converted. If the editor has another one, the message says so.
    """
    workspace = file.workspace
    modular = file.path if file.is_modular else workspace.generating_modular(file.path)
    if modular is None:
        return Conversion([], "no modular file of this project generates this file")

    root = workspace.project.root
    saved_text = workspace.project.load(modular, {}).text
    editor_text = workspace.texts.get(modular, saved_text).replace("\r\n", "\n")
    options = Options(root=root, jobs=1)
    try:
        report = api.convert([str(root / modular)], options=options)
    except ModularError as error:
        return Conversion([], f"nothing written: {error}")

    written = [
        root / output.path for output in report.files if output.status is Status.WRITTEN
    ]
    if report.has_errors:
        result = "nothing written: the model has errors"
    elif written:
        result = f"wrote {', '.join(path.name for path in written)}"
    else:
        result = "nothing to write"
    if editor_text != saved_text:
        result += "; unsaved changes are not included"
    return Conversion(written, f"{modular.rpartition('/')[2]}: {result}")


async def lift(file: ProjectFile) -> str:
    """Run `modular lift` on a generated file on disk, and return what it reports.

    The command runs in a process of its own, so that the server answers meanwhile.
    """
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        # Without this option, a folder `modular` of the project would be imported.
        "-P",
        "-m",
        "modular",
        "lift",
        file.path,
        cwd=file.project.root,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        output, _ = await asyncio.wait_for(process.communicate(), _LIFT_TIMEOUT_S)
    except TimeoutError:
        process.kill()
        return f"`modular lift` did not finish in {_LIFT_TIMEOUT_S} seconds"
    return output.decode(errors="replace").strip() or "no edits to move"
