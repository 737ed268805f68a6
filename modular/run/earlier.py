"""A project as it was at a commit: its files are read through git into a temporary folder, and nothing is checked out."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from modular.project.project import Project, open_project
from modular.rules.settings import Settings
from modular.run.git import commit_of, contents, git


_LINK = "120000"


@contextmanager
def project_at(project: Project, ref: str, *, same_settings: bool) -> Iterator[Project]:
    """Give the project as it was at a commit; ``same_settings`` lets it have the settings of today.

    Raises ChangesError, and `settings.SettingsError` where its settings were wrong.
    """
    prefix = git(project.root, "rev-parse", "--show-prefix").strip("\n")
    with TemporaryDirectory(prefix="modular-") as folder:
        top = Path(folder).resolve()
        (top / prefix).mkdir(parents=True, exist_ok=True)
        _fill(top, project, prefix, commit_of(project.root, ref))
        earlier = open_project(top / prefix)
        settings = project.settings if same_settings else earlier.settings
        yield replace(earlier, settings=_with_library(settings, project))


def _with_library(settings: Settings, project: Project) -> Settings:
    """Name a source library outside the root by its place: from another root it is the same."""
    library = project.library
    if library is None or not library.is_found or library.folder.resolve().is_relative_to(project.root):
        return settings
    return replace(settings, source_library=str(library.folder))


def _fill(top: Path, project: Project, prefix: str, commit: str) -> None:
    """Write the files of a commit that conversions read: models, a library below the root, all settings."""
    folders = [*project.settings.models, project.settings.output]
    if project.library is not None:
        folders.append(project.library.prefix)
    wanted = tuple(f"{PurePosixPath(prefix, folder)}/" for folder in folders if folder)
    entries = []
    for line in filter(None, git(project.root, "ls-tree", "-r", "-z", "--full-tree", commit).split("\0")):
        about, _, path = line.partition("\t")
        if ".." in PurePosixPath(path).parts:
            continue
        mode, kind, name = about.split()
        if kind == "blob" and (path.endswith(".toml") or (path.startswith(wanted) and path.endswith(".py"))):
            entries.append((mode, name, path))
        _show_package(top, prefix, path)
    files = zip(entries, contents(project.root, [name for _, name, _ in entries]), strict=True)
    for (mode, _, path), data in sorted(
        files, key=lambda each: each[0][0] == _LINK
    ):  # nothing is written through a link
        if data is not None:
            _put(top / path, mode, data)


def _put(place: Path, mode: str, data: bytes) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    if mode != _LINK:
        place.write_bytes(data)
        return
    with suppress(OSError):
        place.unlink(missing_ok=True)
        os.symlink(os.fsdecode(data), place)


def _show_package(top: Path, prefix: str, path: str) -> None:
    """Let a package that a path shows be there by its name, which is what the sorting of imports asks for."""
    inside = path.removeprefix(prefix) if path.startswith(prefix) else ""
    depth = 2 if inside.startswith("src/") else 1
    if inside.count("/") >= depth:
        (top / prefix / "/".join(inside.split("/")[:depth])).mkdir(parents=True, exist_ok=True)
    elif inside.count("/") == depth - 1 and inside.endswith(".py"):
        (top / path).parent.mkdir(parents=True, exist_ok=True)
        (top / path).touch()
