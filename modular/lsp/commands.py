"""What the command writes that converts a model."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from modular.lsp.workspace import Workspace


if TYPE_CHECKING:
    from modular.run.api import Report


@dataclass(frozen=True, slots=True)
class Written:
    """What a conversion wrote, as absolute paths, and what there is to say about it."""

    files: Sequence[Path]
    message: str


@dataclass(frozen=True, slots=True)
class Target:
    """What is to be converted: a modular file, by its path relative to the root, and whether all of it was saved."""

    root: Path
    modular: str
    is_saved: bool


def target(workspace: Workspace, path: str) -> Target | None:
    """Return what to convert for a file: the model that it belongs to; None if there is none."""
    modular = path if workspace.is_modular(path) else workspace.generator(path)
    if modular is None:
        return None
    root = workspace.project.root
    return Target(root, modular, workspace.texts.get(modular) in (None, _on_disk(root / modular)))


def _on_disk(file: Path) -> str | None:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return None


def convert(wanted: Target) -> Written:
    """Convert a model as it is on disk, and write what changes."""
    from modular.git.git import ChangesError
    from modular.rules.settings import SettingsError
    from modular.run import api
    from modular.run.api import Options, Status
    from modular.source.ruff import FormatterError

    try:
        report = api.convert([str(wanted.root / wanted.modular)], options=Options(root=wanted.root, jobs=1))
    except (SettingsError, FormatterError, ChangesError) as error:
        return Written((), f"nothing written: {error}")
    unsaved = "" if wanted.is_saved else "; what is not saved is not in it"
    written = [wanted.root / each.path for each in report.files if each.status is Status.WRITTEN]
    return Written(written, _said(wanted.modular, report, written) + unsaved)


def _said(modular: str, report: "Report", written: Sequence[Path]) -> str:
    name = modular.rpartition("/")[2]
    if report.has_errors:
        return f"{name}: nothing written, there are errors"
    return f"{name}: wrote {', '.join(each.name for each in written)}" if written else f"{name}: nothing to write"
