"""Writes pages into a folder, and replaces only files of earlier reviews."""

from collections.abc import Iterable
from pathlib import Path

from modular.project.project import Project
from modular.system.errors import ModularError
from modular.system.writing import ForeignFileError, NewFile, Ours, write_file


DEFAULT_FOLDER = "modular-review"
"""The default folder below the root of the project."""

MARK = "made by modular review"
"""Text near the beginning of each file that a review writes."""

_PAGE_FOLDERS = ("models", "files")
"""The folders of pages next to the start page."""

_MARK_END_BYTES = 80
"""Number of bytes at the beginning of a file that contain the mark."""


class ReviewError(ModularError):
    """The pages cannot be written; the message says why."""


class Folder:
    """A folder of pages. Links and files that no review wrote are left alone.

    Attributes:
        path: Path of the folder.
    """

    def __init__(self, path: Path, root: Path | None = None) -> None:
        """Remember a folder, which must stay below the root if one is given."""
        self.path = path
        self._root = root or path

    def write(self, name: str, text: str) -> None:
        """Write a file completely or not at all.

        Args:
            name: Path of the file below the folder.
            text: Text of the file. It begins with the mark by which later reviews
                recognize the file.

        Raises:
            ReviewError: The file cannot be written, or is not a file of a review.
        """
        target = self.path / name
        try:
            if not self._contains(target):
                raise ReviewError(
                    f"{target.parent}: points outside {self.path}; remove the link"
                )
            if target.is_symlink():
                raise ReviewError(_describe_foreign(target))
            data = text.encode(errors="backslashreplace")
            write_file(target, NewFile(data, Ours(_has_mark)), self._root)
        except ForeignFileError as error:
            raise ReviewError(_describe_foreign(target)) from error
        except OSError as error:
            reason = error.strerror or error
            raise ReviewError(f"{target}: cannot be written: {reason}") from error

    def _contains(self, target: Path) -> bool:
        """Return whether a path is in the folder, also if it leads through a link."""
        return target.parent.resolve().is_relative_to(self.path.resolve())

    def delete_old_pages(self, current_pages: Iterable[str]) -> None:
        """Delete pages of earlier reviews, such as the page of a deleted model.

        Files that no review wrote stay.

        Args:
            current_pages: Paths of the pages to keep, below the folder.
        """
        current_paths = {self.path / page for page in current_pages}
        for folder in _PAGE_FOLDERS:
            for page in sorted((self.path / folder).rglob("*.html")):
                if page in current_paths or not self._contains(page):
                    continue
                if _is_written_by_review(page):
                    page.unlink(missing_ok=True)


def _describe_foreign(target: Path) -> str:
    """Return the message about a file that would be overwritten, but is not a page."""
    return f"{target}: was not written by a review; give another folder with `--output`"


def _is_written_by_review(path: Path) -> bool:
    """Return whether a path is a regular file with the mark of a review."""
    if path.is_symlink() or not path.is_file():
        return False
    with open(path, "rb") as file:
        return _has_mark(file.read(_MARK_END_BYTES))


def _has_mark(data: bytes) -> bool:
    """Return whether a content begins with the mark of a review."""
    return MARK.encode() in data[:_MARK_END_BYTES]


def open_folder(project: Project, path: Path | None) -> Folder:
    """Return the folder to write pages to.

    The default folder gets a `.gitignore`, so that git ignores the pages.

    Args:
        project: The project.
        path: Path of the folder; None for the default.

    Raises:
        ReviewError: The default folder cannot be written to.
    """
    if path is not None:
        return Folder(path, project.root)
    default_path = project.root / DEFAULT_FOLDER
    if project.points_outside_root(DEFAULT_FOLDER):
        message = f"{default_path}: points outside the project's root; remove the link"
        raise ReviewError(message)
    folder = Folder(default_path)
    folder.write(".gitignore", f"# {MARK}\n*\n")
    return folder
