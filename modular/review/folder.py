"""The folder that the pages are written into: only files that an earlier review has written are replaced or deleted."""

import os
from collections.abc import Iterable
from pathlib import Path

from modular.project.project import Project
from modular.system.errors import ModularError
from modular.system.writing import write_file


DEFAULT = "modular-review"
"""The folder below the root that is taken if none is given."""

MARK = "made by modular review"
"""What is at the head of each file that a review writes."""

_FOLDERS = ("models", "files")
"""The folders that a review writes pages into, next to the start page."""

_HEAD = 80
"""Bytes among which the mark appears."""


class ReviewError(ModularError):
    """The pages cannot be written. The message says why."""


class Folder:
    """A folder of pages. Nothing is written through links below it, and no file that is not a review's is touched."""

    def __init__(self, path: Path, root: Path | None = None) -> None:
        """``root`` is the project's: a folder below it must not lead out of it by a link."""
        self.path = path
        self._root = root or path

    def write(self, name: str, text: str) -> None:
        """Write a file by its path below the folder: all of it, or nothing. Raises ReviewError."""
        target = self.path / name
        try:
            self._refuse_others(target)
            write_file(target, text.encode(errors="backslashreplace"), self._root)
        except OSError as error:
            raise ReviewError(
                f"{target}: cannot be written: {error.strerror or error}"
            ) from error

    def _refuse_others(self, target: Path) -> None:
        if not target.parent.resolve().is_relative_to(self.path.resolve()):
            raise ReviewError(
                f"{target.parent}: points outside {self.path}; remove the link"
            )
        if os.path.lexists(target) and not _is_ours(target):
            raise ReviewError(
                f"{target}: was not written by a review; give another folder with `--output`"
            )

    def clean(self, kept: Iterable[str]) -> None:
        """Delete the pages of models and files that earlier reviews have written and this one has not.

        Any other folder may hold the pages of another project.
        """
        wanted = {self.path / name for name in kept}
        for page in sorted(
            page for name in _FOLDERS for page in (self.path / name).rglob("*.html")
        ):
            if (
                page not in wanted
                and page.parent.resolve().is_relative_to(self.path.resolve())
                and _is_ours(page)
            ):
                page.unlink(missing_ok=True)


def _is_ours(path: Path) -> bool:
    """Whether a file was written by a review."""
    if path.is_symlink() or not path.is_file():
        return False
    with open(path, "rb") as file:
        return MARK.encode() in file.read(_HEAD)


def open_folder(project: Project, given: Path | None) -> Folder:
    """Return the folder to write to: the one given, or the usual one below the root, which keeps itself out of git.

    Raises ReviewError if that cannot be written to.
    """
    if given is not None:
        return Folder(given, project.root)
    if project.points_outside_root(DEFAULT):
        raise ReviewError(
            f"{project.root / DEFAULT}: points outside the project's root; remove the link"
        )
    folder = Folder(project.root / DEFAULT)
    folder.write(".gitignore", f"# {MARK}\n*\n")
    return folder
